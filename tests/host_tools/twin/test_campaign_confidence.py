"""A confidence claims no more than its dice prove, and no die counts as sound that is not."""

from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from host_tools.campaign.confidence import bands, dice_told, reliability, worth
from host_tools.scoring import Label, LabelledDie

DICE = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=400)


@given(DICE)
def test_bands_hold_every_die_once_and_rise(dice: list[tuple[float, bool]]) -> None:
    found = bands(dice)
    edges = [least for least, _, _ in found] + [1001]
    assert edges[0] == 0
    for (_, count, deserved), (least, most) in zip(found, pairwise(edges), strict=True):
        inside = [held for margin, held in dice if least <= int(margin * 1000) < most]
        assert (count, deserved) == (len(inside), sum(inside))
    assert all(count >= 30 for _, count, _ in found[:-1])
    worths = list(map(worth, found))
    assert all(lower < upper for lower, upper in pairwise(worths))


@given(DICE)
def test_no_band_claims_more_than_its_dice_prove(dice: list[tuple[float, bool]]) -> None:
    for band in bands(dice):
        _, count, deserved = band
        assert worth(band) <= 1000 * deserved / count
        assert worth(band) < 1000 * (1 - 2.9 / count) or count < 60


def test_dice_of_which_none_was_wrong_claim_what_their_number_proves() -> None:
    assert bands([(0.7, True)] * 1000) == [(0, 1000, 1000)]
    assert worth((0, 1000, 1000)) == 997
    assert worth((0, 3000, 3000)) == 999


def test_small_margins_that_are_worth_less_are_a_band_of_their_own() -> None:
    doubtful = [(number / 4000, number % 4 > 0) for number in range(200)]
    found = bands(doubtful + [(0.05 + number / 9000, True) for number in range(1, 8000)])
    assert found[0][0] == 0
    assert worth(found[0]) < 800
    assert worth(found[-1]) == 999


def test_the_claim_stands_beside_what_held() -> None:
    dice = [(0.5, 0.96, number > 0) for number in range(100)] + [(0.9, 0.999, True)] * 2
    low, high = reliability(dice)
    assert (low["from"], low["to"], low["claimed"], low["share"]) == (0.95, 0.98, 0.96, 0.99)
    assert low["within"][0] < 0.96 < low["within"][1]
    assert (high["dice"], high["deserved"], high["claimed"]) == (2, 2, 0.999)


def told(*changes: dict, must_refuse: bool = True, faces: tuple[int, ...] = (1, 2, 3)) -> list[bool]:
    """Which of three dice deserved it, of a scene whose dice differ so from sound ones."""
    sound = {"damaged": False, "stacked": False, "tilt_deg": 0.0}
    fields = [sound | change for change in (*changes, {}, {}, {})[:3]]
    lying = tuple(LabelledDie(face, 50.0 * face, 60, 0, face) for face in (1, 2, 3))
    label = Label("s", Path("s"), "c", "x", (1, 2, 3), must_refuse, False, False, lying, {"dice": fields})
    read = [
        {"face": face, "x": 50.0 * at, "y": 60.0, "side": 28.0, "margin": 0.5, "confidence": 0.9}
        for at, face in enumerate(faces, 1)
    ]
    assert all(each[:2] == (0.5, 0.9) for each in dice_told(label, {"dice": read}))
    return [held for _, _, held in dice_told(label, {"dice": read})]


def test_right_and_sound_dice_deserve_it() -> None:
    assert told(must_refuse=False) == [True] * 3
    assert told({"tilt_deg": 5.9}, must_refuse=False) == [True] * 3, "a slight tilt may be read"


def test_a_die_that_forbids_the_scene_deserves_none_and_those_beside_it_do() -> None:
    for fault in ({"damaged": True}, {"stacked": True}, {"tilt_deg": 6.0}):
        assert told({}, fault) == [True, False, True]


def test_no_die_deserves_it_where_something_else_forbids_the_scene() -> None:
    assert told() == [False] * 3


def test_a_wrong_face_never_deserves_it() -> None:
    assert told(must_refuse=False, faces=(1, 5, 3)) == [True, False, True]
