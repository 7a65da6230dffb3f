"""Outcomes of many scenes counted: in all, by category and style, and which faces were taken for which."""

from collections import Counter
from dataclasses import dataclass, field

from host_tools.scoring.bounds import clopper_pearson
from host_tools.scoring.judging import Judgement, Outcome, judge
from host_tools.scoring.labels import Label


@dataclass
class Counts:
    """Outcomes of a group of scenes."""

    outcomes: Counter = field(default_factory=Counter)
    reasons: Counter = field(default_factory=Counter)  # of refusals of readable scenes

    @property
    def scenes(self) -> int:
        """How many were judged."""
        return self.outcomes.total()

    @property
    def right(self) -> int:
        """How many were read, rightly."""
        return self.outcomes[Outcome.RIGHT]

    @property
    def wrong(self) -> int:
        """Errors: a wrong face, or a scene read that must be refused."""
        return sum(count for outcome, count in self.outcomes.items() if outcome.is_error)

    @property
    def refused(self) -> int:
        """How many were refused, for good reason or not."""
        return sum(count for outcome, count in self.outcomes.items() if outcome.is_refusal)

    @property
    def lost(self) -> int:
        """Refused though readable."""
        return self.outcomes[Outcome.LOST]

    @property
    def wrong_at_most(self) -> float:
        """Upper bound, at 95 %, of the share of errors among read scenes; 1.0 when none was read."""
        return clopper_pearson(self.wrong, self.right + self.wrong)[1]


class Tally:
    """Counts of a reader on any number of sets.

    all                  Counts of everything
    groups               (category, style) -> Counts
    confusion            (true face, face read) -> dice of read scenes; None for no die there
    errors               (set folder's name, scene, outcome, true values, faces read) of each error
    """

    def __init__(self) -> None:
        self.all = Counts()
        self.groups: dict[tuple[str, str], Counts] = {}
        self.confusion: Counter = Counter()
        self.errors: list[tuple[str, str, Outcome, tuple[int, ...], tuple[int, ...]]] = []

    def add(self, label: Label, answer: dict) -> Judgement:
        """Judge and count the reading of a scene (the fields of `tumbler read --json`)."""
        found = judge(label, answer)
        group = self.groups.setdefault((label.category, label.style), Counts())
        for counts in (self.all, group):
            counts.outcomes[found.outcome] += 1
            if found.outcome is Outcome.LOST:
                counts.reasons[answer.get("reason"), answer.get("detail")] += 1
        self.confusion.update(found.pairs)
        if found.outcome.is_error:
            read = tuple(sorted(answer["faces"]))
            self.errors.append((label.path.parent.name, label.name, found.outcome, label.values, read))
        return found

    def by_category(self) -> dict[str, Counts]:
        """Category -> Counts over all styles."""
        return self._merged(0)

    def by_style(self) -> dict[str, Counts]:
        """Style -> Counts over all categories."""
        return self._merged(1)

    def _merged(self, part: int) -> dict[str, Counts]:
        merged: dict[str, Counts] = {}
        for key, counts in sorted(self.groups.items()):
            into = merged.setdefault(key[part], Counts())
            into.outcomes.update(counts.outcomes)
            into.reasons.update(counts.reasons)
        return merged
