"""One round for programs: what `tumbler demo --json` prints, repeatable for a seed and free of wall time."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from host_tools.bridge.events import RoundOutcome
from host_tools.bridge.table import Wager
from host_tools.demo.totals import Totals


@dataclass(frozen=True)
class Refused:
    """A wager that the table did not take, and why."""

    wager: Wager
    reason: str


@dataclass(frozen=True)
class RoundReport:
    """A concluded round. `strokes` (how many) and `tilts` (tenths of a degree) are of its signed records."""

    number: int
    outcome: RoundOutcome
    strokes: int
    tilts: tuple[int, ...]
    wagers: Sequence[Wager]
    refused: Sequence[Refused]

    def as_json(self, totals: Totals) -> dict:
        """The object of one line; the wagers of a referred round have the result `held`."""
        outcome = self.outcome
        return {
            "round": self.number,
            "round_id": outcome.round.hex(),
            "verdict": outcome.verdict,
            "faces": outcome.faces,
            "fact": outcome.fact,
            "action": outcome.action,
            "clause": outcome.clause,
            "strokes": self.strokes,
            "tilts": self.tilts,
            "wagers": [each._asdict() for each in outcome.wagers] or [_held(each) for each in self.wagers],
            "refused": [{**asdict(each.wager), "reason": each.reason} for each in self.refused],
            "sequence": outcome.sequence,
            "totals": totals.as_json(),
        }


def _held(wager: Wager) -> dict:
    return {**asdict(wager), "result": "held", "odds": "", "payout": "0.00", "returned": "0.00", "clause": ""}
