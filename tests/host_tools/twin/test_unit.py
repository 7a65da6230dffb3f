"""Each tumbler of the twin has sets of dice of its own make and finish, the same whenever asked for."""

from host_tools.twin.camera import STYLES
from host_tools.twin.unit import Unit


def test_number_0_has_dice_of_an_ordinary_make_and_finish():
    for name, style in STYLES.items():
        assert Unit(3).style(name) == style


def test_every_other_set_of_dice_has_a_finish_of_its_own():
    sets = [Unit(3, number).style(name) for number in range(1, 20) for name in STYLES]
    assert len({(style.gloss, style.sharp, style.matt) for style in sets}) == len(sets)
    assert sets == [Unit(3, number).style(name) for number in range(1, 20) for name in STYLES]
    assert min(style.matt for style in sets) < 0.8 < max(style.matt for style in sets) <= 1
    for style in sets:
        assert 0.5 < style.gloss / STYLES[style.name].gloss < 1.5
