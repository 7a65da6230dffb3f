"""Makes the reader's profile for the demo's tumbler of the twin, from the pictures that its camera takes.

    python tools/make_twin_profile.py [--check]

--check only says whether the profile in the project is another than the one it would make.
"""

import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "firmware")]

from generated_files import is_check  # noqa: E402

from host_tools.calibration import Calibration, Rig, load, write_profile  # noqa: E402
from host_tools.demo.twin import PROFILE, SIZE, STYLE, UNIT  # noqa: E402

CLOSE = 0.01  # other builds of the mathematics differ in the last digits


def make(path):
    """Take the pictures, measure them, write the profile to `path`."""
    with tempfile.TemporaryDirectory() as folder:
        pictures = Path(folder)
        UNIT.photograph(pictures, STYLE, SIZE, "four")
        calibration = Calibration(load(pictures / "empty"), Rig(die=UNIT.edge), lambda text: None)
        calibration.measure_light(pictures)
        calibration.measure_gains(pictures)
        write_profile(calibration.profile(path.stem, "dark-pips", pictures), path)


def alike(one, other):
    """Whether two profiles say the same, numbers to within CLOSE of them."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= CLOSE * max(1, abs(one), abs(other))
    return one == other


def main(arguments):
    if not is_check("make_twin_profile.py", arguments):
        make(PROFILE)
        print("wrote", PROFILE.relative_to(ROOT))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / PROFILE.name
        make(path)
        if not PROFILE.exists() or not alike(json.loads(path.read_text()), json.loads(PROFILE.read_text())):
            sys.exit(f"stale: {PROFILE.relative_to(ROOT)}; run tools/make_twin_profile.py")


if __name__ == "__main__":
    main(sys.argv[1:])
