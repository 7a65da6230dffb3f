"""Writes docs/reader.md: what the dice readers make of every set of scenes, with the date and the commit.

    python tools/reader_page.py [DATE]

Reads the committed sets and those in the folder that FRAMES names, as `tumbler bench reader` does; it takes
minutes. DATE: today's when left out.
"""

import datetime
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks import reader  # noqa: E402 - the checkout's, wherever this is run from
from host_tools.campaign.commit import commit  # noqa: E402
from host_tools.scoring import Counts  # noqa: E402

PAGE = ROOT / "docs/reader.md"
NAMES = {
    "device": "the device's reader, MicroPython",
    "host": "the host's second reader",
    "host, no profile": "the host's reader without a profile",
    "recipe": "popular recipe (blobs and clusters)",
}
HEAD = """# How the dice readers do

Measured on {date} at commit {commit} with `python tools/reader_page.py`. Wrong counts every scene with a face
that does not lie there, and every scene read that must be refused. The last column bounds the share of wrong
ones among the scenes read, at 95 % (Clopper and Pearson).
"""
KERNELS = """## The device's reader: viper kernels and their plain twins

Median time of a committed scene, and least heap in which one of bright dice, which touch, and one of dark
dice are read, code and a frame included, of the 64-bit MicroPython. Both twins read alike; the popular recipe
runs in compiled code.

| size | viper | plain | viper : plain | popular recipe | heap, viper | heap, plain |
|---|---|---|---|---|---|---|
"""
COLUMNS = """| category, style | scenes | right | wrong | refused | of these readable | wrong below |
|---|---|---|---|---|---|---|
"""


def main(date: str) -> None:
    parts = [HEAD.format(date=date, commit=commit())]
    for title, folder in reader.sets().items():
        for name, score in reader.score(folder).items():
            if score.tally.all.scenes:
                parts.append(_part(f"{title}: {NAMES[name]}", score))
    parts.append(KERNELS + "".join(_twins(size, reader.measure(size)) for size in reader.SCENES))
    PAGE.write_text("\n".join(parts))


def _twins(size: str, found: reader.Twins) -> str:
    ratio = f"{found.viper_ms / found.plain_ms:.2f}"
    times = f"{found.viper_ms:g} ms | {found.plain_ms:g} ms | {ratio} | {found.recipe_ms:g} ms"
    return f"| {size} | {times} | {found.viper_kb} KB | {found.plain_kb} KB |\n"


def _part(title: str, score: reader.Score) -> str:
    tally = score.tally
    lines = [f"## {title}\n", COLUMNS]
    lines += [_line(name, counts) for name, counts in tally.by_category().items()]
    styles = tally.by_style()
    if len(styles) > 1:
        lines += [_line(name, counts) for name, counts in styles.items()]
    lines.append(_line("all", tally.all))
    if score.times:
        times = sorted(score.times)
        lines.append(f"\nMedian {times[len(times) // 2]} ms a scene, slowest {times[-1]} ms.\n")
    if score.skipped:
        lines.append(f"\n{score.skipped} scenes have no profile.\n")
    return "\n".join([lines[0], "".join(lines[1:])])


def _line(name: str, counts: Counts) -> str:
    bound = f"{counts.wrong_at_most:.2%}" if counts.right + counts.wrong else ""
    cells = (name, counts.scenes, counts.right, counts.wrong, counts.refused, counts.lost, bound)
    return "| " + " | ".join(map(str, cells)) + " |\n"


if __name__ == "__main__":
    if len(sys.argv) > 2:
        raise SystemExit(__doc__)
    main(sys.argv[1] if len(sys.argv) == 2 else datetime.datetime.now(datetime.UTC).date().isoformat())
