"""What the host's second reader says of the scenes that the device's reads: agreed, or held for a person.

A good round that is held costs a person's look; one that had to be refused is lost when it is not held. Of
scenes that the device refuses nothing is asked, for nothing is paid on them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from host_tools.scoring import Outcome, clopper_pearson
from host_tools.second_reader.agreement import Agreement, compare

GOOD, BORDERLINE, ERROR = "good", "borderline", "error"
SECOND = "What the second reader says of the scenes that the device reads"
SECOND_HEAD = (
    "",
    "good, agreed",
    "good, held",
    "held of good",
    "within, at 95 %",
    "borderline held",
    "errors held",
    "errors agreed with",
)


def second_told(answer: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Whether the second reader's answer holds the round of the device's, and why."""
    return {
        "held": compare(answer, second) is not Agreement.AGREE,
        "reason": second["reason"],
        "detail": second["detail"],
    }


class Seconded:
    """Scenes of a group that the device read and the second reader agreed with or held, counted by what
    reading them was: good, borderline or an error."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, bool]] = Counter()

    def add(self, kind: str, held: bool) -> None:
        """Count a scene."""
        self._counts[kind, held] += 1

    def as_json(self) -> dict[str, Any]:
        """The counts; `held_share`: of good scenes."""
        agreed, held = self._counts[GOOD, False], self._counts[GOOD, True]
        good = agreed + held
        within = [clopper_pearson(held, good, 0.975)] if good else []
        return {
            "agreed": agreed,
            "held_needlessly": held,
            "held_share": round(held / good, 5) if good else None,
            "held_within": [round(bound, 5) for bounds in within for bound in bounds],
            "borderline_agreed": self._counts[BORDERLINE, False],
            "borderline_held": self._counts[BORDERLINE, True],
            "errors_held": self._counts[ERROR, True],
            "errors_agreed": self._counts[ERROR, False],
        }


class SecondFigures:
    """Counts of what the second reader said, overall and by axis and value.

    `held`: (reason, detail) -> good scenes that it held; `agreed`: numbers of errors that it agreed with.
    """

    def __init__(self) -> None:
        self.all = Seconded()
        self.by: dict[str, dict[object, Seconded]] = defaultdict(lambda: defaultdict(Seconded))
        self.held: Counter[tuple[str, str]] = Counter()
        self.agreed: list[int] = []

    def add(
        self, result: Mapping[str, Any], outcome: Outcome, readable: bool, places: list[tuple[str, object]]
    ) -> None:
        """Count a scene at its `places` (axis, value), if the device read it."""
        kind, told = _kind(outcome, readable), result["second"]
        if kind is None:
            return
        for counts in [self.all, *(self.by[axis][value] for axis, value in places)]:
            counts.add(kind, told["held"])
        if kind == GOOD and told["held"]:
            self.held[told["reason"], told["detail"]] += 1
        if kind == ERROR and not told["held"]:
            self.agreed.append(result["scene"])

    def as_json(self) -> dict[str, Any]:
        """All counts; the same results give the same."""
        return {
            "all": self.all.as_json(),
            "by": {
                axis: {str(name): counts.as_json() for name, counts in sorted(groups.items())}
                for axis, groups in self.by.items()
            },
            "held": [[*why, count] for why, count in self.held.most_common()],
            "agreed_scenes": self.agreed,
        }


def _kind(outcome: Outcome, readable: bool) -> str | None:
    """What reading a scene was; None when it was not read, or no picture tells."""
    if outcome.is_error:
        return ERROR
    if outcome is Outcome.RIGHT:
        return GOOD if readable else BORDERLINE
    return None


def second_rows(groups: Iterable[tuple[str, Mapping[str, Any]]]) -> Iterator[tuple[object, ...]]:
    """Rows of a table of named counts as JSON, below SECOND_HEAD."""
    for name, told in groups:
        yield (
            name,
            told["agreed"],
            told["held_needlessly"],
            "" if told["held_share"] is None else f"{100 * told['held_share']:.2f} %",
            " to ".join(f"{100 * bound:.2f}" for bound in told["held_within"]),
            f"{told['borderline_held']} of {told['borderline_held'] + told['borderline_agreed']}",
            told["errors_held"],
            told["errors_agreed"],
        )


def in_words(told: Mapping[str, Any]) -> str:
    """Counts as JSON, in a sentence."""
    good, errors = told["agreed"] + told["held_needlessly"], told["errors_held"] + told["errors_agreed"]
    return (
        f"The second reader agreed with {told['agreed']:,} of {good:,} good readings and held"
        f" {told['held_needlessly']:,} of them needlessly; of {errors:,} scenes read that had to be refused"
        f" it held {told['errors_held']:,}."
    )
