"""Scoring: a wrong face is always an error, must-refuse scenes are never right, and bounds are honest."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host_tools.scoring import LabelError, Outcome, Tally, clopper_pearson, judge, load_labels

FACES = st.lists(st.integers(1, 6), min_size=1, max_size=4)
PLACES = [(50.0, 50.0), (100.0, 60.0), (50.0, 110.0), (120.0, 120.0)]


def labels_of(tmp_path, *scenes):
    (tmp_path / "labels.jsonl").write_text("".join(json.dumps(scene) + "\n" for scene in scenes))
    return load_labels(tmp_path)


def scene(faces, name="0000", **more):
    dice = [
        {"face": face, "tilt_deg": 0.1, "top_px": list(at)} for face, at in zip(faces, PLACES, strict=False)
    ]
    fields = {"scene": name, "category": "flat", "style": "white_black", "values": faces, "dice": dice}
    return {**fields, "must_refuse": False, "borderline": False, **more}


def answer(faces, shift=0.0):
    dice = [
        {"face": face, "x": x + shift, "y": y, "side": 26.0}
        for face, (x, y) in zip(faces, PLACES, strict=False)
    ]
    return {"verdict": "read", "faces": faces, "dice": dice}


REFUSED = {"verdict": "refused", "faces": [], "reason": "not-flat", "detail": "tilt 9.0 deg", "dice": []}


@given(true=FACES, read=FACES)
def test_only_the_faces_that_lie_there_are_right(tmp_path_factory, true, read):
    [label] = labels_of(tmp_path_factory.mktemp("set"), scene(true))
    outcome = judge(label, answer(read)).outcome
    assert (outcome is Outcome.RIGHT) == (true == read)
    assert outcome.is_error == (true != read)


def test_two_wrong_faces_that_make_the_right_set_are_an_error(tmp_path):
    [label] = labels_of(tmp_path, scene([3, 4, 5]))
    found = judge(label, answer([4, 3, 5]))
    assert found.outcome is Outcome.WRONG
    assert found.pairs == ((3, 4), (4, 3), (5, 5))


def test_dice_read_where_none_lie_are_an_error(tmp_path):
    [label] = labels_of(tmp_path, scene([3, 4, 5]))
    found = judge(label, answer([3, 4, 5], shift=17.0))
    assert found.outcome is Outcome.WRONG
    assert found.pairs[:3] == ((3, None), (4, None), (5, None))


def test_without_places_the_set_of_faces_counts(tmp_path):
    fields = {"file": "a.png", "set": "tray", "values": [5, 2, 5]}
    [label] = labels_of(tmp_path, fields)
    assert judge(label, {"verdict": "read", "faces": [2, 5, 5]}).outcome is Outcome.RIGHT
    wrong = judge(label, {"verdict": "read", "faces": [2, 2, 5]})
    assert wrong.outcome is Outcome.WRONG
    assert sorted(wrong.pairs) == [(2, 2), (5, 2), (5, 5)]
    assert judge(label, {"verdict": "read", "faces": [2, 5]}).outcome is Outcome.WRONG


def test_a_disguised_die_may_be_read_as_what_shows_and_as_nothing_else(tmp_path):
    disguised = scene([3, 4, 5], verdict="undecidable")
    disguised["dice"][0]["shows"] = 2
    [label] = labels_of(tmp_path, disguised)
    assert judge(label, answer([2, 4, 5])).outcome is Outcome.DECEIVED
    assert not Outcome.DECEIVED.is_error
    assert judge(label, answer([3, 4, 4])).outcome is Outcome.WRONG
    assert judge(label, REFUSED).outcome is Outcome.NOT_DECEIVED


@pytest.mark.parametrize(
    ("flags", "read", "refused"),
    [
        ({"must_refuse": True}, Outcome.READ_ANYWAY, Outcome.REFUSED_RIGHTLY),
        ({"borderline": True}, Outcome.RIGHT, Outcome.REFUSED_BORDERLINE),
        ({}, Outcome.RIGHT, Outcome.LOST),
    ],
)
def test_what_must_be_refused_and_what_may(tmp_path, flags, read, refused):
    [label] = labels_of(tmp_path, scene([1, 2, 3], **flags))
    assert judge(label, answer([1, 2, 3])).outcome is read
    assert judge(label, REFUSED).outcome is refused


def test_a_borderline_scene_read_wrong_is_an_error(tmp_path):
    [label] = labels_of(tmp_path, scene([1, 2, 3], borderline=True))
    assert judge(label, answer([1, 2, 4])).outcome is Outcome.WRONG


def test_counts_by_category_style_and_face(tmp_path):
    labels = labels_of(
        tmp_path,
        scene([1, 2, 3]),
        scene([4, 4, 4], name="0001", style="ivory_black"),
        scene([6, 6, 6], name="0002", category="stacked", must_refuse=True),
        scene([5, 5, 5], name="0003"),
    )
    tally = Tally()
    for label, given_answer in zip(
        labels, [answer([1, 2, 3]), answer([4, 4, 5]), REFUSED, REFUSED], strict=True
    ):
        tally.add(label, given_answer)
    assert (tally.all.scenes, tally.all.right, tally.all.wrong, tally.all.refused, tally.all.lost) == (
        4, 1, 1, 2, 1,
    )  # fmt: skip
    assert tally.by_category()["stacked"].refused == 1
    assert tally.by_style()["ivory_black"].wrong == 1
    assert tally.by_style()["white_black"].reasons == {("not-flat", "tilt 9.0 deg"): 1}
    assert tally.confusion[4, 5] == 1
    assert tally.confusion[4, 4] == 2
    assert [error[1] for error in tally.errors] == ["0001"]


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"scene": "a", "category": "flat", "values": ["x"]}'])
def test_a_bad_label_names_its_line(tmp_path, text):
    (tmp_path / "labels.jsonl").write_text(json.dumps(scene([1])) + "\n" + text + "\n")
    with pytest.raises(LabelError, match=r"labels\.jsonl:2"):
        load_labels(tmp_path)


def test_no_error_in_n_bounds_the_rate_by_three_in_n():
    assert clopper_pearson(0, 30_000)[1] == pytest.approx(3 / 30_000, rel=0.01)
    assert clopper_pearson(0, 0) == (0.0, 1.0)
    assert clopper_pearson(5, 5) == (pytest.approx(0.05 ** (1 / 5)), 1.0)


def test_bounds_agree_with_published_values():
    # Fleiss, Levin, Paik 2003; 4 of 20, two-sided 95 %: 0.0573 to 0.4366.
    lower, upper = clopper_pearson(4, 20, 0.975)
    assert (round(lower, 4), round(upper, 4)) == (0.0573, 0.4366)


@pytest.mark.parametrize("rate", [0.002, 0.3])
def test_bounds_hold_the_true_rate_as_often_as_promised(rate):
    rng = random.Random(7)
    held = 0
    for _ in range(400):
        events = sum(rng.random() < rate for _ in range(300))
        lower, upper = clopper_pearson(events, 300, 0.95)
        held += lower <= rate <= upper
    assert held >= 0.88 * 400


@pytest.mark.parametrize("arguments", [(-1, 3), (4, 3), (1, 3, 0.0), (1, 3, 1.0)])
def test_impossible_counts_are_refused(arguments):
    with pytest.raises(ValueError, match="not a count"):
        clopper_pearson(*arguments)
