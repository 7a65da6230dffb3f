"""What a reader's campaign came to, counted from its results: for the report, and as JSON for the record."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from host_tools.campaign.confidence import Told, reliability
from host_tools.campaign.second import SecondFigures
from host_tools.scoring import Counts, Outcome, clopper_pearson

RECIPE_AXES = ("category", "size")
AXES = ("category", "style", "size", "lamps", "renderer", "trouble", "unit")
UNTROUBLED = "four lamps, no trouble"  # axis of what the recommended machine sees when nothing is amiss
UNCALIBRATED = "uncalibrated"  # in place of an outcome: no profile could be made, so nothing was read
CRASHED = "crashed"  # in place of a refusal's reason: the reader ended with an error
READABLE = "readable"
MOST_NAMED = 1000


class Group(Counts):
    """Counts of some scenes; `readable`: how many of them have to be read."""

    readable = 0

    def as_json(self) -> dict[str, Any]:
        """Counts with their bounds at 95 %: `wrong_at_most` of the scenes that were read, and the share of
        readable ones that were refused."""
        within = clopper_pearson(self.lost, self.readable, 0.975)
        return {
            "scenes": self.scenes,
            "readable": self.readable,
            **{outcome.name.lower(): self.outcomes[outcome] for outcome in Outcome},
            "errors": self.wrong,
            "errors_at_most": round(self.wrong_at_most, 6),
            "lost_share": round(self.lost / self.readable, 5) if self.readable else None,
            "lost_within": [round(bound, 5) for bound in within],
        }


class ReaderFigures:
    """Counts of a reader's results.

    `all`, `by`: overall, and by axis and value; `recipe`: of the popular recipe on the same scenes, by axis
    and value; `second`: what the second reader says; `confusion`: (true, read) -> dice of read scenes;
    `refusals`: (reason, detail) -> readable scenes; `wrong`, `lost`, `crashed`: numbers of scenes;
    `misread`: wrong ones with a face that does not lie there; `dice`: those of read scenes, with what was
    told of them; `times`: milliseconds by size and lamps.
    """

    def __init__(self, results: Iterable[dict[str, Any]]) -> None:
        self.all = Group()
        self.by: dict[str, dict[str, Group]] = {axis: defaultdict(Group) for axis in (*AXES, UNTROUBLED)}
        self.recipe: dict[str, dict[str, Group]] = {axis: defaultdict(Group) for axis in RECIPE_AXES}
        self.second = SecondFigures()
        self.confusion: Counter[tuple[int | None, int | None]] = Counter()
        self.refusals: Counter[tuple[str, str]] = Counter()
        self.uncalibrated = self.misread = 0
        self.wrong: list[int] = []
        self.lost: list[int] = []
        self.crashed: list[int] = []
        self.dice: list[Told] = []
        self.times: dict[str, list[int]] = defaultdict(list)
        for result in results:
            self._add(result)

    def _add(self, result: dict[str, Any]) -> None:
        if result["outcome"] == UNCALIBRATED:
            self.uncalibrated += 1
            return
        outcome, readable = Outcome(result["outcome"]), result["verdict"] == READABLE
        places = [(axis, result[axis]) for axis in AXES]
        if result["lamps"] == "four" and result["trouble"] == "none":
            places.append((UNTROUBLED, f"{result['size']}, {result['category']}"))
        for counts in [self.all, *(self.by[axis][value] for axis, value in places)]:
            counts.outcomes[outcome] += 1
            counts.readable += readable
        for axis in RECIPE_AXES:
            counts = self.recipe[axis][result[axis]]
            counts.outcomes[Outcome(result["recipe"])] += 1
            counts.readable += readable
        self.second.add(result, outcome, readable, places)
        self.confusion.update(tuple(pair) for pair in result["pairs"])
        self.dice += map(tuple, result["dice"])
        self.times[f"{result['size']}, {result['lamps']}"].append(result["read_ms"])
        if outcome.is_error:
            self.wrong.append(result["scene"])
            self.misread += any(true != read for true, read in result["pairs"])
        if outcome is Outcome.LOST:
            self.lost.append(result["scene"])
            self.refusals[result["refusal"], result["detail"]] += 1
        if result["refusal"] == CRASHED:
            self.crashed.append(result["scene"])

    def as_json(self) -> dict[str, Any]:
        """All figures; the same results give the same."""
        return {
            "scenes": self.all.scenes,
            "uncalibrated": self.uncalibrated,
            "crashed": len(self.crashed),
            "misread": self.misread,
            "all": self.all.as_json(),
            "by": _grouped(self.by),
            "recipe": _grouped(self.recipe),
            "second": self.second.as_json(),
            "confusion": {_pair(pair): count for pair, count in sorted(self.confusion.items(), key=_order)},
            "reliability": reliability(self.dice),
            "refusals": [[*why, count] for why, count in self.refusals.most_common()],
            "wrong_scenes": self.wrong[:MOST_NAMED],
        }


def _grouped(by: dict[str, dict[str, Group]]) -> dict[str, dict[str, Any]]:
    return {
        axis: {str(name): counts.as_json() for name, counts in sorted(groups.items())}
        for axis, groups in by.items()
    }


def _pair(pair: tuple[int | None, int | None]) -> str:
    return " as ".join("none" if face is None else str(face) for face in pair)


def _order(item: tuple[tuple[int | None, int | None], int]) -> tuple[int, int]:
    true, read = item[0]
    return true or 9, read or 9
