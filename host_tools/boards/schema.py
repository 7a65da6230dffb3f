"""What the host knows beyond the firmware's own check of a board.json, and what a hardware.json holds."""

from host_tools.boards.shapes import Choice, Flag, ListOf, Named, Nullable, Table, Text, Whole

LAMPS = ("lamp0", "lamp1", "lamp2", "lamp3")
CAMERA_LINES = ("vsync", "href", "pclk", "xclk", "sda", "scl")

PORTS = ("rp2", "esp32", "openmv", "unix", "blinka")
# The ports on which each back end of tumbler.hal runs.
BACK_ENDS = {"virtual": ("unix",), "microcontroller": ("rp2", "esp32", "openmv"), "blinka": ("blinka",)}
BAUDS = (9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600)

# name: what the board must be able to do (see CAPABILITIES)
CAMERAS = {"openmv": ("csi",), "esp32": ("camera-module", "psram")}
# name: the kinds of bus that it speaks
SENSORS = {"huskylens-v1": ("i2c", "uart"), "huskylens-v2": ("i2c", "uart"), "dice-module": ("i2c", "uart")}
# driver: the fastest I2C that the device takes, in Hz
FASTEST_I2C = {
    "huskylens-v1": 100_000,
    "huskylens-v2": 100_000,
    "dice-module": 400_000,
    "lis3dh": 400_000,
}
# The sensor whose maker's protocol wants the number of the algorithm that was taught the dice.
TAUGHT = "huskylens-v2"
ACCELEROMETERS = ("lis3dh",)
CAMERA_SIZES = ((160, 120), (320, 240), (640, 480))
CAPABILITIES = {
    "csi": "OpenMV's camera modules csi or sensor",
    "camera-module": "the module camera of micropython-camera-API in the MicroPython image",
    "psram": "PSRAM for frame buffers",
    "pulse-counter": "machine.Counter",
    "littlefs": "a flash volume that survives power cuts",
    "watchdog": "machine.WDT",
}
ARCHITECTURES = ("armv6m", "armv7m", "armv7em", "armv7emsp", "armv7emdp", "xtensawin", "rv32imc", "x64")

_PIN_FUNCTION = Text(
    r"in|out|adc|camera|(?:uart\d-(?:tx|rx))|(?:i2c\d-(?:scl|sda))",
    "in, out, adc, camera or a bus function like uart0-tx or i2c0-sda",
)
_USB_ID = Text(r"[0-9a-f]{4}:[0-9a-f]{4}", "a USB id like 2e8a:0005")
_PART = Table(
    {"part": Text(), "count": Whole(1, 1000), "note": Text(r"[^\x00-\x1f]{0,400}")},
    {"for": ListOf(Text())},
)
_MICROPYTHON = Table(
    {
        "minimum": Text(r"\d+\.\d+(\.\d+)?", "a version like 1.24"),
        "board_ids": ListOf(Text(), 1),
        "image": Text(),
        "install": ListOf(Text(), 1),
    }
)
HARDWARE = Table(
    {
        "title": Text(),
        "port": Choice(PORTS),
        "micropython": Nullable(_MICROPYTHON),
        "mpy_arch": Nullable(Choice(ARCHITECTURES)),
        "stubs": Nullable(Text(r"[a-z0-9-]+==[0-9][0-9.a-z]*", "a pinned requirement like name==1.2.3")),
        "heap_kb": Nullable(Whole(64, 64 * 1024)),
        "pins": Named(ListOf(_PIN_FUNCTION, 1), r"\d{1,3}|[A-Za-z][A-Za-z0-9_]{0,15}", "a pin"),
        "capabilities": ListOf(Choice(tuple(CAPABILITIES))),
        "watchdog_max_ms": Nullable(Whole(2000, 10**7)),
        "storage": Nullable(
            Table(
                {
                    "mount": Text(r"/[a-z]*", "a folder like / or /flash"),
                    "filesystem": Choice(("littlefs",)),
                    "block_bytes": Whole(512, 65536),
                    "start_kb": Whole(0, 10**6),
                    "size_kb": Whole(64, 10**6),
                }
            )
        ),
        "usb": Nullable(
            Table({"ids": ListOf(_USB_ID, 1), "dtr": Flag(), "rts": Flag()}, {"wait_ms": Whole(0, 10_000)})
        ),
        "logic_mv": Whole(1000, 5000),
        "bom": ListOf(_PART),
        "notes": ListOf(Text()),
    },
    # What the board prints before a pin's number, where board.json has the number alone.
    {"pin_prefix": Text(r"[A-Z]{1,4}", "one to four capitals")},
)
