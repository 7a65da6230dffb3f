"""The chapter of rounds and the wagers in them, placed and withdrawn before no more bets."""

from collections import defaultdict
from collections.abc import Sequence

from host_tools.ledger.errors import LedgerError, RoundUnknown, WagerConflict
from host_tools.ledger.records import Records
from host_tools.ledger.rows import Round, Wager
from host_tools.ledger.schema import FINAL_STATES, OPEN_STATES, quoted

_ROUND = (
    "id, table_name, device, mode, rulebook, rulebook_digest, layout, limits, decimals, chip_unit, made_ms,"
    " state, coalesce(changed_ms, made_ms)"
)
_WAGER = "id, player, wager, stake"
_WITHDRAWN = "EXISTS (SELECT 1 FROM withdrawals WHERE withdrawals.wager = wagers.number)"


class Rounds(Records):
    """Rounds by id and by table, their states, and their wagers."""

    def open_round(self, new: Round) -> None:
        """Add a round in state "opening", before the device is told of it."""
        row = (
            new.id,
            new.table,
            new.device,
            new.mode,
            new.rulebook,
            new.rulebook_digest,
            new.layout,
            new.limits,
            new.decimals,
            new.chip_unit,
            new.made_ms,
        )
        self.enter(new.table, new.id, "opening", new.made_ms, {"rounds": [row]})

    def find_round(self, round_id: bytes) -> Round | None:
        """The round of that id, or None."""
        row = self.store.row(f"SELECT {_ROUND} FROM rounds WHERE id = ?", (round_id,))
        return Round(*row) if row else None

    def round(self, round_id: bytes) -> Round:
        """The round of that id; raises RoundUnknown."""
        found = self.find_round(round_id)
        if found is None:
            raise RoundUnknown(f"there is no round {round_id.hex()} in this ledger")
        return found

    def current_round(self, table: str) -> Round | None:
        """The table's round that is not concluded, or None."""
        row = self.store.row(
            f"SELECT {_ROUND} FROM rounds WHERE table_name = ? AND state IN ({quoted(OPEN_STATES)})",
            (table,),
        )
        return Round(*row) if row else None

    def latest_round(self, table: str) -> Round | None:
        """The table's newest round, concluded or not; None before the first."""
        newest = self.latest_rounds(table, 1)
        return newest[0] if newest else None

    def latest_rounds(self, table: str, count: int, before: bytes | None = None) -> list[Round]:
        """The table's newest rounds, newest first; those opened `before` a round, where it is given."""
        older = "" if before is None else " AND number < (SELECT number FROM rounds WHERE id = ?)"
        rows = self.store.rows(
            f"SELECT {_ROUND} FROM rounds WHERE table_name = ?{older} ORDER BY number DESC LIMIT ?",
            (table, *([] if before is None else [before]), count),
        )
        return [Round(*row) for row in rows]

    def referred_rounds(self, table: str) -> list[Round]:
        """The table's rounds that wait for people, oldest first."""
        rows = self.store.rows(
            f"SELECT {_ROUND} FROM rounds WHERE state NOT IN ({quoted(FINAL_STATES)})"
            " AND state = 'referred' AND table_name = ? ORDER BY number",
            (table,),
        )
        return [Round(*row) for row in rows]

    def rounds_after_record(self, table: str, device: bytes, sequence: int) -> list[Round]:
        """The table's rounds that the device has told of in records above `sequence`, oldest first."""
        rows = self.store.rows(
            f"SELECT {_ROUND} FROM rounds WHERE table_name = ? AND device = ? AND EXISTS (SELECT 1 FROM"
            " records WHERE records.round = rounds.id AND records.device = rounds.device AND sequence > ?)"
            " ORDER BY number",
            (table, device, sequence),
        )
        return [Round(*row) for row in rows]

    def set_state(self, round_id: bytes, state: str, now_ms: int) -> None:
        """Move a round forward; the database refuses any other step."""
        self.leases.require(self.round(round_id).table)
        self.store.write(
            "UPDATE rounds SET state = ?, changed_ms = ? WHERE id = ?", (state, now_ms, round_id)
        )

    # --- wagers ---

    def wager(self, round_id: bytes, wager_id: str) -> Wager | None:
        """The wager registered under that id in that round, withdrawn or not, or None."""
        row = self.store.row(f"SELECT {_WAGER} FROM wagers WHERE round = ? AND id = ?", (round_id, wager_id))
        return Wager(*row) if row else None

    def wagers(self, round_id: bytes) -> list[Wager]:
        """The round's wagers that were not withdrawn, in the order they were placed."""
        rows = self.store.rows(
            f"SELECT {_WAGER} FROM wagers WHERE round = ? AND NOT {_WITHDRAWN} ORDER BY number", (round_id,)
        )
        return list(map(Wager._make, rows))

    def withdrawn(self, round_id: bytes) -> list[Wager]:
        """The round's wagers that were withdrawn, in the order they were placed."""
        rows = self.store.rows(
            f"SELECT {_WAGER} FROM wagers WHERE round = ? AND {_WITHDRAWN} ORDER BY number", (round_id,)
        )
        return [Wager(*row) for row in rows]

    def is_withdrawn(self, round_id: bytes, wager_id: str) -> bool:
        """Whether the wager of that id was registered and withdrawn."""
        found = self.store.row(
            f"SELECT 1 FROM wagers WHERE round = ? AND id = ? AND {_WITHDRAWN}", (round_id, wager_id)
        )
        return found is not None

    def is_registered(self, round_id: bytes, wager: Wager) -> bool:
        """Whether exactly this wager is in, or was until it was withdrawn.

        Raises WagerConflict when its id is taken by another one."""
        known = self.wager(round_id, wager.id)
        if known is not None and known != wager:
            raise WagerConflict(
                f"wager id {wager.id!r} is taken in this round by {known.wager} of {known.player!r};"
                " use a new id for a new wager"
            )
        return known is not None

    def place(self, round_id: bytes, wagers: Sequence[Wager], now_ms: int) -> None:
        """Add wagers that are not in yet and move their stakes to "held"; the database refuses late ones."""
        if not wagers:
            return
        amounts: dict[str, int] = defaultdict(int)
        for each in wagers:
            amounts[f"player:{each.player}"] -= each.stake
            amounts["held"] += each.stake
        rows = [(round_id, each.id, each.player, each.wager, each.stake) for each in wagers]
        self.enter(self.round(round_id).table, round_id, "wager", now_ms, {"wagers": rows}, amounts)

    def withdraw(self, round_id: bytes, wager_ids: Sequence[str], now_ms: int) -> None:
        """Give back the stakes of wagers that are in; the database refuses it after no more bets.

        Raises LedgerError for a wager that is not in."""
        if not wager_ids:
            return
        amounts: dict[str, int] = defaultdict(int)
        numbers = []
        for wager_id in wager_ids:
            row = self.store.row(
                f"SELECT number, player, stake FROM wagers WHERE round = ? AND id = ? AND NOT {_WITHDRAWN}",
                (round_id, wager_id),
            )
            if row is None:
                raise LedgerError(
                    f"wager {wager_id!r} is not in round {round_id.hex()}; nothing is withdrawn"
                )
            number, player, stake = row
            numbers.append((number,))
            amounts[f"player:{player}"] += stake
            amounts["held"] -= stake
        sections = {"withdrawals": sorted(numbers)}
        self.enter(self.round(round_id).table, round_id, "withdrawal", now_ms, sections, amounts)
