"""Machines unlike the drawing: a lens nearer, farther or so soft that pips reach the edge, a light platform,
more light than the camera can show. What is told of them is true, and nothing is read wrong.
"""

from dataclasses import replace

import numpy as np
import pytest

from host_tools.calibration import Calibration, Rig, load, write_profile
from host_tools.calibration.rig import find_images, find_platform
from host_tools.read.runtimes import READERS, Runtime
from host_tools.twin.camera import STYLES, Tracer
from host_tools.twin.camera import Rig as Machine
from host_tools.twin.camera.photos import photograph
from host_tools.twin.camera.styles import Brand
from host_tools.twin.placing import place
from host_tools.twin.truth import tell
from host_tools.twin.unit import Unit, generator

UNIT, SIZE, STYLE = Unit(21), "320x240", STYLES["white_black"]
SCENES = ("flat", "touching", "wall") * 4
DRAWN = UNIT.rig(SIZE, "four")


def seen_from(height: float) -> Machine:
    """The drawn machine with its lens so many mm above the platform, which it sees as large."""
    lens = DRAWN.lens
    scale = height / lens.at[2]
    return replace(DRAWN, lens=replace(lens, at=(*lens.at[:2], height), focal=lens.focal * scale))


def calibrated(machine: Machine, rig: Rig, folder, style=STYLE):
    """The profile's path, its fields and what was told, of pictures taken with a machine."""
    photograph(Tracer(machine), style, folder, generator("photographs"), UNIT.edge, machine.platform)
    told: list[str] = []
    calibration = Calibration(load(folder / "empty"), rig, told.append)
    calibration.measure_light(folder)
    calibration.measure_gains(folder)
    fields = calibration.profile(style.name, "dark-pips", folder)
    write_profile(fields, folder / "profile.json")
    return folder / "profile.json", fields, told


def answers(machine: Machine, profile, runtime: Runtime, categories=SCENES):
    """(faces that lie there, answer) of a scene of each category."""
    camera = Tracer(machine)
    with READERS[runtime](profile, 3) as read:
        for number, category in enumerate(categories):
            rng = generator(f"scene of another machine {category}", number)
            scene = place(category, UNIT.machine(), rng)
            frames = [frame.tobytes() for frame in camera.render(scene, STYLE, rng).frames]
            yield tell(scene).faces, read(frames)


@pytest.mark.parametrize("height", [135.0, 290.0])
def test_with_its_height_told_both_readers_read_what_another_lens_sees(height, tmp_path):
    machine = seen_from(height)
    profile, _, _ = calibrated(machine, Rig(die=UNIT.edge, camera=height), tmp_path)
    for runtime, least in ((Runtime.MICROPYTHON, 12), (Runtime.HOST, 11)):
        read = [(true, answer) for true, answer in answers(machine, profile, runtime) if answer["faces"]]
        assert all(sorted(answer["faces"]) == sorted(true) for true, answer in read)
        assert len(read) >= least, runtime


def test_a_light_floor_near_a_lamp_is_not_taken_for_its_mirror_image(tmp_path):
    machine = replace(DRAWN, platform_grey=0.45, sensor=replace(DRAWN.sensor, white=165.0))
    photograph(Tracer(machine), STYLE, tmp_path, generator("photographs"), UNIT.edge, machine.platform)
    empty = load(tmp_path / "empty")
    assert max(np.percentile(frame, 98) for frame in empty) > 150, "the floor is as bright as images may be"
    platform = find_platform(empty)
    for of_lamp in find_images(empty, platform):
        assert len(of_lamp) == 1
        assert of_lamp[0][2] < 0.12 * platform[2]


def test_dice_too_bright_to_show_their_tilt_are_not_called_tilted(tmp_path):
    machine = replace(DRAWN, sensor=replace(DRAWN.sensor, white=165.0))
    profile, _, told = calibrated(machine, Rig(die=UNIT.edge), tmp_path)
    assert any("dice at the wall are burnt out" in line for line in told), told
    for runtime in (Runtime.MICROPYTHON, Runtime.HOST):
        read = 0
        for true, answer in answers(machine, profile, runtime):
            assert answer["reason"] != "not-flat", answer["detail"]
            assert not answer["faces"] or sorted(answer["faces"]) == sorted(true)
            read += bool(answer["faces"])
        assert read >= 6, runtime


def test_cocked_dice_that_burn_are_refused(tmp_path):
    machine = replace(DRAWN, sensor=replace(DRAWN.sensor, white=165.0))
    profile, _, _ = calibrated(machine, Rig(die=UNIT.edge), tmp_path)
    for runtime in (Runtime.MICROPYTHON, Runtime.HOST):
        assert not any(answer["faces"] for _, answer in answers(machine, profile, runtime, ("cocked",) * 12))


def test_dice_that_the_camera_can_show_are_not_told_of(tmp_path):
    _, _, told = calibrated(DRAWN, Rig(die=UNIT.edge), tmp_path)
    assert not any("burnt" in line for line in told)


def test_pips_that_a_soft_lens_joins_to_the_edge_hide_no_face(tmp_path):
    broad = Brand("broad", pitch=0.27, pip=0.12, single=0.13, six=(0.3, 0.25), depth=0.15)
    machine = replace(DRAWN, platform_grey=0.33, sensor=replace(DRAWN.sensor, blur=0.83))
    _, fields, _ = calibrated(
        machine, Rig(die=UNIT.edge), tmp_path, replace(STYLES["ivory_black"], brand=broad)
    )
    assert fields["faces"]["6"]["pips"][0] == pytest.approx([-0.28, -0.34], abs=0.02)
