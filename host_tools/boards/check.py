"""The checks of a board file against its hardware.json and the drivers: pins, functions, buses, timing.

Each expects values of the right type and passes over others: the device's own check reports those.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from host_tools.boards import schema
from host_tools.boards.located import Located
from host_tools.boards.shapes import Finding
from tumbler.hal.settings import CAMERA_BLOCKS_MS
from tumbler.reader import ProfileError, load_profile

# What the main loop may do in one turn beside waiting for a frame, all of which the watchdog must outlast:
# three littlefs block erases, up to 0.4 s each by data sheet, and the reader's work on a scene's last frame.
# That takes up to 1.5 us a pixel on a PC; MicroPython on an ESP32-S3 with its heap in PSRAM is estimated at
# most 100 times as slow, on OpenMV's N6 20 times.
_SLOWEST_FLASH_MS = 1200
_READ_US_A_PIXEL = {"esp32": 160, "openmv": 30}


@dataclass(frozen=True)
class Use:
    """A pin in use: its name as text, the path of the key that names it, that key's line, what it must do."""

    pin: str
    where: str
    line: int
    function: str


def uses(board: Located) -> list[Use]:
    """Every pin that the board.json names."""
    hal = board.get("hal")
    found: list[Use] = []

    def use(function: str, *path: str) -> None:
        pin = hal.get(*path) if hal else None
        if pin is not None and isinstance(pin.value, int | str) and not isinstance(pin.value, bool):
            found.append(Use(str(pin.value), ".".join(("hal", *path)), pin.line, function))

    uart = _number(board, "hal", "uart", "id")
    for end in ("tx", "rx"):
        use(f"uart{uart}-{end}", "uart", end)
    use("out", "uart", "direction", "pin")
    for name in _members(board, "hal", "inputs"):
        use("in", "inputs", name, "pin")
    for name in _members(board, "hal", "outputs"):
        use("out", "outputs", name, "pin")
    for name in _members(board, "hal", "buses"):
        for end in ("tx", "rx") if name.startswith("uart") else ("scl", "sda"):
            use(f"{name}-{end}", "buses", name, end)
    use("adc", "vibration", "pin")
    for line in schema.CAMERA_LINES:
        use("camera", "camera", "pins", f"{line}_pin")
    data = board.get("hal", "camera", "pins", "data_pins")
    for index, item in enumerate(data.items if data else ()):
        if isinstance(item.value, int | str) and not isinstance(item.value, bool):
            found.append(Use(str(item.value), f"hal.camera.pins.data_pins[{index}]", item.line, "camera"))
    return found


def board_findings(board: Located, hardware: Located, profiles: Path) -> Iterator[Finding]:
    """What is wrong between the values of a board.json, and between it and its hardware.json."""
    yield from _back_end(board, hardware)
    yield from _pins(board, hardware)
    yield from _buses(board)
    yield from _bauds(board)
    yield from _eyes(board, hardware)
    yield from _times(board, hardware)
    yield from _profile(board, profiles)


def _back_end(board: Located, hardware: Located) -> Iterator[Finding]:
    back_end, port = board.get("board"), hardware.get("port")
    if back_end is None or port is None or port.value not in schema.PORTS:
        return
    ports = schema.BACK_ENDS.get(str(back_end.value), schema.PORTS)
    if port.value not in ports:
        text = f"{back_end.value} runs on {', '.join(ports)}, but hardware.json says {port.value}"
        yield back_end.line, "board", text


def _pins(board: Located, hardware: Located) -> Iterator[Finding]:
    pins = hardware.get("pins")
    first: dict[str, Use] = {}
    for use in sorted(uses(board), key=lambda use: use.where):
        if use.pin in first:
            other = first[use.pin]
            yield use.line, use.where, f"pin {use.pin} is used by {other.where} too (line {other.line})"
        first.setdefault(use.pin, use)
        if pins is None:
            continue
        if use.pin not in pins.members:
            has = ", ".join(pins.members)
            yield use.line, use.where, f"the board has no usable pin {use.pin}: it has {has}"
        elif not _can(pins.members[use.pin], use.function):
            others = [name for name, pin in pins.members.items() if _can(pin, use.function)]
            better = f"pins that do: {', '.join(others)}" if others else "no pin of this board does"
            yield use.line, use.where, f"pin {use.pin} cannot be {use.function}; {better}"


def _can(pin: Located, function: str) -> bool:
    return any(item.value == function for item in pin.items)


def _buses(board: Located) -> Iterator[Finding]:
    buses = board.get("hal", "buses")
    link = board.get("hal", "uart", "id")
    takers = _takers(board)
    for name, bus in buses.members.items() if buses else ():
        where = f"hal.buses.{name}"
        number = bus.get("id")
        if number is not None and name[-1:] != str(number.value):
            yield number.line, f"{where}.id", f"is {number.value}, but the bus is called {name}"
        yield from _speed(bus, where, [taker for taken, _, taker in takers if taken.value == name], board)
        if link is not None and name == f"uart{link.value}":
            yield bus.line, where, f"UART {link.value} is the link to the host (line {link.line})"
        if not any(taken.value == name for taken, _, _ in takers):
            yield bus.line, where, "no device of this file is on this bus: remove it"
    seen: dict[tuple[str, str], tuple[str, int]] = {}
    for taken, address, where in takers:
        if buses is None or taken.value not in buses.members:
            yield taken.line, f"{where}.bus", f"there is no bus {taken.value} in hal.buses"
        i2c = taken.value.startswith("i2c")
        if i2c and address is None:
            yield taken.line, f"{where}.address", f"is missing: {taken.value} needs one"
        if not i2c and address is not None:
            yield address.line, f"{where}.address", f"has no meaning on {taken.value}"
        key = (taken.value, str(address.value) if address is not None else "")
        if key in seen:
            other, line = seen[key]
            yield taken.line, where, f"shares {taken.value} and its address with {other} (line {line})"
        seen[key] = (where, taken.line)


def _speed(bus: Located, where: str, devices: list[str], board: Located) -> Iterator[Finding]:
    """An I2C bus is as fast as the slowest device on it."""
    frequency = _number(bus, "freq")
    for device in devices:
        driver = board.get(*device.split("."), "driver")
        most = schema.FASTEST_I2C.get(str(driver.value)) if driver is not None else None
        if driver is not None and most is not None and frequency is not None and frequency > most:
            text = f"is {frequency}, but the {driver.value} of line {driver.line} takes at most {most}"
            yield _line(bus, "freq"), f"{where}.freq", text


def _bauds(board: Located) -> Iterator[Finding]:
    for path in ("uart", *(f"buses.{name}" for name in _members(board, "hal", "buses"))):
        baud = board.get("hal", *path.split("."), "baud")
        if baud is not None and baud.value not in schema.BAUDS:
            text = f"{baud.value!r} is not one of {', '.join(str(each) for each in schema.BAUDS)}"
            yield baud.line, f"hal.{path}.baud", text


def _takers(board: Located) -> list[tuple[Located, Located | None, str]]:
    """The devices on buses: the name of the bus, the address and the path of the device."""
    found = []
    for name in ("accelerometer", "sensor"):
        bus = board.get("hal", name, "bus")
        if bus is not None and isinstance(bus.value, str):
            found.append((bus, board.get("hal", name, "address"), f"hal.{name}"))
    return found


def _eyes(board: Located, hardware: Located) -> Iterator[Finding]:
    """A camera or a smart sensor, never both; what each needs."""
    hal, profile = board.get("hal"), board.get("profile")
    if hal is None:
        return
    camera, sensor = hal.get("camera"), hal.get("sensor")
    if camera is not None and sensor is not None:
        yield sensor.line, "hal", f"the camera of line {camera.line} reads the dice: keep it or this sensor"
    if profile is not None and sensor is not None and camera is None and profile.value is not None:
        yield profile.line, "profile", "is for a camera's reader: null with a smart sensor"
    if profile is not None and sensor is None and profile.value is None:
        yield profile.line, "profile", "is null, but frames are read: name a file of firmware/profiles"
    yield from _camera(hal, hardware)
    yield from _sensor(hal)
    yield from _driver(hal, "accelerometer", schema.ACCELEROMETERS)
    frames = camera is not None or (profile is not None and profile.value is not None)
    yield from _lamps(hal, needed=frames and sensor is None, useless=sensor is not None)


def _driver(hal: Located, device: str, known: Iterable[str]) -> Iterator[Finding]:
    driver = hal.get(device, "driver")
    if driver is not None and str(driver.value) not in known:
        text = f"{driver.value!r} is no driver of the firmware: known are {', '.join(known)}"
        yield driver.line, f"hal.{device}.driver", text


def _camera(hal: Located, hardware: Located) -> Iterator[Finding]:
    yield from _driver(hal, "camera", schema.CAMERAS)
    driver, capabilities = hal.get("camera", "driver"), hardware.get("capabilities")
    has = [item.value for item in capabilities.items] if capabilities is not None else []
    for needed in schema.CAMERAS.get(str(driver.value), ()) if driver is not None else ():
        if driver is not None and needed not in has:
            text = f"{driver.value} needs {needed} ({schema.CAPABILITIES[needed]}): this board lacks it"
            yield driver.line, "hal.camera.driver", text
    width, height = hal.get("camera", "width"), hal.get("camera", "height")
    if width is not None and height is not None and (width.value, height.value) not in schema.CAMERA_SIZES:
        sizes = ", ".join(f"{w} x {h}" for w, h in schema.CAMERA_SIZES)
        yield width.line, "hal.camera.width", f"{width.value!r} x {height.value!r} is not one of {sizes}"


def _sensor(hal: Located) -> Iterator[Finding]:
    yield from _driver(hal, "sensor", schema.SENSORS)
    driver, bus, algorithm = (hal.get("sensor", name) for name in ("driver", "bus", "algorithm"))
    if driver is None:
        return
    speaks = schema.SENSORS.get(str(driver.value))
    if speaks and bus is not None and isinstance(bus.value, str) and not bus.value.startswith(speaks):
        yield bus.line, "hal.sensor.bus", f"{driver.value} speaks {' and '.join(speaks)}, not {bus.value}"
    if (driver.value == schema.TAUGHT) != (algorithm is not None):
        text = "is missing: {} needs it" if algorithm is None else "means nothing to {}"
        yield (algorithm or driver).line, "hal.sensor.algorithm", text.format(driver.value)


def _lamps(hal: Located, needed: bool, useless: bool) -> Iterator[Finding]:
    outputs = hal.get("outputs")
    if outputs is None or not isinstance(outputs.value, dict):
        return
    for name in schema.LAMPS:
        lamp = outputs.get(name)
        if needed and lamp is None:
            yield outputs.line, f"hal.outputs.{name}", "is missing: the reader needs four lamps"
        if useless and lamp is not None:
            yield lamp.line, f"hal.outputs.{name}", "lights nothing: a smart sensor has its own light"


def _times(board: Located, hardware: Located) -> Iterator[Finding]:
    on, period = _number(board, "hal", "drive", "on_ms"), _number(board, "hal", "drive", "period_ms")
    strokes, gap = _number(board, "limits", "drive_strokes"), _number(board, "limits", "stroke_gap_ms")
    limit = _number(board, "hal", "drive_limit_ms")
    if on is not None and period is not None and on * 2 > period:
        text = f"is {on}: at most half of the period of {period} ms, or the solenoid overheats"
        yield _line(board, "hal", "drive", "on_ms"), "hal.drive.on_ms", text
    if period and strokes and limit and period * strokes > limit:
        text = f"is {limit}, but {strokes} strokes of {period} ms take {period * strokes} ms"
        yield _line(board, "hal", "drive_limit_ms"), "hal.drive_limit_ms", text
    if period and gap and gap <= period:
        text = f"is {gap}: it must be longer than the drive's period of {period} ms"
        yield _line(board, "limits", "stroke_gap_ms"), "limits.stroke_gap_ms", text
    yield from _watchdog(board, hardware)


def _watchdog(board: Located, hardware: Located) -> Iterator[Finding]:
    watchdog, most = _number(board, "hal", "watchdog_ms"), _number(hardware, "watchdog_max_ms")
    if watchdog is None:
        return
    line = _line(board, "hal", "watchdog_ms")
    if most is not None and watchdog > most:
        yield line, "hal.watchdog_ms", f"is {watchdog}, but this board's watchdog reaches {most} ms only"
    least = _SLOWEST_FLASH_MS + _longest_frame(board) + _longest_read(board, hardware)
    if watchdog <= least:
        text = f"is {watchdog}: a turn with a frame, the reader's work and flash writes may take {least} ms"
        yield line, "hal.watchdog_ms", text


def _longest_frame(board: Located) -> int:
    """How long a call for a frame may last, in ms; 0 where a sensor module reads the dice."""
    driver = board.get("hal", "camera", "driver")
    if driver is None:
        return 0
    blocks = CAMERA_BLOCKS_MS.get(str(driver.value), 0)
    return (_number(board, "hal", "camera_limit_ms") or 0) + blocks


def _longest_read(board: Located, hardware: Located) -> int:
    """How long the reader may work on a scene's last frame, in ms."""
    width, height = _number(board, "hal", "camera", "width"), _number(board, "hal", "camera", "height")
    port = hardware.get("port")
    rate = _READ_US_A_PIXEL.get(str(port.value), 0) if port is not None else 0
    return (width or 0) * (height or 0) * rate // 1000


def _profile(board: Located, profiles: Path) -> Iterator[Finding]:
    profile = board.get("profile")
    if profile is None or not isinstance(profile.value, str):
        return
    path = profiles / profile.value
    if "/" in profile.value or "\\" in profile.value or "\0" in profile.value or not path.is_file():
        known = ", ".join(sorted(file.name for file in profiles.glob("*.json")))
        yield profile.line, "profile", f"there is no {profile.value!r} in firmware/profiles, only {known}"
        return
    try:
        read = load_profile(str(path))
    except ProfileError as error:
        yield profile.line, "profile", f"cannot be used: {error}"
        return
    width, height = _number(board, "hal", "camera", "width"), _number(board, "hal", "camera", "height")
    if None not in (width, height) and (width, height) != (read.width, read.height):
        text = f"is for {read.width} x {read.height} pixels, but the camera gives {width} x {height}"
        yield profile.line, "profile", text


def hardware_findings(board: Located, hardware: Located) -> Iterator[Finding]:
    """What a hardware.json has wrong beyond its shape: parts that do not fit what board.json wires."""
    wired = wired_parts(board)
    supplied: set[str] = set()
    bom = hardware.get("bom")
    for index, part in enumerate(bom.items if bom else ()):
        serves = part.get("for")
        for item in serves.items if serves else ():
            if isinstance(item.value, str):
                supplied.add(item.value)
                if item.value not in wired:
                    yield item.line, f"bom[{index}].for", f"board.json has no {item.value}"
        alike = len(serves.items) if serves else 0
        count = _number(part, "count")
        if alike and count is not None and count % alike:
            yield _line(part, "count"), f"bom[{index}].count", f"{count} parts for {alike} things"
    if bom is not None and isinstance(bom.value, list) and bom.items:
        for name in wired:
            if name not in supplied:
                yield bom.line, "bom", f"no part is for {name}"


def wired_parts(board: Located) -> list[str]:
    """What of the board.json needs parts, named as the bill of materials names it."""
    found = [f"inputs.{name}" for name in _members(board, "hal", "inputs")]
    found += [f"outputs.{name}" for name in _members(board, "hal", "outputs")]
    found += [
        name
        for name in ("uart", "accelerometer", "vibration", "camera", "sensor")
        if board.get("hal", name) is not None
    ]
    return found


def _members(board: Located, *path: str) -> list[str]:
    found = board.get(*path)
    return list(found.members) if found else []


def _number(found: Located, *path: str) -> int | None:
    value = found.get(*path)
    return value.value if value is not None and type(value.value) is int else None


def _line(found: Located, *path: str) -> int:
    value = found.get(*path)
    return value.line if value is not None else found.line
