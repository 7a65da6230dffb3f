"""The checks of a board file that need more than one value: pins and functions, buses, drivers, timing.

Each check expects values of the right shape and passes over those that are not: the shapes report them.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from host_tools.boards import schema
from host_tools.boards.located import Located
from host_tools.boards.shapes import Finding
from tumbler import config
from tumbler.reader import ProfileError, load_profile

# A littlefs block erase takes up to 0.4 s by data sheet; the watchdog must outlast three of them.
_SLOWEST_FLASH_MS = 1200


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
    for name in _members(board, "hal", "inputs"):
        use("in", "inputs", name, "pin")
    for name in _members(board, "hal", "outputs"):
        use("out", "outputs", name, "pin")
    for name in _members(board, "hal", "buses"):
        for end in ("tx", "rx") if name.startswith("uart") else ("scl", "sda"):
            use(f"{name}-{end}", "buses", name, end)
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
    yield from _eyes(board, hardware)
    yield from _tilt(board)
    yield from _times(board, hardware)
    yield from _limits(board)
    yield from _profile(board, profiles)


def _back_end(board: Located, hardware: Located) -> Iterator[Finding]:
    back_end, port = board.get("board"), hardware.get("port")
    if back_end is None or port is None or back_end.value not in schema.BACK_ENDS:
        return
    ports = schema.BACK_ENDS[back_end.value]
    if port.value in schema.PORTS and port.value not in ports:
        runs = ", ".join(ports)
        yield back_end.line, "board", f"{back_end.value} runs on {runs}, but hardware.json says {port.value}"


def _pins(board: Located, hardware: Located) -> Iterator[Finding]:
    pins = hardware.get("pins")
    first: dict[str, Use] = {}
    for use in uses(board):
        if use.pin in first:
            other = first[use.pin]
            yield use.line, use.where, f"pin {use.pin} is used by {other.where} too (line {other.line})"
        first.setdefault(use.pin, use)
        if pins is None:
            continue
        if use.pin not in pins.members:
            has = ", ".join(pins.members)
            yield use.line, use.where, f"the board has no usable pin {use.pin}: it has {has}"
        else:
            can = pins.members[use.pin].value
            if isinstance(can, list) and use.function not in can:
                others = [name for name, pin in pins.members.items() if use.function in pin.value]
                better = f"pins that do: {', '.join(others)}" if others else "no pin of this board does"
                yield use.line, use.where, f"pin {use.pin} cannot be {use.function}; {better}"


def _buses(board: Located) -> Iterator[Finding]:
    buses = board.get("hal", "buses")
    link = board.get("hal", "uart", "id")
    takers = _takers(board)
    for name, bus in buses.members.items() if buses else ():
        where = f"hal.buses.{name}"
        number = bus.get("id")
        if number is not None and name[-1:] != str(number.value):
            yield number.line, f"{where}.id", f"is {number.value}, but the bus is called {name}"
        if link is not None and name == f"uart{link.value}":
            yield bus.line, where, f"UART {link.value} is the link to the host (line {link.line})"
        if not any(taken.value == name for taken, _, _ in takers):
            yield bus.line, where, "no device of this file is on this bus: remove it"
    seen: dict[tuple[object, object], tuple[str, int]] = {}
    for taken, address, where in takers:
        if not isinstance(taken.value, str):
            continue
        if buses is None or taken.value not in buses.members:
            yield taken.line, f"{where}.bus", f"there is no bus {taken.value} in hal.buses"
        i2c = taken.value.startswith("i2c")
        if i2c and address is None:
            yield taken.line, f"{where}.address", f"is missing: {taken.value} needs one"
        if not i2c and address is not None:
            yield address.line, f"{where}.address", f"has no meaning on {taken.value}"
        key = (taken.value, address.value if i2c and address is not None else None)
        if key in seen and isinstance(key[1], int | None):
            other, line = seen[key]
            yield taken.line, where, f"shares {taken.value} and its address with {other} (line {line})"
        seen[key] = (where, taken.line)


def _takers(board: Located) -> list[tuple[Located, Located | None, str]]:
    """The devices on buses: the name of the bus, the address and the path of the device."""
    found = []
    for name in ("accelerometer", "sensor"):
        bus = board.get("hal", name, "bus")
        if bus is not None and not isinstance(bus.value, list | dict):
            found.append((bus, board.get("hal", name, "address"), f"hal.{name}"))
    return found


def _eyes(board: Located, hardware: Located) -> Iterator[Finding]:
    """A camera or a smart sensor, never both; what each needs."""
    hal = board.get("hal")
    if hal is None or not isinstance(hal.value, dict):
        return
    camera, sensor, profile = hal.get("camera"), hal.get("sensor"), board.get("profile")
    wired = board.get("board") is not None and board.value["board"] == "microcontroller"
    if camera is not None and sensor is not None:
        yield sensor.line, "hal.sensor", f"a camera reads the dice (line {camera.line}): keep one of them"
    if wired and camera is None and sensor is None:
        yield hal.line, "hal", "nothing reads the dice: add camera or sensor"
    if profile is not None:
        if sensor is not None and camera is None and profile.value is not None:
            yield profile.line, "profile", "is for a camera's reader: null with a smart sensor"
        if sensor is None and profile.value is None:
            yield profile.line, "profile", "is null, but frames are read: name a file of firmware/profiles"
    yield from _driver(hal, hardware)
    yield from _lamps(hal, needed=sensor is None)


def _driver(hal: Located, hardware: Located) -> Iterator[Finding]:
    driver = hal.get("camera", "driver")
    capabilities = hardware.get("capabilities")
    if driver is not None and capabilities is not None and isinstance(capabilities.value, list):
        for needed in schema.CAMERAS.get(str(driver.value), ()):
            if needed not in capabilities.value:
                text = f"{driver.value} needs {needed} ({schema.CAPABILITIES[needed]}): this board lacks it"
                yield driver.line, "hal.camera.driver", text
    sensor, bus = hal.get("sensor", "driver"), hal.get("sensor", "bus")
    if sensor is not None and bus is not None and isinstance(bus.value, str):
        speaks = schema.SENSORS.get(str(sensor.value))
        if speaks and not bus.value.startswith(speaks):
            yield bus.line, "hal.sensor.bus", f"{sensor.value} speaks {' and '.join(speaks)}, not {bus.value}"
    algorithm = hal.get("sensor", "algorithm")
    if sensor is not None and (sensor.value == schema.TAUGHT) != (algorithm is not None):
        text = (
            f"is missing: {sensor.value} needs it"
            if algorithm is None
            else f"means nothing to {sensor.value}"
        )
        yield (algorithm or sensor).line, "hal.sensor.algorithm", text


def _lamps(hal: Located, needed: bool) -> Iterator[Finding]:
    outputs = hal.get("outputs")
    if outputs is None or not isinstance(outputs.value, dict):
        return
    for name in schema.LAMPS:
        lamp = outputs.members.get(name)
        if needed and lamp is None:
            yield outputs.line, f"hal.outputs.{name}", "is missing: the reader needs four lamps"
        if not needed and lamp is not None:
            yield lamp.line, f"hal.outputs.{name}", "lights nothing: a smart sensor has its own light"


def _tilt(board: Located) -> Iterator[Finding]:
    inputs = board.get("hal", "inputs")
    if inputs is None or not isinstance(inputs.value, dict):
        return
    accelerometer, tilted = board.get("hal", "accelerometer"), inputs.get(schema.TILTED)
    if accelerometer is None and tilted is None:
        yield inputs.line, "hal.inputs.tilted", "is missing, and no accelerometer measures tilt: add either"
    if accelerometer is not None and tilted is not None:
        text = f"the accelerometer gives the tilt (line {accelerometer.line}): remove one of them"
        yield tilted.line, "hal.inputs.tilted", text


def _times(board: Located, hardware: Located) -> Iterator[Finding]:
    on, period = _number(board, "hal", "drive", "on_ms"), _number(board, "hal", "drive", "period_ms")
    strokes, gap = _number(board, "limits", "drive_strokes"), _number(board, "limits", "stroke_gap_ms")
    limit, camera = _number(board, "hal", "drive_limit_ms"), _number(board, "hal", "camera_limit_ms")
    if on is not None and period is not None and on * 2 > period:
        text = f"is {on}: at most half of the period of {period} ms, or the solenoid overheats"
        yield _line(board, "hal", "drive", "on_ms"), "hal.drive.on_ms", text
    if period and strokes and limit and period * strokes > limit:
        text = f"is {limit}, but {strokes} strokes of {period} ms take {period * strokes} ms"
        yield _line(board, "hal", "drive_limit_ms"), "hal.drive_limit_ms", text
    if period and gap and gap <= period:
        text = f"is {gap}: it must be longer than the drive's period of {period} ms"
        yield _line(board, "limits", "stroke_gap_ms"), "limits.stroke_gap_ms", text
    yield from _watchdog(board, hardware, camera)


def _watchdog(board: Located, hardware: Located, camera: int | None) -> Iterator[Finding]:
    watchdog, most = _number(board, "hal", "watchdog_ms"), _number(hardware, "watchdog_max_ms")
    if watchdog is None:
        return
    line = _line(board, "hal", "watchdog_ms")
    if most is not None and watchdog > most:
        yield line, "hal.watchdog_ms", f"is {watchdog}, but this board's watchdog reaches {most} ms only"
    least = max(_SLOWEST_FLASH_MS, camera or 0)
    if watchdog <= least:
        yield line, "hal.watchdog_ms", f"is {watchdog}: a flash write or a frame may take {least} ms"


def _limits(board: Located) -> Iterator[Finding]:
    """What the firmware itself refuses beyond single values: asked of the firmware's own check."""
    limits = board.get("limits")
    if limits is None or not isinstance(limits.value, dict):
        return
    if any(True for _ in schema.LIMITS.faults(limits, "limits")):
        return
    least = {name: bounds[0] for name, bounds in config.HAL.items()}
    sound = {"board": "virtual", "profile": "any.json", "hal": least, "limits": limits.value}
    try:
        config.parse(json.dumps(sound).encode())
    except config.ConfigError as error:
        yield limits.line, "limits", str(error).partition(": ")[2].removeprefix("limits: ")


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
    found += [name for name in ("uart", "accelerometer", "camera", "sensor") if board.get("hal", name)]
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
