"""The demo's table as the service runs it: what it is configured to be, and the tumbler made for it."""

import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

from host_tools.boards.board import PROFILES
from host_tools.bridge.examining import Examination
from host_tools.link import SystemClock
from host_tools.service.config import ApiSettings, ServiceConfig, TableSettings
from host_tools.service.devices import Tumbler, VirtualTumbler
from host_tools.service.service import Service
from host_tools.settlement import Table as Terms
from host_tools.virtual_board import Scenario, VirtualBoard
from host_tools.virtual_board.dice import Dice
from host_tools.virtual_table import FASTEST

TABLE = "Table 1"
GRACE_S = 5.0  # for a round to end when the demo is stopped

Progress = Callable[[str], None]


@asynccontextmanager
async def served_table(  # noqa: PLR0913 - what a table is made of
    directory: Path,
    scenario: Scenario,
    terms: Terms,
    *,
    speed: float | None,
    seed: int,
    dice: Dice | None,
    pictures: bool,
    progress: Progress,
) -> AsyncIterator[tuple[Service, VirtualBoard]]:
    """A service in the empty folder `directory` with one virtual table, TABLE, and the board of its tumbler;
    keys and rounds follow from `seed`.

    `dice` take the place of the scenario's recorded scenes. `speed` is the board's time by real time, None
    for as fast as its host can follow. `pictures`: the frames of each reading are fetched and looked at.
    Raises BoardError, LedgerError.
    """
    profile = dice.profile if dice else scenario.profile
    examination = Examination("after", directory / "evidence", PROFILES / profile) if pictures else None
    table = TableSettings(
        name=TABLE,
        device=None,
        ports=(),
        board="virtual",
        baudrate=0,
        terms=terms,
        automatic=False,
        betting_s=0.0,
        between_s=0.0,
        examination=examination,
        seed=str(seed),
        speed=speed or FASTEST,
        scenario=None,
    )
    config = ServiceConfig(
        ledger=directory / "ledger.sqlite",
        registry=None,
        state=directory,
        proposal_s=600.0,
        grace_s=GRACE_S,
        api=ApiSettings("127.0.0.1", 0, None, None, requests_per_s=200.0),
        mqtt=None,
        tables=(table,),
    )
    rounds = (Random(f"{seed}/{number}/round").randbytes(16) for number in itertools.count(1))
    progress("Compiling the firmware and making a board with new keys ...")
    await VirtualBoard.create(directory / "board", seed=table.seed, profile=profile)
    board = VirtualBoard(directory / "board", scenario, speed=table.speed, seed=table.seed, dice=dice)

    async def make(settings: TableSettings) -> Tumbler:
        return VirtualTumbler(board, settings.name, settings.speed)

    async with Service(config, SystemClock(), make=make, new_id=lambda: next(rounds)) as service:
        service.registry.write_public(directory / "registry.json")
        progress("Starting the controller ...")
        yield service, board
