"""What board.json's "hal" section holds for each back end, checked before any of it is used.

The host checks a board file with its lines and against the board's pins before it is loaded; this is the
device's own check of what it was given.
"""

from tumbler.definitions import CHANNELS
from tumbler.shapes import Choice, ListOf, Members, PinName, Table, Text, Whole

# What every back end enforces by itself, whatever the controller does: name: (least, most).
TIMES = {"drive_limit_ms": (500, 20000), "camera_limit_ms": (100, 10000)}
# How much longer than camera_limit_ms a camera's own module may keep the program waiting: esp32-camera's
# FB_GET_TIMEOUT, which nothing changes.
CAMERA_BLOCKS_MS = {"esp32": 4000}
GATES = ("stroke-gate", "stroke-top")
LAMPS = ("lamp0", "lamp1", "lamp2", "lamp3")
TILTED = "tilted"

# The watchdog must outlast three of the slowest block erases of a flash, 0.4 s each by data sheets.
_LEAST_WATCHDOG_MS = 2000
_MOST_WATCHDOG_MS = 60000

_INPUT = Table({"pin": PinName(), "active": Choice("low", "high"), "pull": Choice("up", "down", "none")})
_OUTPUT = Table({"pin": PinName(), "active": Choice("low", "high")})
_ID = Whole(0, 9)
_SERIAL = {"id": _ID, "tx": PinName(), "rx": PinName(), "baud": Whole(1200, 3000000)}
_UART = Table(_SERIAL)
_LINK = Table(_SERIAL, {"direction": _OUTPUT})  # with it, an RS-485 line that other tumblers share
_I2C = Table({"id": _ID, "scl": PinName(), "sda": PinName(), "freq": Whole(10000, 400000)})
_ADDRESS = Whole(0x08, 0x77)
_SIDE = Whole(32, 1024)
_CAMERA_PINS = {name + "_pin": PinName() for name in ("vsync", "href", "pclk", "xclk", "sda", "scl")}
_CAMERA = Table(
    {
        "driver": Text(),
        "width": _SIDE,
        "height": _SIDE,
        "exposure": Whole(0, 1000000),
        "gain": Whole(0, 100),
    },
    {
        "pins": Table(
            dict(_CAMERA_PINS, data_pins=ListOf(PinName(), 8)),
            {"xclk_freq": Whole(1000000, 40000000)},
        )
    },
)
_SENSOR = Table({"driver": Text(), "bus": Text()}, {"address": _ADDRESS, "algorithm": Whole(1, 255)})
_ACCELEROMETER = Table(
    {"driver": Text(), "bus": Text(), "address": _ADDRESS, "tilt_deg": Whole(2, 45)},
    {"rest": ListOf(Whole(-1200, 1200), 3)},
)
_DRIVE = Table({"on_ms": Whole(1, 200), "period_ms": Whole(50, 2000)})
# Flash blocks that provisioning sets aside for the journal's ring; without them it is in files.
_JOURNAL_BLOCKS = Whole(48, 1024)
_WATCHDOG = Whole(_LEAST_WATCHDOG_MS, _MOST_WATCHDOG_MS)

_TIMES = {name: Whole(*bounds) for name, bounds in TIMES.items()}
_WIRED = [name for name in GATES + tuple(CHANNELS) if name != TILTED]
_INPUTS = Table(dict.fromkeys(_WIRED, _INPUT), {TILTED: _INPUT})
_OUTPUTS = dict.fromkeys(("drive", "cover-lock", "status"), _OUTPUT)
_LAMPS = dict.fromkeys(LAMPS, _OUTPUT)


def _bus(name):
    return _UART if name.startswith("uart") else _I2C


_SHAPES = {
    "virtual": Table(dict(_TIMES, watchdog_ms=_WATCHDOG), {"journal_blocks": _JOURNAL_BLOCKS}),
    "blinka": Table(
        dict(_TIMES, inputs=_INPUTS, outputs=Table(_OUTPUTS, _LAMPS), drive=_DRIVE),
        {
            "vibration": Table({"pin": PinName(), "full_scale_mg": Whole(100, 16000)}),
            "accelerometer": _ACCELEROMETER,
            "buses": Members(_bus),
        },
    ),
    "microcontroller": Table(
        dict(
            _TIMES,
            inputs=_INPUTS,
            outputs=Table(_OUTPUTS, _LAMPS),
            drive=_DRIVE,
            uart=_LINK,
            buses=Members(_bus),
            # Without it no die is known to rest.
            accelerometer=_ACCELEROMETER,
            watchdog_ms=_WATCHDOG,
        ),
        {"camera": _CAMERA, "sensor": _SENSOR, "journal_blocks": _JOURNAL_BLOCKS},
    ),
}
BACK_ENDS = tuple(sorted(_SHAPES))


def faults(back_end, hal):
    """Every fault of the section `hal` for one of BACK_ENDS, as a list of sentences; [] when it is sound."""
    found = _SHAPES[back_end].faults("hal", hal)
    if found or back_end == "virtual":
        return found
    found = _shared_pins(hal) + _shaking(hal)
    if hal["drive"]["on_ms"] * 2 > hal["drive"]["period_ms"]:
        found.append("hal.drive.on_ms is more than half of the period: the solenoid overheats")
    found += _places(hal)
    if back_end == "microcontroller":
        found += _eyes(hal)
        frame_ms = longest_frame(hal)
        if hal["watchdog_ms"] <= frame_ms:
            found.append("hal.watchdog_ms is not longer than a frame may take: %d ms" % frame_ms)
    return found


def longest_frame(hal):
    """How long a call for a frame may last, in ms: the last grab may begin just within the limit."""
    return hal["camera_limit_ms"] + CAMERA_BLOCKS_MS.get(hal.get("camera", {}).get("driver"), 0)


def _eyes(hal):
    if ("camera" in hal) == ("sensor" in hal):
        return ["hal needs a camera or a sensor to read the dice, and not both"]
    if "sensor" in hal:
        return []
    return ["missing key hal.outputs.%s" % lamp for lamp in LAMPS if lamp not in hal["outputs"]]


def _shaking(hal):
    """Vibration has one source, and tilt too: the accelerometer, or else a pin each."""
    found = []
    if ("accelerometer" in hal) == ("vibration" in hal):
        found.append("hal needs an accelerometer or a vibration sensor, and not both")
    if ("accelerometer" in hal) == (TILTED in hal["inputs"]):
        found.append("hal needs an accelerometer or hal.inputs.tilted to tell the tilt, and not both")
    return found


def _places(hal):
    """What is wrong with the buses and addresses of the devices."""
    found = []
    for device in ("accelerometer", "sensor"):
        settings = hal.get(device)
        if settings is None:
            continue
        bus = settings["bus"]
        if device == "accelerometer" and not bus.startswith("i2c"):
            found.append("hal.accelerometer.bus is not an I2C bus")
        if bus not in hal.get("buses", ()):
            found.append("hal.%s.bus: there is no %s in hal.buses" % (device, bus))
        if not bus.startswith("uart") and "address" not in settings:
            found.append("missing key hal.%s.address" % device)
    return found


def _shared_pins(hal):
    first = {}
    found = []
    for where, pin in sorted(_pins("hal", hal)):
        if pin in first:
            found.append("%s: pin %s is %s too" % (where, pin, first[pin]))
        first.setdefault(pin, where)
    return found


_PIN_KEYS = ("pin", "tx", "rx", "scl", "sda") + tuple(_CAMERA_PINS)


def _pins(where, table):
    """Every (path, pin as text) below `table`."""
    found = []
    for name, value in table.items():
        path = where + "." + name
        if isinstance(value, dict):
            found += _pins(path, value)
        elif name in _PIN_KEYS:
            found.append((path, str(value)))
        elif name == "data_pins":
            found += [(path, str(pin)) for pin in value]
    return found
