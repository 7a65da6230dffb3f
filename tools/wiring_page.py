"""A board's wiring page and diagram, drawn from its pin map so that they cannot say anything else."""

from dataclasses import dataclass
from html import escape

from host_tools.boards import Board

_CONTACT = "contact to ground with 10 kΩ to 3.3 V; from there 1 kΩ to the pin, 100 nF from pin to ground"
_SWITCH = "100 Ω to the gate of a MOSFET, 10 kΩ from gate to ground, source to power ground"
_COIL = f"{_SWITCH}; {{}} between 12 V and the drain, a diode across it with its ring to 12 V"
_LAMP = f"{_SWITCH}; white LED, cathode to the drain, anode by 100 Ω to 5 V"
_GATE = "output of the inverter, whose input is the phototransistor's collector with 4.7 kΩ to 3.3 V"
# line: (what it means when true or on, what to connect)
_LINES = {
    "inputs.stroke-gate": ("the vane is in the lower light gate", _GATE),
    "inputs.stroke-top": ("the vane is in the upper light gate", _GATE),
    "inputs.cover-closed": ("the cover is closed", _CONTACT),
    "inputs.cover-open": ("the cover is open", _CONTACT),
    "inputs.dome-closed": ("the dome is on its seat", _CONTACT),
    "inputs.dome-intact": ("the loop on the dome's glass is whole", f"the loop as a {_CONTACT}"),
    "inputs.door-closed": ("the service door is closed", _CONTACT),
    "inputs.tilted": ("the tumbler is tilted", f"tilt switch that opens when tilted, as a {_CONTACT}"),
    "outputs.drive": (
        "the solenoid pushes the platform",
        _COIL.format("the solenoid with its resettable fuse"),
    ),
    "outputs.cover-lock": ("the lock lets the cover open", _COIL.format("the lock")),
    "outputs.status": ("the status light is on", "LED with 680 Ω"),
} | {f"outputs.lamp{n}": (f"lamp {n} is on", _LAMP) for n in range(4)}
_ENDS = {
    "uart.tx": ("link", "to RX of the isolated interface"),
    "uart.rx": ("link", "to TX of the isolated interface"),
    "tx": ("bus", "to RX of the module"),
    "rx": ("bus", "to TX of the module"),
    "scl": ("bus", "to SCL of each device, one pull-up to 3.3 V for the bus"),
    "sda": ("bus", "to SDA of each device, one pull-up to 3.3 V for the bus"),
}
# What every build with these pins needs to know before power is applied.
_SAFETY = (
    "12 V feeds the two coils and the converter, nothing else: no pin of the board ever sees it.",
    "5 V feeds {five}. No pin takes more than {volts:g} V: before a module that runs on 5 V is connected,"
    " measure its signals against ground; above {volts:g} V they need a level shifter.",
    "{volts:g} V comes from the board and feeds the light gates, the pull-ups and the accelerometer.",
    "All grounds are one, joined at the converter and nowhere else. The coils' current returns to it by "
    "its own wire (*power ground*), never through the board or the sensors' ground.",
    "The diode across a coil is fitted before the coil is ever switched: without it the first pulse "
    "destroys the MOSFET, and a reversed one is a short circuit. The ring (cathode) is at 12 V.",
    "The 10 kΩ from gate to ground keep every load off while the board starts, resets or is not plugged "
    "in: they belong at the MOSFET, not at the board. Check without the coils that each gate is at 0 V "
    "with the board held in reset.",
    "A broken wire of a contact reads as open, not closed, not intact; a short to ground does not. The "
    "two wires of the dome's loop therefore run apart from each other and from every ground, up to the "
    "glass.",
)
# Devices that learn the dice: what to teach them.
_TEACHING = (
    "Teach the module **exactly seven classes, in this order**: IDs 1 to 6 are the faces 1 to 6 seen from"
    " above, ID 7 is a die that does not lie flat (on an edge, on another die, against the wall). With "
    "another number of classes every reading ends as a sensor fault, `has learned N of 7 classes`: with "
    "fewer, the module would call a die by the nearest class it has. The order cannot be checked by the "
    "firmware: show each face of each die after teaching and compare, and do so again after every change "
    "of dice, light or module."
)


class Line:
    """One wire: its pin and name, what true or on means, the level for it, the pull, what to connect."""

    def __init__(self, board: Board, pin: str, where: str) -> None:
        path = where.split(".")[1:]
        self.pin = board.hardware.get("pin_prefix", "") + pin
        self.level = self.pull = ""
        self.output = path[0] == "outputs"
        if path[0] in ("inputs", "outputs"):
            self.name = path[1]
            self.means, self.connect = _LINES[".".join(path[:2])]
            wired = board.settings["hal"][path[0]][path[1]]
            self.level = wired["active"]
            self.pull = wired.get("pull", "")
            if self.name == "status":
                to = "ground" if self.level == "high" else "3.3 V"
                self.connect = "on the board" if pin.startswith("LED") else f"{self.connect} to {to}"
        elif path[0] == "vibration":
            scale = board.settings["hal"]["vibration"]["full_scale_mg"]
            self.name, self.means = "vibration", f"analogue, {scale} mg at full scale"
            self.connect = "vibration sensor's analogue output, 0 V to the converter's reference"
        elif path[0] == "uart":
            self.name = f"link {path[1].upper()}"
            self.means, self.connect = f"UART {board.settings['hal']['uart']['id']}", _ENDS[".".join(path)][1]
        elif path[0] == "buses":
            self.name = f"{path[1]} {path[2].upper()}"
            self.means, self.connect = _taken_by(board, path[1]), _ENDS[path[2]][1]
        else:
            self.name = f"camera {_camera_line(path[2])}"
            self.means, self.connect = "camera", f"{_camera_line(path[2])} of the OV2640 module"


def _camera_line(name: str) -> str:
    if name.startswith("data_pins["):
        return f"D{name[10:-1]}"
    return name.removesuffix("_pin").upper()


def _taken_by(board: Board, bus: str) -> str:
    hal = board.settings["hal"]
    devices = []
    for name in ("accelerometer", "sensor"):
        if hal.get(name, {}).get("bus") == bus:
            address = hal[name].get("address")
            devices.append(hal[name]["driver"] + (f" at 0x{address:02x}" if address else ""))
    return ", ".join(devices)


def lines(board: Board) -> list[Line]:
    return [Line(board, use.pin, use.where) for use in board.uses]


# --- the page


def page(board: Board) -> str:
    """README.md of the board's folder."""
    parts = [
        f"# {board.title}\n",
        "Made by tools/generate_boards.py from board.json and hardware.json: change those.\n",
    ]
    if board.uses:
        parts += ["## Wiring\n", "![The wiring](wiring.svg)\n", _pin_table(board)]
        parts += [_safety(board), _teaching(board)]
    parts += [_parts(board), _image(board), _facts(board)]
    if board.hardware["notes"]:
        parts += ["## Notes\n", "\n".join(f"- {note}" for note in board.hardware["notes"]) + "\n"]
    return "\n".join(part for part in parts if part)


def _pin_table(board: Board) -> str:
    volts = board.hardware["logic_mv"] / 1000
    rows = [
        f"Signals are {volts:g} V. A *level* is the one that a true channel or an output that is on has."
        f"{_pin_words(board)}\n",
        "| pin | line | true or on means | level | pull | connect |",
        "|---|---|---|---|---|---|",
    ]
    rows += [
        f"| {line.pin} | {line.name} | {line.means} | {line.level} | {line.pull} | {line.connect} |"
        for line in lines(board)
    ]
    return "\n".join(rows) + "\n"


def _pin_words(board: Board) -> str:
    """What the pins' names are, where a plain number could be taken for another."""
    prefix = board.hardware.get("pin_prefix")
    if not prefix:
        return ""
    return f" {prefix}0 and the like are the chip's own names: a header counts its pins otherwise."


def _safety(board: Board) -> str:
    if not any(line.name == "drive" for line in lines(board)) or not board.hardware["bom"]:
        return ""
    lamps = any(line.name.startswith("lamp") for line in lines(board))
    module = "sensor" in board.settings["hal"]
    five = ", ".join(["the board"] + ["the lamps"] * lamps + ["the sensor module"] * module)
    told = [each.format(five=five, volts=board.hardware["logic_mv"] / 1000) for each in _SAFETY]
    return "\n".join(["## Before power is applied\n", *(f"- {each}" for each in told)]) + "\n"


def _teaching(board: Board) -> str:
    taught = board.settings["hal"].get("sensor", {}).get("driver", "").startswith("huskylens")
    return f"## Teaching the sensor module\n\n{_TEACHING}\n" if taught else ""


def _parts(board: Board) -> str:
    if not board.hardware["bom"]:
        return ""
    rows = ["## Parts\n", "| count | part | for | note |", "|---|---|---|---|"]
    for part in board.hardware["bom"]:
        serves = ", ".join(name.split(".")[-1] for name in part.get("for", ()))
        rows.append(f"| {part['count']} | {part['part']} | {serves} | {part['note']} |")
    return "\n".join(rows) + "\n"


def _image(board: Board) -> str:
    fits = board.hardware["micropython"]
    if not fits:
        return ""
    steps = "\n".join(f"{n}. {_step(step)}" for n, step in enumerate(fits["install"], 1))
    text = f"## MicroPython\n\n{fits['image']}.\n\n{steps}\n"
    if board.port != "unix":
        text += (
            "\nThen the tumbler's firmware, which is safe to repeat:\n\n"
            f"```\ntumbler board check {board.name}\ntumbler flash --board {board.name}\n```\n"
        )
    return text


def _step(step: str) -> str:
    """A step that is a command is set as one."""
    program = step.split(" ", 1)[0]
    return f"`{step}`" if program in ("esptool", "mpremote", "tumbler") else step


def _facts(board: Board) -> str:
    hardware = board.hardware
    facts = {
        "port": hardware["port"],
        "oldest MicroPython": hardware["micropython"] and hardware["micropython"]["minimum"],
        "says of itself": " or ".join(f"`{name}`" for name in board.board_ids),
        "code": hardware["micropython"] and (hardware["mpy_arch"] or "bytecode only"),
        "heap": hardware["heap_kb"] and f"{hardware['heap_kb']} KB",
        "can": ", ".join(hardware["capabilities"]),
        "USB": hardware["usb"] and ", ".join(hardware["usb"]["ids"]),
        "type checks against": hardware["stubs"] and f"`{hardware['stubs']}`",
    }
    storage = hardware["storage"]
    if storage:
        facts["journal and keys"] = (
            f"{storage['filesystem']} at `{storage['mount']}`: {storage['size_kb']} KB of flash "
            f"from {storage['start_kb']} KB on, blocks of {storage['block_bytes']} bytes"
        )
        blocks = board.settings["hal"].get("journal_blocks")
        facts["journal"] = f"a ring of {blocks} of these blocks" if blocks else "in files of the volume"
    rows = ["## Facts\n", "| what | value |", "|---|---|"]
    rows += [f"| {name} | {value} |" for name, value in facts.items() if value]
    return "\n".join(rows) + "\n"


# --- the diagram

_ROW, _TOP, _EDGE, _BOX, _BODY = 26, 70, 20, 250, 190
_WIRE = 90


@dataclass(frozen=True)
class Side:
    """Where a side's things are, in x: the parts' boxes, the parts' ends of the wires, the board's edge."""

    box: int
    part: int
    pin: int
    anchor: str


_LEFT = Side(_EDGE, _EDGE + _BOX, _EDGE + _BOX + _WIRE, "start")
_RIGHT = Side(_LEFT.pin + _BODY + _WIRE, _LEFT.pin + _BODY + _WIRE, _LEFT.pin + _BODY, "end")
_STYLE = (
    "text{font:13px sans-serif;fill:#222}.pin{font-weight:bold}.small{font-size:11px;fill:#555}"
    ".part{fill:#f4f1e8;stroke:#8a7a50}.board{fill:#e3ecf4;stroke:#3a5a78}"
    ".in{stroke:#2a6a3a}.out{stroke:#a03a2a}.bus{stroke:#3a4aa0}line{stroke-width:2}"
)


def diagram(board: Board) -> str:
    """wiring.svg: inputs and buses left of the board, outputs and the camera right of it."""
    wires = lines(board)
    left = [line for line in wires if not line.output and not line.name.startswith("camera ")]
    right = [line for line in wires if line not in left]
    height = _TOP + _ROW * max(len(left), len(right)) + 50
    width = 2 * (_EDGE + _BOX + _WIRE) + _BODY
    body = _LEFT.pin
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="Wiring of {escape(board.title)}">',
        f"<style>{_STYLE}</style>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text x="{width // 2}" y="28" text-anchor="middle" class="pin">{escape(board.title)}</text>',
        f'<rect class="board" x="{body}" y="{_TOP - 22}" width="{_BODY}" height="{height - _TOP}" rx="8"/>',
    ]
    for row, line in enumerate(left):
        drawn += _wire(line, _TOP + row * _ROW, _LEFT)
    for row, line in enumerate(right):
        drawn += _wire(line, _TOP + row * _ROW, _RIGHT)
    volts = f"{board.hardware['logic_mv'] / 1000:g} V signals; 12 V for the coils only, "
    foot = volts + "each with a diode across it, ring to 12 V; grounds joined at the converter"
    drawn.append(f'<text x="{width // 2}" y="{height - 8}" text-anchor="middle" class="small">{foot}</text>')
    return "\n".join([*drawn, "</svg>"]) + "\n"


def _wire(line: Line, y: int, side: Side) -> list[str]:
    """A part's box, its wire to the board's edge, and the pin's name inside the board."""
    kind = "out" if line.output else "in" if line.level else "bus"
    inside = side.pin + (8 if side is _LEFT else -8)
    level = f"{line.level} = on" if line.output else f"{line.level} = true" if line.level else ""
    middle, base, end = (side.part + side.pin) // 2, y + 4, side.box + _BOX - 8
    return [
        f'<rect class="part" x="{side.box}" y="{y - 11}" width="{_BOX}" height="22" rx="4"/>',
        f'<text x="{side.box + 8}" y="{base}">{escape(line.name)}</text>',
        f'<text x="{end}" y="{base}" text-anchor="end" class="small">{escape(_short(line))}</text>',
        f'<line class="{kind}" x1="{side.part}" y1="{y}" x2="{side.pin}" y2="{y}"/>',
        f'<text x="{middle}" y="{y - 3}" text-anchor="middle" class="small">{level}</text>',
        f'<text x="{inside}" y="{base}" text-anchor="{side.anchor}" class="pin">{escape(line.pin)}</text>',
    ]


def _short(line: Line) -> str:
    """What is at the other end, in few words."""
    if line.name.startswith("stroke"):
        return "light gate, inverter"
    if line.connect.startswith(_SWITCH):
        return {"drive": "MOSFET, diode, solenoid 12 V", "cover-lock": "MOSFET, diode, lock 12 V"}.get(
            line.name, "MOSFET, LED 5 V"
        )
    if line.name == "status":
        return line.connect
    if line.level:
        return {"dome-intact": "loop to ground", "tilted": "tilt switch to ground"}.get(
            line.name, "contact to ground"
        )
    return line.means
