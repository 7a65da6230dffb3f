"""The table's campaign: whole rounds from stroke to settlement on the twin, with figures and a report."""

import json
from pathlib import Path
from typing import Any

from host_tools.campaign.commit import commit
from host_tools.campaign.page import heading, page, paragraph, percent, table
from host_tools.campaign.profiles import Profiles
from host_tools.campaign.reader import FIGURES, REPORT, UNITS
from host_tools.campaign.rounds import ROUNDS, Sitting
from host_tools.campaign.table_figures import TableFigures
from host_tools.twin.physics.world import engine
from host_tools.twin.progress import Progress
from host_tools.twin.run import Run
from host_tools.twin.workers import in_order

_HOW = ("right", "wrong", "void rightly", "void, borderline", "void otherwise", "lost")


def run(rounds: int, seed: int, jobs: int, out: Path) -> dict[str, Any]:
    """Play at least `rounds` rounds of the seed, going on in folder `out`; returns the figures.

    Rounds are played in sittings of ROUNDS, each on a board of its own. Raises TwinError, WorkerLost,
    SittingFailed.
    """
    engine()
    profiles = Profiles(out / "profiles", seed, UNITS, lamps=("four",))
    asked = {"campaign": "table", "seed": seed, "commit": commit(), "units": UNITS}
    with Run(out, asked, "results.jsonl") as kept:
        profiles.make(jobs)
        sittings = -(-rounds // ROUNDS)
        playing = Progress("sittings", sittings, kept.done)
        for sitting in in_order(Sitting(seed, profiles), range(kept.done, sittings), jobs):
            kept.add(sitting)
            playing.advance()
        counted = TableFigures(kept.results())
    figures = {**asked, **counted.as_json()}
    (out / FIGURES).write_text(json.dumps(figures, indent=1) + "\n")
    (out / REPORT).write_text(page("The table's campaign", _parts(figures, counted)))
    return figures


def _parts(figures: dict[str, Any], counted: TableFigures):
    yield paragraph(
        f"{counted.rounds:,} rounds from stroke to settlement: physics, camera, the firmware on MicroPython,"
        f" link, bridge, ledger and wagers; seed {figures['seed']}, commit {figures['commit']}. Faces and"
        " money are checked against what truly lay there and odds written down a second time."
    )
    yield paragraph(summary(figures))
    yield table("All", _HOW, [[counted.judged[how] for how in _HOW]])
    for axis, groups in counted.by.items():
        rows = [(name, *(how[each] for each in _HOW)) for name, how in sorted(groups.items())]
        yield table(f"By {axis}", ("", *_HOW), rows, 2)
    yield table("Rounds without a result", ("what it was to be", "fact", "rounds"), figures["facts"])
    yield table("Faces of settled rounds", "123456", [figures["faces"]["counts"]])
    yield heading(f"Wrong: {len(counted.wrong)}")
    yield table("A wrong face or wrong money", ("round", "what"), counted.wrong)
    yield heading(f"Void though readable: {len(counted.lost)}")
    yield table("Rounds", ("round", "what"), counted.lost)


def summary(figures: dict[str, Any]) -> str:
    """The figures in a few lines for people."""
    judged = ", ".join(f"{count:,} {how}" for how, count in figures["judged"].items())
    return (
        f"{figures['rounds']:,} rounds: {judged}; {figures['wagers']:,} settled wagers checked."
        f" Wrong: {figures['wrong']} (at most {percent(figures['wrong_at_most'])} of those settled, at 95 %),"
        f" {figures['misread']} with a wrong face and {figures['mispaid']} with a wrong amount;"
        f" {len(figures['findings'])} findings in the audits."
    )


def is_clean(figures: dict[str, Any]) -> bool:
    """Whether nothing was wrong."""
    return not figures["wrong"] and not figures["findings"]
