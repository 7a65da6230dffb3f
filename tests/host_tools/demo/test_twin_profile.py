"""The profile of the demo's tumbler is what its camera gives, and it reads what that camera shows."""

import subprocess
import sys
from pathlib import Path

from host_tools.demo.twin import PROFILE, SIZE, STYLE, UNIT
from host_tools.read.runtimes import read_on_cpython
from host_tools.twin.placing import place
from host_tools.twin.truth import tell
from host_tools.twin.unit import generator

ROOT = Path(__file__).resolve().parents[3]
SCENES = 12


def test_it_is_what_calibration_makes_of_the_camera() -> None:
    command = [sys.executable, ROOT / "tools" / "make_twin_profile.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_device_reads_flat_dice_with_it_and_none_wrong() -> None:
    camera, style = UNIT.camera(SIZE, "four", "tracer"), UNIT.style(STYLE)
    right = 0
    with read_on_cpython(PROFILE, 3) as read:
        for number in range(SCENES):
            rng = generator(number, "profile's test")
            scene = place("flat", UNIT.machine(), rng)
            answer = read([frame.tobytes() for frame in camera.render(scene, style, rng).frames])
            if answer["verdict"] == "read":
                assert sorted(answer["faces"]) == sorted(tell(scene).faces)
                right += 1
    assert right >= SCENES - 1
