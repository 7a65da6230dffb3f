"""The tumblers of a service: real ones found by who they are, and virtual ones that it runs itself.

A virtual tumbler keeps its keys and its flash in its folder, so a restart of the service finds it as a real
one: with the journal that it had.
"""

import contextlib
from pathlib import Path
from typing import Any, Protocol

from host_tools import link, records
from host_tools.bridge.line import PortLine
from host_tools.bridge.session import Session
from host_tools.bridge.sink import LedgerSink
from host_tools.demo.scenes import demo_scenario
from host_tools.service.config import TableSettings
from host_tools.virtual_board import VirtualBoard, load_scenario


class Tumbler(Protocol):
    """A table's tumbler as the service needs it."""

    @property
    def registered(self) -> records.Device | None:
        """What the registry has to know of it; None for one that is in the registry already."""
        ...

    @property
    def id(self) -> bytes:
        """Its id, 8 bytes."""
        ...

    async def start(self) -> None:
        """Give it power, where the service can."""
        ...

    async def stop(self) -> None:
        """Take it away again."""
        ...

    def new_session(self, sink: LedgerSink, clock: link.Clock, **callbacks: Any) -> Session:
        """A session with it."""
        ...

    def before_round(self) -> None:
        """A round is about to open."""
        ...

    def cue(self, name: str) -> None:
        """Tell a plant what it cannot see: one of virtual_board.scenario.CUES."""
        ...


class RealTumbler:
    """A tumbler on a serial line, on whichever of some ports it is now."""

    registered = None

    def __init__(self, device: bytes, ports: tuple[str, ...], board: str, baudrate: int) -> None:
        """`board`, a name or a file, says what DTR and RTS do to it. Raises BoardFileError."""
        self.id = device
        self._open = PortLine(device, ports, board, baudrate)

    async def start(self) -> None:
        """See Tumbler."""

    async def stop(self) -> None:
        """See Tumbler."""

    def new_session(self, sink: LedgerSink, clock: link.Clock, **callbacks: Any) -> Session:
        """See Tumbler."""
        return link.HostSession(self._open, sink, clock, elsewhere=self._open.has_others, **callbacks)

    def before_round(self) -> None:
        """See Tumbler."""

    def cue(self, name: str) -> None:
        """See Tumbler."""


class VirtualTumbler:
    """A tumbler made of software: the firmware in a process of its own, recorded dice, a dealer's hands."""

    def __init__(self, board: VirtualBoard, name: str, speed: float) -> None:
        self._board = board
        self._speed = speed
        self._running = contextlib.AsyncExitStack()
        identity = board.identity
        self.id = identity.device
        self.registered = records.Device(self.id, name, identity.public_key, identity.host_key)

    @property
    def board(self) -> VirtualBoard:
        """The board, for tests that do something to it."""
        return self._board

    async def start(self) -> None:
        """See Tumbler."""
        await self._running.enter_async_context(self._board)
        await self._board.power_on()

    async def stop(self) -> None:
        """See Tumbler."""
        await self._running.aclose()

    def new_session(self, sink: LedgerSink, clock: link.Clock, **callbacks: Any) -> Session:
        """See Tumbler."""
        ping_s = 1.0 / max(1.0, self._speed)
        return link.HostSession(self._open, sink, clock, ping_s=ping_s, **callbacks)

    async def _open(self) -> link.Transport:
        return await link.open_serial(self._board.uart_path)

    def before_round(self) -> None:
        """Lay the dice of the scenario's next round."""
        self._board.next_round()
        self._board.plant.log.clear()  # for testers; here it would only grow

    def cue(self, name: str) -> None:
        """See Tumbler."""
        self._board.cue(name)


async def make_tumbler(settings: TableSettings, state: Path) -> Tumbler:
    """The tumbler of a table; a virtual one has its folder in `state`. Raises BoardError, ScenarioError."""
    if settings.device is not None:
        return RealTumbler(settings.device, settings.ports, settings.board, settings.baudrate)
    folder = state / "boards" / settings.name
    scenario = (
        load_scenario(settings.scenario)
        if settings.scenario
        else demo_scenario(settings.terms.rulebook.play_mode, settings.seed, twin=False)
    )
    if not (folder / "identity.json").exists():
        await VirtualBoard.create(folder, seed=settings.seed, profile=scenario.profile)
    board = VirtualBoard(folder, scenario, speed=settings.speed, seed=settings.seed)
    return VirtualTumbler(board, settings.name, settings.speed)
