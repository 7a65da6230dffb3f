"""One table: open a round, take wagers, no more bets, tumble, and wait for what the records prove."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from host_tools.bridge.events import Event, RoundOutcome


@dataclass(frozen=True, slots=True)
class TableConfig:
    """What is fixed for a table while it runs. Money is exact decimal text.

    `name` is the table's name in the ledger, `device` its tumbler's id (8 bytes), `digits` the decimals of the
    currency's minor unit (2 for cents), `chip_unit` the smallest stake step: some odds of the layout that would
    not pay it exactly refuse the table at start.
    """

    name: str
    device: bytes
    chip_unit: str = "1"
    minimum: str = "1"
    maximum: str = "1000"
    digits: int = 2


@dataclass(frozen=True, slots=True)
class Wager:
    """A wager as the table server sends it: `wager` is named as in the rulebook (`total:11`), `stake` is exact
    decimal text. `id` is chosen by the sender and unique within the round: asking again gives the same answer."""

    id: str
    player: str
    wager: str
    stake: str


@dataclass(frozen=True, slots=True)
class WagerAnswer:
    """`registered`: the wager is durable in the ledger. Otherwise it is not there, and `reason` says why."""

    id: str
    registered: bool
    reason: str = ""


Betting = Callable[["Table"], Awaitable[None]]


class Table:
    """A table and its tumbler. One round at a time; every step rests on the ledger, never on hope.

    Order of the steps: covered play `open_round`, `tumble`, (bets open when the tumble record is in),
    `place`..., `no_more_bets`, `result`; open play `open_round`, `place`..., `no_more_bets`, `tumble`, `result`.
    A step out of order raises `WrongStep`; one that the device refuses raises `DeviceRefusal`.
    """

    def __init__(
        self,
        config: TableConfig,
        sink: Any,
        session: Any,
        rulebook: Any,
        layout: str,
        clock: Callable[[], int],
        new_round_id: Callable[[], bytes],
    ) -> None:
        """`sink` is the session's RecordSink; `clock` gives Unix time in ms; `new_round_id` 16 fresh random
        bytes. Raises `TableRefused` when the chip unit, limits or layout do not fit the rulebook."""

    @property
    def round(self) -> bytes | None:
        """Id of the round that is not concluded yet, or None."""
        raise NotImplementedError

    async def recover(self) -> RoundOutcome | None:
        """Conclude what an earlier run left open, once the device has told all its records; call before play.

        A round whose bets were closed stays open for `finish_round`; one whose bets were not closed is made
        void, as is one that the device never opened. Returns the outcome of a round concluded here."""
        raise NotImplementedError

    async def open_round(self) -> bytes:
        """Open a round on the device; returns its id once the device's record is durable."""
        raise NotImplementedError

    async def bets_open(self) -> None:
        """Wait until wagers are accepted (covered play: the tumble is recorded), or the round has ended."""
        raise NotImplementedError

    async def place(self, wagers: Sequence[Wager]) -> list[WagerAnswer]:
        """Register a batch, all or nothing, durably before the answers; the answers are in the batch's order."""
        raise NotImplementedError

    async def no_more_bets(self) -> None:
        """Close bets in the ledger, then on the device; returns once the device's record is durable."""
        raise NotImplementedError

    async def tumble(self) -> None:
        """Start the strokes; returns when the device has accepted the command, before the dice are at rest."""
        raise NotImplementedError

    async def result(self) -> RoundOutcome:
        """Wait until the current (or else the latest) round is settled, void or referred."""
        raise NotImplementedError

    async def void_round(self) -> RoundOutcome:
        """Have the device end the round without a result, and wait for the outcome."""
        raise NotImplementedError

    async def clear_fault(self, fact: str) -> None:
        """Have the device re-check and clear a latched fault; returns once its record is durable."""
        raise NotImplementedError

    async def play_round(self, betting: Betting) -> RoundOutcome:
        """One whole round in the rulebook's play mode. `betting(table)` runs while bets are open: it places
        wagers with `table.place` and returns when the betting time is over. In covered play the round may
        already have ended without bets; then `betting` is not called."""
        raise NotImplementedError

    async def finish_round(self) -> RoundOutcome:
        """Drive the round from closed bets to its outcome: in open play tumble first, then wait."""
        raise NotImplementedError

    def events(self) -> AsyncIterator[Event]:
        """What happens from now on, for one display; it ends with `EventsOverrun` when the reader is too slow."""
        raise NotImplementedError
