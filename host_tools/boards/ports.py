"""The serial ports of this computer: what is plugged in, which board that may be, what it says when asked."""

import contextlib
import json
from dataclasses import dataclass, replace

import serialx

from host_tools.boards.board import known_boards, load_board
from host_tools.boards.errors import BoardFileError

_ASK_S = 5
# Runs on whatever MicroPython answers; what it lacks is null.
_QUESTION = """
import json, sys
def _tried(get):
    try: return get()
    except Exception: return None
def _chip():
    import machine
    return "".join("%02x" % each for each in machine.unique_id())
def _firmware():
    sys.path.insert(0, "")
    import tumbler
    return tumbler.__version__
print(json.dumps({"unique_id": _tried(_chip), "firmware": _tried(_firmware)}))
"""


@dataclass(frozen=True)
class Port:
    """A serial port. `usb`: vendor and product like 2e8a:0005; `boards`: the known boards that show that.

    The rest is None until a board was asked: `machine` and `version` of its MicroPython, the chip's
    `unique_id`, the tumbler `firmware` on it; `trouble`: why it gave no answer.
    """

    device: str
    usb: str | None = None
    serial_number: str | None = None
    product: str | None = None
    boards: tuple[str, ...] = ()
    machine: str | None = None
    version: str | None = None
    unique_id: str | None = None
    firmware: str | None = None
    trouble: str | None = None


def present() -> list[Port]:
    """The ports that the operating system lists, without opening any."""
    by_usb = _boards_by_usb()
    found = []
    for info in serialx.list_serial_ports():
        known = info.vid is not None and info.pid is not None
        usb = f"{info.vid:04x}:{info.pid:04x}" if known else None
        boards = tuple(by_usb.get((info.vid, info.pid), ())) if known else ()
        found.append(Port(str(info.device), usb, info.serial_number, info.product, boards))
    return found


def ask(port: Port) -> Port:
    """The port with what its board says of itself, or with `trouble`.

    Interrupts a program that runs on the board, and resets the board afterwards so that it starts again.
    """
    from host_tools.bringup.errors import BringUpError  # noqa: PLC0415 - it needs this package
    from host_tools.bringup.remote import Remote  # noqa: PLC0415

    try:
        with Remote(port.device, wait_s=_ASK_S) as remote:
            interpreter = remote.enter()
            told = json.loads(remote.run(_QUESTION))
            remote.reset()
    except (BringUpError, ValueError) as error:
        return replace(port, trouble=str(error))
    return replace(
        port,
        boards=tuple(name for name in known_boards() if _is(name, interpreter.machine)),
        machine=interpreter.machine,
        version=".".join(str(number) for number in interpreter.version),
        unique_id=told.get("unique_id"),
        firmware=told.get("firmware"),
    )


def _boards_by_usb() -> dict[tuple[int | None, int | None], list[str]]:
    found: dict[tuple[int | None, int | None], list[str]] = {}
    for name in known_boards():
        with contextlib.suppress(BoardFileError):
            for usb in load_board(name).usb_ids:
                found.setdefault(usb, []).append(name)
    return found


def _is(name: str, machine: str) -> bool:
    with contextlib.suppress(BoardFileError):
        return load_board(name).is_machine(machine)
    return False
