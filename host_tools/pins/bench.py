"""A tester's bench: a whole table on a Blinka board, its pins, and the records that the device signs."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

from host_tools.bridge.errors import DeviceRefusal
from host_tools.bridge.events import RoundOutcome
from host_tools.pins.board import BlinkaBoard
from host_tools.pins.pins import Pins
from host_tools.records import Record, Verifier
from host_tools.scenario_player import play_round, terms_for
from host_tools.virtual_board.board import FRAMES
from host_tools.virtual_board.scenario import Event, Scenario, everyday, load_scenario
from host_tools.virtual_table import VirtualTable, virtual_table
from tumbler.definitions import FACTS, name_of

EVERYDAY_ROUNDS = 20


class Bench:
    """A running table whose tumbler is a Blinka board."""

    def __init__(self, table: VirtualTable, board: BlinkaBoard) -> None:
        self.table = table
        self.board = board
        self.pins = Pins(board)
        self._verifier = Verifier(table.registry)

    def records(self, after: int = 0) -> list[Record]:
        """The records above sequence `after` that the host has, verified once more."""
        stored = self.table.books.records(self.table.device, after)
        return [self._verifier.authenticate(each.raw) for each in stored]

    async def play(self) -> RoundOutcome:
        """Play the scenario's next round to its end, and clear the fault it was to leave."""
        return (await play_round(self.table)).outcome

    def faults(self) -> list[str]:
        """The faults that are latched by what the records say, oldest first."""
        latched: list[str] = []
        for record in self.records():
            if record.kind in ("fault", "fault-cleared"):
                fact = str(name_of(FACTS, record.fields["fact"]))
                latched = [each for each in latched if each != fact]
                latched += [fact] * (record.kind == "fault")
        return latched

    async def clear_fault(self, fact: str) -> str:
        """Have the device check and clear a latched fault: "done", or why not ("still-present")."""
        try:
            await self.table.table.clear_fault(fact)
        except DeviceRefusal as refusal:
            return refusal.status
        return "done"

    def during(self, event: Event) -> None:
        """`event` happens in the next round."""
        self.board.plant.expect(event)


def scenario_of(file: Path | None, mode: str = "covered", seed: int = 1) -> Scenario:
    """The scenario in `file`, or ordinary rounds in `mode`. Raises ScenarioError."""
    if file is not None:
        return load_scenario(file)
    return everyday(mode, FRAMES / "scenes320", EVERYDAY_ROUNDS, seed)


@asynccontextmanager
async def open_bench(
    directory: Path,
    scenario: Scenario,
    speed: float | None,
    seed: str | None = None,
    board_kind: type[BlinkaBoard] = BlinkaBoard,
) -> AsyncIterator[Bench]:
    """A bench in the empty folder `directory`. `speed`: board time by real time, None for as fast as it goes.

    With `seed` keys and rounds follow from it.
    Raises TableUnusable, ScenarioError, BoardError, BlinkaUnusable.
    """
    chosen = seed or secrets.token_hex(8)
    ids = Random(f"rounds of {chosen}")
    playing = virtual_table(
        directory,
        scenario,
        terms_for(scenario.mode),
        speed=speed,
        seed=chosen,
        new_round_id=lambda: ids.randbytes(16),
        board_kind=board_kind,
    )
    async with playing as table:
        if not isinstance(table.board, BlinkaBoard):
            raise TypeError("a bench needs a Blinka board")
        yield Bench(table, table.board)
