"""Makes the reader's profiles that the project ships, from the calibration pictures of the rig.

    python tools/make_profiles.py SCENES OUT

SCENES/calib holds `empty/lamp0..3.png` and, for each style of dice, STYLE/face1..6/lamp0..3.png with one die
near the centre. Writes OUT/STYLE_WIDTH.json for each style.
"""

import sys
from pathlib import Path

from host_tools.calibration import Calibration, load, write_profile
from host_tools.calibration.rig import Rig
from tumbler.reader.profile import DARK_PIPS, LIGHT_PIPS

STYLES = {
    "white_black": DARK_PIPS,
    "ivory_black": DARK_PIPS,
    "asian_red": DARK_PIPS,
    "black_white": LIGHT_PIPS,
    "casino_red": LIGHT_PIPS,
}
MATT = "white_black"  # the style whose gloss disturbs the lamps' strengths least


def main(scenes, out):
    calib = scenes / "calib"
    calibration = Calibration(load(calib / "empty"), Rig(), print)
    calibration.measure_light(calib / MATT)
    calibration.measure_gains(calib / MATT)
    for style, polarity in STYLES.items():
        fields = calibration.profile(style, polarity, calib / style)
        path = out / f"{style}_{fields['width']}.json"
        write_profile(fields, path)
        print("wrote", path)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
