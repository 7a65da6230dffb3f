"""The demo's dealer: plays rounds at a table of the service, through the door of a table server."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from host_tools.bridge.errors import RoundEnded
from host_tools.bridge.events import RoundOutcome
from host_tools.bridge.wagering import Wager, WagerAnswer
from host_tools.demo.table import TABLE
from host_tools.people import Person, Role
from host_tools.service.playing import Playing
from host_tools.service.service import Service
from host_tools.virtual_board import VirtualBoard
from host_tools.virtual_table import CONNECT_S, SEEN_MS, pass_time

_LOOK_S = 0.02

Place = Callable[[Sequence[Wager]], Awaitable[list[WagerAnswer]]]
"""Registers a batch of wagers in the round that is being played."""
Betting = Callable[[Place], Awaitable[None]]


class TumblerSilent(Exception):
    """The demo's tumbler does not play; the message says what to do."""


class Dealer:
    """Opens rounds, tumbles and closes bets at TABLE of a running service."""

    def __init__(self, service: Service, board: VirtualBoard) -> None:
        self._service = service
        self._board = board
        self._running = service.dice_table(TABLE)
        self._door = Playing(service, Person("demo", Role.TABLE_SERVER, program=True, origin="demo"))

    async def ready(self) -> None:
        """Wait until a round may be opened. Raises TumblerSilent."""
        await self._connected_and_ready()
        await pass_time(self._board, SEEN_MS)  # what it told first may be older than its look at the cover
        await self._connected_and_ready()

    async def _connected_and_ready(self) -> None:
        silent_s = 0.0
        while not self._is_ready():
            if self._running.quarantine:
                raise TumblerSilent(
                    f"the device is refused: {self._running.quarantine}. Keep its folder as evidence and"
                    " start with a new one"
                )
            silent_s = silent_s + _LOOK_S if self._running.status is None else 0.0
            if silent_s > CONNECT_S:
                told = self._board.console.strip() or "(nothing)"
                raise TumblerSilent(
                    f"the controller is silent for {CONNECT_S:.0f} s. Start again, which makes a new board;"
                    f" if it stays silent, its console says why:\n{told}"
                )
            await asyncio.sleep(_LOOK_S)

    def _is_ready(self) -> bool:
        return self._running.step == "open-round"

    async def play_round(self, betting: Betting) -> RoundOutcome:
        """One whole round in the rulebook's play mode; `betting` runs while bets are open. A round may end
        before: then nobody bets."""
        table, door = self._running.table, self._door
        opened = await door.open_round(TABLE)
        try:
            if opened.mode == "covered":
                await door.tumble(TABLE, opened.id)
            await table.bets_open()
            await betting(partial(door.place, TABLE, opened.id))
            await door.no_more_bets(TABLE, opened.id)
            if opened.mode == "open":
                await door.tumble(TABLE, opened.id)
        except RoundEnded:
            pass  # its records say how
        return await table.result()

    def facts(self, round_id: bytes) -> tuple[int, tuple[int, ...]]:
        """What a round's signed records say: how many strokes, the dice's tilts in tenths of a degree."""
        fields = [record.fields for record in self._service.records_of(round_id)]
        strokes = max((len(each.get("strokes", ())) for each in fields), default=0)
        return strokes, next((tuple(each["tilts"]) for each in fields if "tilts" in each), ())
