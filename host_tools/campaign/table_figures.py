"""What a table's campaign came to, counted from its sittings: for the report, and as JSON for the record."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from host_tools.scoring import clopper_pearson
from host_tools.twin.fairness import chi_square

SETTLED = ("right", "wrong")
MOST_NAMED = 200
AXES = ("rulebook", "size", "style", "word")


class TableFigures:
    """Counts of rounds.

    `rounds`: all; `judged`: how they ended against what truly lay there; `by`: axis -> value -> how ->
    rounds; `facts`: (what it was to be, fact) -> rounds that ended without a result; `wrong`: rounds
    settled though their dice must be refused, with a wrong face or with wrong money, as (number, what);
    `misread`: with a wrong face, `mispaid`: with wrong money; `findings`: of the audits; `wagers`: settled
    and checked.
    """

    def __init__(self, sittings: Iterable[dict[str, Any]]) -> None:
        self.rounds = self.wagers = self.misread = self.mispaid = 0
        self.judged: Counter[str] = Counter()
        self.by: dict[str, dict[str, Counter[str]]] = {axis: {} for axis in AXES}
        self.facts: Counter[tuple[str, str]] = Counter()
        self.faces: Counter[int] = Counter()
        self.wrong: list[tuple[int, str]] = []
        self.lost: list[tuple[int, str]] = []
        self.findings: list[str] = []
        for sitting in sittings:
            self.findings += sitting["findings"]
            first = sitting["sitting"] * len(sitting["rounds"])
            for number, played in enumerate(sitting["rounds"], first):
                self._add(number, sitting | played)

    def _add(self, number: int, played: dict[str, Any]) -> None:
        self.rounds += 1
        self.judged[played["judged"]] += 1
        for axis in AXES:
            self.by[axis].setdefault(played[axis], Counter())[played["judged"]] += 1
        if played["fact"]:
            self.facts[played["word"], played["fact"]] += 1
        if played["verdict"] == "settled":
            self.wagers += played["wagers"]
            self.faces.update(played["faces"])
            self.misread += played["faces"] != played["true"]
        self.mispaid += bool(played["money"])
        if played["judged"] == "wrong" or played["money"]:
            told = f"{played['word']}: shows {played['true']}, {played['must']}; settled {played['faces']}"
            self.wrong.append((number, "; ".join([told, *played["money"]])))
        if played["judged"] == "lost":
            self.lost.append((number, f"{played['word']}: shows {played['true']}; {played['fact']}"))

    @property
    def settled(self) -> int:
        """Rounds that were settled on faces."""
        return sum(self.judged[how] for how in SETTLED)

    def as_json(self) -> dict[str, Any]:
        """All figures; the same sittings give the same."""
        faces = chi_square([self.faces[face] for face in range(1, 7)])
        return {
            "rounds": self.rounds,
            "judged": dict(sorted(self.judged.items())),
            "settled": self.settled,
            "wrong": len(self.wrong),
            "wrong_at_most": round(clopper_pearson(len(self.wrong), max(1, self.settled))[1], 6),
            "misread": self.misread,
            "mispaid": self.mispaid,
            "wagers": self.wagers,
            "findings": self.findings[:MOST_NAMED],
            "faces": {"counts": list(faces.counts), "p": round(faces.p, 4)},
            "by": {
                axis: {name: dict(sorted(how.items())) for name, how in sorted(groups.items())}
                for axis, groups in self.by.items()
            },
            "facts": [[*what, count] for what, count in sorted(self.facts.items())],
            "wrong_rounds": self.wrong[:MOST_NAMED],
        }
