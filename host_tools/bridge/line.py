"""A table's line: opened on whichever port the device answers, in the way that its board bears."""

from collections.abc import Sequence

from host_tools.boards import load_board
from host_tools.link import OpenPolicy, SerialTransport, open_by_identity
from host_tools.link.identity import ports_of


class PortLine:
    """The line to a device (id of 8 bytes) on one of some ports; called, it opens it, as often as it is lost.

    `ports`: paths and patterns, as /dev/serial/by-id/*; `board`: the name or file of its board, which says
    what DTR and RTS do to it. Raises UnknownBoard, BoardFileError; a call raises TransportLost.
    """

    def __init__(self, device: bytes, ports: Sequence[str], board: str, baudrate: int = 115200) -> None:
        self._device = device
        self._ports = tuple(ports)
        self._baudrate = baudrate
        self._policy = OpenPolicy.of(load_board(board).hardware["usb"])

    async def __call__(self) -> SerialTransport:
        return await open_by_identity(self._device, self._ports, baudrate=self._baudrate, policy=self._policy)

    def has_others(self) -> bool:
        """Whether there are several ports now: then a device that is silent on one may be on another."""
        return len(ports_of(self._ports)) > 1
