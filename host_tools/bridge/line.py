"""A table's line: opened on whichever port the device answers, in the way that its board bears."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from host_tools.boards import load_board
from host_tools.link import OpenPolicy, SerialTransport, open_by_identity


def line_to(
    device: bytes, ports: Sequence[str], board: str, baudrate: int = 115200
) -> Callable[[], Awaitable[SerialTransport]]:
    """What opens the line to a device (id of 8 bytes) for a session, as often as it is lost.

    `ports`: paths and patterns, as /dev/serial/by-id/*; `board`: the name or file of its board, which says
    what DTR and RTS do to it. Raises UnknownBoard, BoardFileError; what it returns raises TransportLost.
    """
    policy = OpenPolicy.of(load_board(board).hardware["usb"])
    return partial(open_by_identity, device, tuple(ports), baudrate=baudrate, policy=policy)
