"""Measures what the reader's margins are worth, and writes firmware/tumbler/reader/confidence_bands.py.

    python tools/fit_confidence.py [SCENES]

Reads so many scenes (6,000 when left out: six minutes on two free cores) of the twin under four lamps, of a
seed on which no check was tuned. It is to be run anew whenever a check of the reader has changed. The
campaign is kept in build/confidence and goes on where it was stopped.
"""

import json
import os
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "firmware")]

from host_tools.campaign import reader  # noqa: E402
from host_tools.campaign.confidence import bands, worth  # noqa: E402
from host_tools.campaign.profiles import Profiles  # noqa: E402
from host_tools.twin.mix import Mix, load_mix  # noqa: E402
from tumbler.reader import load_profile  # noqa: E402
from tumbler.reader.confidence import is_well_seen  # noqa: E402
from tumbler.reader.profile import DARK_PIPS, LIGHT_PIPS  # noqa: E402

SCENES = 6000
SEED = 8000
BANDS = ROOT / "firmware" / "tumbler" / "reader" / "confidence_bands.py"
HEAD = '''"""What margins are worth, by the pips' polarity, for dice seen small and for well seen ones.

Made by tools/fit_confidence.py at commit {commit}: {scenes:,} scenes of seed {seed}. Each band has the least
margin that belongs to it, and what it is worth, both in thousandths.
"""

BANDS = {{
'''


def fitted(folder, figures):
    """The file's text, from the results in the folder of a campaign with such figures."""
    dice = defaultdict(list)
    profiles = Profiles(folder / "profiles", SEED, figures["units"])
    for line in (folder / "results.jsonl").read_text().splitlines():
        result = json.loads(line)
        if result["dice"]:
            profile = profiles.path(result["unit"], result["size"], result["lamps"], result["style"])
            dice[profile] += [(margin, deserved) for margin, _, deserved in result["dice"]]
    kinds = defaultdict(list)
    for path, told in dice.items():
        profile = load_profile(str(path))
        kinds[profile.polarity, is_well_seen(profile)] += told
    parts = [_polarity(polarity, kinds) for polarity in (DARK_PIPS, LIGHT_PIPS)]
    return "".join([HEAD.format(**figures), *parts, "}\n"])


def _polarity(polarity, kinds):
    lines = [f'    "{polarity}": (\n']
    for well_seen in (False, True):
        lines.append("        (\n")
        for band in bands(kinds[polarity, well_seen]):
            least, count, deserved = band
            lines.append(
                f"            ({least}, {worth(band)}),  # {deserved:,} of {count:,} dice deserved it\n"
            )
        lines.append("        ),\n")
    return "".join([*lines, "    ),\n"])


def main(arguments):
    if len(arguments) > 1 or not all(map(str.isdecimal, arguments)):
        sys.exit(__doc__)
    scenes = int(arguments[0]) if arguments else SCENES
    folder = ROOT / "build" / "confidence" / reader.commit()
    four = Mix(load_mix().shares | {"lamps": {"four": 100.0}})
    figures = reader.run(scenes, SEED, os.cpu_count() or 1, folder, mix=four)
    BANDS.write_text(fitted(folder, figures), encoding="utf-8")
    print("wrote", BANDS.relative_to(ROOT))


if __name__ == "__main__":
    main(sys.argv[1:])
