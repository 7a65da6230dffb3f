"""The reader's campaign: the device's reader over the twin's scenes, with figures and a report."""

import json
from pathlib import Path
from typing import Any

from host_tools.campaign.commit import commit
from host_tools.campaign.page import percent
from host_tools.campaign.profiles import Profiles
from host_tools.campaign.reader_figures import ReaderFigures
from host_tools.campaign.reader_report import report
from host_tools.campaign.readings import Readings
from host_tools.campaign.second import in_words
from host_tools.twin.mix import Mix, load_mix
from host_tools.twin.progress import Progress
from host_tools.twin.run import Run
from host_tools.twin.studio import Studio
from host_tools.twin.workers import in_order

UNITS = 4  # tumblers that take the scenes in turn
FIGURES = "figures.json"
REPORT = "report.html"


def run(  # noqa: PLR0913 - what a campaign is asked
    scenes: int, seed: int, jobs: int, out: Path, *, mix: Mix | None = None, units: int = UNITS
) -> dict[str, Any]:
    """Read the first `scenes` of the set of `seed` and `mix` (the shipped one), taken by so many tumblers in
    turn, going on in folder `out`; returns the figures. Raises TwinError, WorkerLost.
    """
    studio = Studio(seed, mix or load_mix(), units)
    shares = studio.mix.shares
    profiles = Profiles(
        out / "profiles", seed, units, tuple(shares["size"]), tuple(shares["lamps"]), tuple(shares["style"])
    )
    asked = {"campaign": "reader", "seed": seed, "commit": commit(), "units": units, "mix": shares}
    with Run(out, asked, "results.jsonl") as kept:
        profiles.make(jobs)
        reading, errors = Progress("scenes", scenes, kept.done), 0
        for result in in_order(Readings(studio, profiles), range(kept.done, scenes), jobs):
            kept.add(result)
            errors += result["outcome"] in ("wrong", "read, must refuse")
            reading.advance(note=f", {errors} wrong")
        counted = ReaderFigures(kept.results())
    figures = {**asked, **counted.as_json(), "not_calibrated": list(profiles.refused())}
    (out / FIGURES).write_text(json.dumps(figures, indent=1) + "\n")
    (out / REPORT).write_text(report(figures, counted, studio))
    return figures


def summary(figures: dict[str, Any]) -> str:
    """The figures in a few lines for people."""
    told = figures["all"]
    lines = [
        f"{told['scenes']:,} scenes, {told['right']:,} read, {told['errors']} wrong (at most"
        f" {percent(told['errors_at_most'])} of what is read, at 95 %),"
        f" {figures['misread']} with a wrong face",
        f"{told['refused_rightly']:,} refused rightly,"
        f" and {told['lost']:,} of {told['readable']:,} readable ones",
        in_words(figures["second"]["all"]),
    ]
    if figures["uncalibrated"]:
        lines.append(f"{figures['uncalibrated']:,} more not read: no profile could be made for their dice")
    return "\n".join(lines)


def is_clean(figures: dict[str, Any]) -> bool:
    """Whether nothing was wrong."""
    return not figures["all"]["errors"] and not figures["crashed"]
