"""What a board.json and a hardware.json hold, for each back end of the firmware's hal."""

from collections.abc import Iterator, Mapping

from host_tools.boards.located import Located
from host_tools.boards.shapes import (
    Any,
    Choice,
    Finding,
    Flag,
    ListOf,
    Named,
    Nullable,
    PinName,
    Shape,
    Table,
    Text,
    Whole,
)
from tumbler import config
from tumbler.definitions import CHANNELS

LAMPS = ("lamp0", "lamp1", "lamp2", "lamp3")
INPUTS = ("stroke-gate", "stroke-top", *CHANNELS)
OUTPUTS = ("drive", "cover-lock", "status")
# The accelerometer, where there is one, gives this channel.
TILTED = "tilted"
CAMERA_LINES = ("vsync", "href", "pclk", "xclk", "sda", "scl")

PORTS = ("rp2", "esp32", "openmv", "unix", "blinka")
# The ports on which each back end of tumbler.hal runs.
BACK_ENDS = {"virtual": ("unix",), "microcontroller": ("rp2", "esp32", "openmv"), "blinka": ("blinka",)}
BAUDS = (9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600)

# name: what the board must be able to do (see CAPABILITIES)
CAMERAS = {"openmv": ("csi",), "esp32": ("camera-module", "psram")}
# name: the kinds of bus that it speaks
SENSORS = {"huskylens-v1": ("i2c", "uart"), "huskylens-v2": ("i2c", "uart"), "dice-module": ("i2c", "uart")}
ACCELEROMETERS = ("lis3dh",)
CAPABILITIES = {
    "csi": "OpenMV's camera modules csi or sensor",
    "camera-module": "the module camera of micropython-camera-API in the MicroPython image",
    "psram": "PSRAM for frame buffers",
    "pulse-counter": "machine.Counter",
    "littlefs": "a flash volume that survives power cuts",
    "watchdog": "machine.WDT",
}
ARCHITECTURES = ("armv6m", "armv7m", "armv7em", "armv7emsp", "armv7emdp", "xtensawin", "rv32imc", "x64")

_ADDRESS = Whole(0x08, 0x77)
_INPUT = Table({"pin": PinName(), "active": Choice(("low", "high")), "pull": Choice(("up", "down", "none"))})
_OUTPUT = Table({"pin": PinName(), "active": Choice(("low", "high"))})
_UART = {"id": Whole(0, 9), "tx": PinName(), "rx": PinName(), "baud": Choice(BAUDS)}
_I2C = {"id": Whole(0, 9), "scl": PinName(), "sda": PinName(), "freq": Whole(10_000, 400_000)}
_DRIVE = Table({"on_ms": Whole(1, 200), "period_ms": Whole(50, 2000)})
_BUS_NAME = r"(?:i2c|uart)\d"
_BUS = Text(_BUS_NAME, "the name of a bus like i2c0 or uart1")
_ACCELEROMETER = Table(
    {
        "driver": Choice(ACCELEROMETERS),
        "bus": Text(r"i2c\d", "the name of an I2C bus like i2c0"),
        "address": _ADDRESS,
        "tilt_deg": Whole(2, 45),
    }
)
_SENSOR = Table(
    {"driver": Choice(tuple(SENSORS)), "bus": _BUS}, {"address": _ADDRESS, "algorithm": Whole(1, 255)}
)
# The sensor whose maker's protocol wants the number of the algorithm that was taught the dice.
TAUGHT = "huskylens-v2"
_SIZE = {"width": Choice((160, 320, 640)), "height": Choice((120, 240, 480))}
# Keywords of Camera() of micropython-camera-API.
_CAMERA_PINS = Table(
    {f"{line}_pin": PinName() for line in CAMERA_LINES} | {"data_pins": ListOf(PinName(), 8, 8)},
    {"xclk_freq": Whole(6_000_000, 24_000_000)},
)
# "exposure" and "gain" are in each camera's own units, see the drivers.
_CAMERA = {
    "openmv": Table(
        {"driver": Choice(("openmv",)), **_SIZE, "exposure": Whole(20, 200_000), "gain": Whole(0, 48)}
    ),
    "esp32": Table(
        {"driver": Choice(("esp32",)), **_SIZE, "exposure": Whole(0, 1200), "gain": Whole(0, 30)},
        {"pins": _CAMERA_PINS},
    ),
}


class _Camera:
    """A camera's members follow from its driver."""

    def faults(self, found: Located, where: str) -> Iterator[Finding]:
        driver = found.get("driver")
        named = driver.value if driver is not None and isinstance(driver.value, str) else ""
        if named in _CAMERA:
            return _CAMERA[named].faults(found, where)
        any_of_them = {
            name: Any() for shape in _CAMERA.values() for name in (*shape.required, *shape.optional)
        }
        return Table({"driver": Choice(tuple(_CAMERA))}, any_of_them).faults(found, where)


class _Bus:
    """A bus's members follow from its name."""

    def faults(self, found: Located, where: str) -> Iterator[Finding]:
        return Table(_UART if ".uart" in where[-8:] else _I2C).faults(found, where)


LIMITS = Table({name: Whole(*bounds) for name, bounds in config.LIMITS.items()})
_TIMES: Mapping[str, Shape] = {name: Whole(*bounds) for name, bounds in config.HAL.items()}
_CHANNEL_PINS = Table({name: _INPUT for name in INPUTS if name != TILTED}, {TILTED: _INPUT})
_OUTPUT_PINS = Table(dict.fromkeys(OUTPUTS, _OUTPUT), dict.fromkeys(LAMPS, _OUTPUT))
_DEVICES: Mapping[str, Shape] = {
    "buses": Named(_Bus(), _BUS_NAME, "the name of a bus like i2c0 or uart1"),
    "accelerometer": _ACCELEROMETER,
    "camera": _Camera(),
    "sensor": _SENSOR,
}
_WIRED: Mapping[str, Shape] = {"inputs": _CHANNEL_PINS, "outputs": _OUTPUT_PINS, "drive": _DRIVE}
# back end: what "hal" holds for it
HAL = {
    "virtual": Table(_TIMES),
    "microcontroller": Table(
        {**_WIRED, "uart": Table(_UART), "watchdog_ms": Whole(2000, 60_000), **_TIMES}, _DEVICES
    ),
    "blinka": Table({**_WIRED, **_TIMES}),
}


def board(back_end: str) -> Table:
    """The shape of a board.json for the back end."""
    return Table(
        {
            "board": Choice(tuple(HAL)),
            "profile": Nullable(Text(r"[a-z0-9_]{1,60}\.json", "the name of a file of firmware/profiles")),
            "hal": HAL[back_end],
            "limits": LIMITS,
        }
    )


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
        "usb": Nullable(Table({"ids": ListOf(_USB_ID, 1), "dtr": Flag(), "rts": Flag()})),
        "logic_mv": Whole(1000, 5000),
        "bom": ListOf(_PART),
        "notes": ListOf(Text()),
    }
)
