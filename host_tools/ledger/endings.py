"""The chapter of how rounds end: settled, void or referred, decided by people, corrected by a new entry."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from host_tools.ledger.errors import LedgerError
from host_tools.ledger.rows import Difference, Faces, Outcome, Referral, Round, Settlement, VoidOrder, Wager
from host_tools.ledger.shoes import Shoes
from host_tools.ledger.store import Row

_OUTCOME = "result, odds, payout, returned, reason, clause"
_SETTLEMENT = (
    "settlements.round, verdict, faces, fact, action, clause, sequence, made_ms, decided_by, seconded_by,"
    " reason, evidence, corrects, entry"
)


class Endings(Shoes):
    """Settlements with the outcome of every wager; referrals; orders to void; corrections."""

    def conclude(self, settlement: Settlement, outcomes: Iterable[Outcome]) -> None:
        """Settle or void a round once and for all: settlement, outcome of every wager, postings, state.

        Raises LedgerError when the outcomes are not exactly the round's wagers or contradict the stakes.
        """
        outcomes = list(outcomes)
        self._end("settlement", settlement, outcomes, _moved(outcomes))
        self.set_state(settlement.round, settlement.verdict, settlement.made_ms)

    def correct(self, settlement: Settlement, outcomes: Iterable[Outcome]) -> list[Difference]:
        """Replace the settlement that `settlement.corrects` names; returns what is to collect and to pay, a
        line for each wager whose return changes.

        Raises LedgerError when that one is not the round's latest, or as `conclude`.
        """
        outcomes = list(outcomes)
        before = self.settlement(settlement.round)
        if before is None or settlement.corrects != before.entry:
            raise LedgerError(
                f"only the latest settlement of round {settlement.round.hex()} can be corrected"
            )
        known = {each.wager: each for each in self.outcomes(settlement.round)}
        amounts: dict[str, int] = defaultdict(int)
        differences = []
        for each in outcomes:
            _require_due(each)
            if each.wager not in known:
                raise LedgerError(f"wager {each.wager.id!r} was not settled in this round")
            difference = Difference(known[each.wager], each)
            if difference.amount:
                differences.append(difference)
                amounts[f"player:{each.wager.player}"] += difference.amount
                amounts["house"] -= difference.amount
        self._end("correction", settlement, outcomes, amounts)
        if settlement.verdict != before.verdict:
            self.set_state(settlement.round, settlement.verdict, settlement.made_ms)
        return differences

    def refer(self, referral: Referral) -> None:
        """Leave a round to people: its wagers stay registered and its stakes held."""
        round_ = self.round(referral.round)
        row = (referral.round, referral.fact, referral.clause, round_.device, referral.sequence)
        self.enter(round_.table, referral.round, "referral", referral.made_ms, {"referrals": [row]})
        self.set_state(referral.round, "referred", referral.made_ms)

    def order_void(self, order: VoidOrder) -> None:
        """Note why a round is to be void, before the device is told; the first order of a round stands."""
        if self.void_order(order.round) is None:
            row = (order.round, order.fact, order.decided_by)
            table = self.round(order.round).table
            self.enter(table, order.round, "void-order", order.made_ms, {"void_orders": [row]})

    def void_order(self, round_id: bytes) -> VoidOrder | None:
        """Why the host ordered the round void, or None when it did not."""
        row = self.store.row(
            "SELECT void_orders.round, fact, decided_by, made_ms FROM void_orders"
            " JOIN entries ON entries.number = void_orders.entry WHERE void_orders.round = ?",
            (round_id,),
        )
        return VoidOrder(*row) if row else None

    def settlement(self, round_id: bytes) -> Settlement | None:
        """How the round ended, as last corrected, or None while it has not."""
        history = self.settlements(round_id)
        return history[-1] if history else None

    def settlements(self, round_id: bytes) -> list[Settlement]:
        """The round's settlement and all its corrections, in order."""
        rows = self.store.rows(
            f"SELECT {_SETTLEMENT} FROM settlements JOIN entries ON entries.number = settlements.entry"
            " WHERE settlements.round = ? ORDER BY entry",
            (round_id,),
        )
        return [Settlement(row[0], row[1], _faces(row[2]), *row[3:]) for row in rows]

    def referral(self, round_id: bytes) -> Referral | None:
        """Why the round was referred, or None when it was not."""
        row = self.store.row(
            "SELECT referrals.round, fact, clause, sequence, made_ms FROM referrals"
            " JOIN entries ON entries.number = referrals.entry WHERE referrals.round = ?",
            (round_id,),
        )
        return Referral(*row) if row else None

    def outcomes(self, round_id: bytes, entry: int | None = None) -> list[Outcome]:
        """What each wager came to by the round's latest settlement, or by that of `entry`, as placed."""
        if entry is None:
            latest = self.settlement(round_id)
            if latest is None:
                return []
            entry = latest.entry
        rows = self.store.rows(
            f"SELECT id, player, wagers.wager, stake, {_OUTCOME} FROM outcomes"
            " JOIN wagers ON outcomes.wager = wagers.number WHERE outcomes.entry = ? ORDER BY number",
            (entry,),
        )
        return [Outcome(Wager(*row[:4]), *row[4:]) for row in rows]

    def differences(self, round_id: bytes, entry: int) -> list[Difference]:
        """What the correction of `entry` changed, a line for each wager whose return changed."""
        corrected = next(each.corrects for each in self.settlements(round_id) if each.entry == entry)
        before = {each.wager: each for each in self.outcomes(round_id, corrected)}
        lines = [Difference(before[each.wager], each) for each in self.outcomes(round_id, entry)]
        return [line for line in lines if line.amount]

    def _end(
        self, cause: str, made: Settlement, outcomes: Sequence[Outcome], amounts: Mapping[str, int]
    ) -> None:
        round_ = self.round(made.round)
        sections: dict[str, list[Row]] = {
            "settlements": [_row(made, round_)],
            "outcomes": sorted(
                [
                    (number, *each[1:])
                    for number, each in zip(self._numbers(made.round, outcomes), outcomes, strict=True)
                ]
            ),
        }
        self.enter(round_.table, made.round, cause, made.made_ms, sections, amounts)

    def _numbers(self, round_id: bytes, outcomes: Sequence[Outcome]) -> list[int]:
        """The row number of each outcome's wager; LedgerError unless they are all of the round's, once."""
        rows = self.store.rows(
            "SELECT id, player, wager, stake, number FROM wagers WHERE round = ? AND NOT EXISTS"
            " (SELECT 1 FROM withdrawals WHERE withdrawals.wager = wagers.number)",
            (round_id,),
        )
        registered = {row[:4]: row[4] for row in rows}
        numbers = [registered.pop(each.wager, 0) for each in outcomes]
        if registered or 0 in numbers:
            raise LedgerError(
                f"a settlement of round {round_id.hex()} must have each of its {len(rows)} wagers once"
            )
        return numbers


def _row(made: Settlement, round_: Round) -> Row:
    return (
        made.round,
        made.corrects,
        made.verdict,
        "-".join(map(str, made.faces)) if made.faces else None,
        made.fact,
        made.action,
        made.clause,
        round_.device,
        made.sequence,
        made.decided_by,
        made.seconded_by,
        made.reason,
        made.evidence,
    )


def _moved(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """What a settlement moves by account: the stakes that were held go to players and house."""
    staked = 0
    players: dict[str, int] = defaultdict(int)
    for each in outcomes:
        _require_due(each)
        staked += each.wager.stake
        players[each.wager.player] += each.returned
    owed = {f"player:{player}": amount for player, amount in players.items()}
    return {"held": -staked, **owed, "house": staked - sum(owed.values())}


def _require_due(each: Outcome) -> None:
    """What goes back follows from the stake, the payout and the result, or nothing is written."""
    stake = each.wager.stake
    due = {"won": stake + each.payout, "lost": 0, "void": stake}[each.result]
    if each.returned != due or (each.payout and each.result != "won"):
        raise LedgerError(f"wager {each.wager.id!r}: {each.result} returns {due}, not {each.returned}")


def _faces(text: str | None) -> Faces | None:
    if text is None:
        return None
    first, second, third = map(int, text.split("-"))
    return first, second, third
