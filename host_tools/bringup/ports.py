"""Which serial port has the board's REPL: the one named, or the only one that shows the board's USB ids."""

from collections.abc import Callable, Iterable
from typing import Protocol

from serial.tools.list_ports import comports

from host_tools.boards import Board
from host_tools.bringup.errors import Unsuitable


class Port(Protocol):
    """A serial port as pyserial lists it."""

    device: str
    vid: int | None
    pid: int | None
    description: str


def choose_port(board: Board, named: str | None, list_ports: Callable[[], Iterable[Port]] = comports) -> str:
    """The path or URL of the board's REPL. Raises Unsuitable when none is there, or more than one."""
    if named is not None:
        return named
    if not board.usb_ids:
        raise Unsuitable(f"{board.name} shows no USB ids: name its REPL with --port")
    found = sorted((port for port in list_ports() if (port.vid, port.pid) in board.usb_ids), key=_device)
    if not found:
        raise Unsuitable(
            f"no {board.title} is connected: plug it in with a data cable, or name its port with --port"
        )
    if len(found) > 1:
        listed = "".join(f"\n  {port.device}  {port.description}" for port in found)
        raise Unsuitable(f"{len(found)} boards are connected: choose one with --port{listed}")
    return found[0].device


def _device(port: Port) -> str:
    return port.device
