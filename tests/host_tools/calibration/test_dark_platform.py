"""A platform so dark that the ground beyond its rim, which dice at the wall overhang, is brighter."""

from dataclasses import replace

import numpy as np
import pytest

from host_tools.calibration import Calibration, Rig, load, write_profile
from host_tools.read.runtimes import READERS, Runtime
from host_tools.twin.camera import Tracer
from host_tools.twin.camera.photos import photograph
from host_tools.twin.placing import place
from host_tools.twin.truth import tell
from host_tools.twin.unit import Unit

UNIT = Unit(12)
STYLE = "white_black"


@pytest.mark.parametrize("size", ["320x240", "160x120"])
def test_bright_dice_on_it_are_read(size, tmp_path):
    machine, style = UNIT.machine(), UNIT.style(STYLE)
    camera = Tracer(replace(UNIT.rig(size, "four"), platform_grey=0.08))
    photograph(camera, style, tmp_path, np.random.default_rng(1), UNIT.edge, machine.platform_radius)
    rig = Rig(die=UNIT.edge, platform=machine.platform_radius)
    calibration = Calibration(load(tmp_path / "empty"), rig, lambda _: None)
    calibration.measure_gains(tmp_path)
    write_profile(calibration.profile(STYLE, "dark-pips", tmp_path), tmp_path / "profile.json")
    with READERS[Runtime.MICROPYTHON](tmp_path / "profile.json", 3) as read:
        for number, category in enumerate(("flat", "wall", "flat", "wall", "flat", "wall")):
            scene = place(category, machine, np.random.default_rng(number))
            frames = camera.render(scene, style, np.random.default_rng(number)).frames
            answer = read([frame.tobytes() for frame in frames])
            assert answer["verdict"] == "read", (number, answer["reason"], answer["detail"])
            assert sorted(answer["faces"]) == sorted(tell(scene).faces)
