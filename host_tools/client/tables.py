"""What a table server can do: over HTTP (`HttpTables`), or in the process (`service.playing.Playing`)."""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from host_tools.bridge.wagering import Wager, WagerAnswer, WithdrawalAnswer
from host_tools.service.views import EventView, RoundView, TableView, WagerView


class Refused(Exception):
    """The service refused and nothing changed: `kind` says why, as "wrong-step", `status` is HTTP's."""

    def __init__(self, status: int, kind: str, message: str) -> None:
        self.status = status
        self.kind = kind
        super().__init__(message)


class Unreachable(Exception):
    """No answer came. What was asked may be done: ask again with the same ids, or look at the round."""


class Tables(Protocol):
    """The tables of a service. Rounds are named by their id in hex; money is exact decimal text."""

    async def tables(self) -> list[TableView]:
        """All tables now; their rounds without wagers and differences, which `table` has."""
        ...

    async def table(self, table: str) -> TableView:
        """One table now."""
        ...

    async def open_round(self, table: str) -> RoundView:
        """Open a round; the tumbler's record of it is durable."""
        ...

    async def tumble(self, table: str, round_id: str) -> RoundView:
        """Start the strokes; events tell when they are done. Not at a table of cards."""
        ...

    async def no_more_bets(self, table: str, round_id: str) -> RoundView:
        """Close bets; the tumbler's record of it is durable."""
        ...

    async def load_shoe(self, table: str, reason: str) -> TableView:
        """Put a new shoe on a table of cards, between two rounds; its token's role must include it."""
        ...

    async def enter_card(self, table: str, shoe: str, position: int, face: int) -> RoundView:
        """Enter card number `position` of the shoe as it was drawn; the same again, the same answer."""
        ...

    async def announce(self, table: str, round_id: str) -> RoundView:
        """Announce the result of a round's three cards: it is settled by them."""
        ...

    async def change_dice(self, table: str, dice_set: str, inspected_ms: int | None = None) -> None:
        """Have the tumbler sign, between rounds, which set of dice lies in it from now on (`inspected_ms`:
        when the one before was last inspected, Unix ms); its token's role must include it."""
        ...

    async def place(self, table: str, round_id: str, wagers: Sequence[Wager]) -> list[WagerAnswer]:
        """Register a batch, all or nothing, durably before the answers; the same id, the same answer."""
        ...

    async def withdraw(self, table: str, round_id: str, ids: Sequence[str]) -> list[WithdrawalAnswer]:
        """Withdraw a batch before no more bets, all or nothing, durably before the answers."""
        ...

    async def wagers(self, table: str, round_id: str) -> list[WagerView]:
        """The round's wagers in the order they were placed, then those withdrawn."""
        ...

    async def round(self, table: str, round_id: str) -> RoundView:
        """A round and how it ended."""
        ...

    async def rounds(self, table: str, before: str | None = None, limit: int = 10) -> list[RoundView]:
        """The last rounds, newest first; those before a round, where it is given."""
        ...

    async def events(self, after: int = 0, table: str | None = None) -> list[EventView]:
        """The durable events above number `after`."""
        ...

    def follow(self, after: int | None = None, table: str | None = None) -> AsyncIterator[EventView]:
        """The durable events above number `after` (None: from now on), and all that happens from now on.
        A number that the service has not reached is refused: its ledger is not the one that gave it."""
        ...
