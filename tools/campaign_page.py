"""Writes docs/campaign.md from the figures in docs/campaign; --check only says whether it is stale.

tumbler bench reader --scenes 20000                to docs/campaign/reader.json and table.json
tumbler bench table --rounds 5000                  copy figures.json from the reports' folders
tumbler twin rounds --rounds 10000 --json          > docs/campaign/strong.json
tumbler twin rounds --rounds 2000 --force 9 --json > docs/campaign/weak.json
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "firmware")]

from generated_files import bring_up_to_date, is_check  # noqa: E402

from host_tools.campaign.confidence import CLAIMS, CLAIMS_HEAD, claims  # noqa: E402
from host_tools.campaign.reader_figures import UNTROUBLED  # noqa: E402
from host_tools.campaign.reader_report import disguises  # noqa: E402
from host_tools.campaign.second import SECOND, SECOND_HEAD, in_words, second_rows  # noqa: E402

FOLDER = ROOT / "docs" / "campaign"
PAGE = "docs/campaign.md"
NAMES = ("reader", "table", "strong", "weak")
AXES = (UNTROUBLED, "category", "style", "size", "lamps", "renderer", "trouble", "unit")
SECOND_AXES = (UNTROUBLED, "category", "style", "size")
HEAD = """# What the twin's campaigns found

Made by `tools/campaign_page.py` from the figures in `docs/campaign`; how they come about is told in
[twin.md](twin.md). The twin's situations are chosen, so these are no natural rates. Bounds hold at 95 %
(Clopper and Pearson).
"""


def text(reader, table, strong, weak):
    """The page, from the figures of the campaigns and of strong and weak rounds as they were written."""
    return "\n".join([HEAD, *_reader(reader), "", *_table(table), *_fairness(strong, weak)])


def _reader(figures):
    told = figures["all"]
    yield "## The device's reader\n"
    yield (
        f"`tumbler bench reader --scenes {figures['scenes'] + figures['uncalibrated']}"
        f" --seed {figures['seed']}`, commit `{figures['commit']}`, {figures['units']} tumblers calibrated"
        " from pictures.\n"
    )
    yield (
        f"**{told['errors']} wrong** of {told['errors'] + told['right']:,} scenes read, at most"
        f" {_percent(told['errors_at_most'])}: **{figures['misread']} with a wrong face**, the others right"
        " but of a scene that must be refused."
        f" {told['refused_rightly']:,} scenes were refused as they must be, and {told['lost']:,} of"
        f" {told['readable']:,} readable ones, {_percent(told['lost_share'])}. The reader crashed"
        f" {figures['crashed']} times. {disguises(told)}\n"
    )
    if figures["uncalibrated"]:
        yield (
            f"{figures['uncalibrated']:,} more scenes were not read: calibration refused to make a profile"
            " for their dice, light and size.\n"
        )
    for axis in AXES:
        yield from _groups(axis, figures["by"][axis])
    yield "The popular recipe (blobs and clusters) on the same scenes:\n"
    for axis, groups in figures["recipe"].items():
        yield from _groups(axis, groups)
    yield from _markdown(("die, and what was read", "dice"), figures["confusion"].items())
    yield f"{CLAIMS}\n"
    yield from _markdown(CLAIMS_HEAD, claims(figures["reliability"]))
    yield from _second(figures["second"])


def _second(told):
    yield "## The second reader\n"
    yield f"{in_words(told['all'])} {SECOND}:\n"
    for axis in SECOND_AXES:
        yield from _markdown((axis, *SECOND_HEAD[1:]), second_rows(told["by"].get(axis, {}).items()))


def _groups(axis, groups):
    return _markdown(
        (axis, "scenes", "right", "wrong", "refused rightly", "borderline refused", "readable refused"),
        [
            (
                name,
                each["scenes"],
                each["right"],
                each["errors"],
                each["refused_rightly"],
                each["refused_borderline"],
                _lost(each),
            )
            for name, each in groups.items()
        ],
    )


def _lost(each):
    told = f"{each['lost']} of {each['readable']}"
    return f"{told}, {_percent(each['lost_share'])}" if each["lost"] else told


def _table(figures):
    yield "## Whole tables\n"
    yield (
        f"`tumbler bench table --rounds {figures['rounds']} --seed {figures['seed']}`, commit"
        f" `{figures['commit']}`.\n"
    )
    yield (
        f"**{figures['wrong']} wrong** of {figures['settled']:,} rounds settled, at most"
        f" {_percent(figures['wrong_at_most'])}: **{figures['misread']} with a wrong face,"
        f" {figures['mispaid']} with a wrong amount**, the others right but of dice that must be refused;"
        f" {figures['wagers']:,} settled wagers checked against odds"
        f" written down a second time; {len(figures['findings'])} findings in the audits of records and"
        f" ledgers. Faces of settled rounds {figures['faces']['counts']}, p {figures['faces']['p']:.3f}.\n"
    )
    how = sorted(figures["judged"])
    yield from _markdown(("rounds", *how), [("all", *(figures["judged"][each] for each in how))])
    for axis, groups in figures["by"].items():
        yield from _markdown(
            (axis, *how), [(name, *(of.get(each, 0) for each in how)) for name, of in groups.items()]
        )


def _fairness(*strengths):
    yield "## Fairness of the dice\n"
    yield (
        "Rounds of four strokes by `tumbler twin rounds`, each from where the dice lay; p of Pearson's"
        " chi-square. Strokes that are too weak keep faces: the device voids those rounds as too few tumbles,"
        " and what the rounds that it reads still show is the residual.\n"
    )
    yield from _markdown(
        (
            "rounds",
            "p of faces",
            "of each die",
            "of totals",
            "round to round",
            "least",
            "dice that keep a face",
        ),
        [
            (
                f"{name}; commit `{played['commit']}`, seed {played['seed']}",
                _p(told["faces"]),
                " ".join(map(_p, told["dice"])),
                _p(told["totals"]),
                _p(told["following"]),
                f"{told['least_p']:.3f}",
                f"{100 * told['kept']:.2f} %, fair: 16.67 %",
            )
            for played in strengths
            for name, told in _of_strength(played)
        ],
    )


def _of_strength(played):
    newtons = f"strokes of {played['force']:g} N"
    void = played["void_too_few_tumbles"]
    yield f"{played['rounds']:,}, {newtons}, {void:,} void as too few tumbles", played["fairness"]
    if played["fairness_of_read"]:
        yield f"{played['read']:,} of them that a device reads", played["fairness_of_read"]


def _p(test):
    return f"{test['p']:.3f}"


def _markdown(head, rows):
    yield "| " + " | ".join(map(str, head)) + " |"
    yield "|---" * len(head) + "|"
    for row in rows:
        yield "| " + " | ".join(f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row) + " |"
    yield ""


def _percent(share):
    return "none" if share is None else f"{100 * share:.2g} %"


def main(arguments):
    check = is_check("campaign_page.py", arguments)
    figures = [FOLDER / f"{name}.json" for name in NAMES]
    missing = [path for path in figures if not path.exists()]
    if missing:
        sys.exit(f"no {', '.join(str(path.relative_to(ROOT)) for path in missing)}: run the campaigns first")
    bring_up_to_date(
        "campaign_page.py", {PAGE: text(*(json.loads(path.read_text()) for path in figures))}, check
    )


if __name__ == "__main__":
    main(sys.argv[1:])
