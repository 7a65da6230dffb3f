"""The table's campaign: whole rounds on the twin, judged by what truly lay there and by published odds."""

import shutil
from dataclasses import replace
from typing import Any, cast

import pytest

from host_tools.bridge.events import RoundOutcome, WagerOutcome
from host_tools.bridge.table import Wager
from host_tools.campaign import table
from host_tools.campaign.profiles import Profiles
from host_tools.campaign.rounds import Judge, Sitting, playable
from host_tools.campaign.table_figures import TableFigures
from host_tools.demo.run import demo_terms
from host_tools.demo.twin import PROFILE, SIZE, STYLE, UNIT
from host_tools.rulebooks import load_rulebook
from host_tools.twin.placing import place
from host_tools.twin.truth import Reason, SceneTruth, tell
from host_tools.twin.unit import generator
from tests.host_tools.published_rules import LAYOUTS

ROUNDS = 8


@pytest.fixture(scope="module")
def profiles(tmp_path_factory) -> Profiles:
    """The profile that the project ships, for its one tumbler."""
    folder = tmp_path_factory.mktemp("profiles")
    sets = folder / f"{UNIT.number}-{SIZE}-four"
    sets.mkdir()
    shutil.copy(PROFILE, sets / f"{STYLE}.json")
    return Profiles(folder, UNIT.seed, 1, (SIZE,), ("four",), (STYLE,))


@pytest.mark.parametrize("number", [0, 5])
def test_a_sitting_is_played_from_stroke_to_settlement_and_nothing_is_wrong(
    profiles: Profiles, number: int
) -> None:
    sitting = Sitting(7, profiles, ROUNDS)(number)
    assert len(sitting["rounds"]) == ROUNDS
    for each in sitting["rounds"]:
        assert each["judged"] != "wrong"
        assert each["money"] == []
        if each["judged"] == "right":
            assert each["faces"] == each["true"]
    counted = TableFigures([sitting])
    assert counted.judged["right"] >= ROUNDS / 2
    assert counted.wagers > ROUNDS
    assert table.is_clean(counted.as_json())


def test_every_layout_of_dice_that_a_house_opens_is_played() -> None:
    of_dice = {each for each in LAYOUTS if load_rulebook(each[0]).play_mode != "cards"}
    assert of_dice - set(playable()) == {("duisburg-sic-bo-2019", "as-printed")}
    assert set(playable()) <= of_dice


def test_play_goes_on_after_a_die_was_found_damaged(profiles: Profiles) -> None:
    damaged, following = Sitting(7, profiles, 2)(153)["rounds"]
    assert (damaged["word"], damaged["fact"]) == ("damaged", "die-damaged"), "its fault is latched"
    assert following["judged"] == "right"


def test_the_same_seed_plays_the_same_sitting(profiles: Profiles) -> None:
    first, second = (Sitting(8, profiles, 2)(0) for _ in range(2))
    assert first == second


# --- the judge: what it must find wrong


def truth_of(category: str) -> SceneTruth:
    return tell(place(category, UNIT.machine(), generator(3, category)))


TERMS = demo_terms("mbs-electronic-sic-bo-v4", "rapid-select")
FLAT = truth_of("flat")
STAKED = [Wager("w0", "player", "small", "10.00"), Wager("w1", "player", "big", "10.00")]


def settled(faces: tuple[int, ...], **returned: str) -> RoundOutcome:
    small = 4 <= sum(faces) <= 10 and len(set(faces)) > 1
    big = 11 <= sum(faces) <= 17 and len(set(faces)) > 1
    back = {"small": "20.00" if small else "0.00", "big": "20.00" if big else "0.00"} | returned
    wagers = tuple(
        WagerOutcome(w.id, w.player, w.wager, w.stake, "won", "", "0.00", back[w.wager], "") for w in STAKED
    )
    return RoundOutcome(b"r" * 16, "settled", cast(Any, faces), "", "settle", "", 1, wagers)


def void(fact: str, returned: str = "10.00") -> RoundOutcome:
    wagers = tuple(
        WagerOutcome(w.id, w.player, w.wager, w.stake, "void", "", "0.00", returned, "") for w in STAKED
    )
    return RoundOutcome(b"r" * 16, "void", None, fact, "void", "", 1, wagers)


def judge(outcome: RoundOutcome, truth: SceneTruth = FLAT, tumbles: int = 4) -> tuple[str, list[str]]:
    judged = Judge(TERMS, truth, tumbles)
    return judged.ended(outcome), list(judged.money(outcome, STAKED))


def test_right_faces_and_right_money_are_right() -> None:
    assert judge(settled(FLAT.faces)) == ("right", [])
    assert judge(settled(tuple(reversed(FLAT.faces)))) == ("right", [])


def test_a_wrong_face_is_wrong_and_so_is_money_paid_on_it() -> None:
    others = tuple(7 - face for face in FLAT.faces)
    ended, money = judge(settled(others))
    assert ended == "wrong"
    assert len(money) == 2, "small and big are paid the other way round"


@pytest.mark.parametrize("category", ["cocked", "stacked", "damaged", "extra-die", "missing-die"])
def test_settling_what_must_be_refused_is_wrong(category: str) -> None:
    truth = truth_of(category)
    if Reason.MISSING_DIE in truth.reasons:
        truth = replace(truth, dice=FLAT.dice)
    assert judge(settled(truth.faces[:3]), truth)[0] == "wrong"
    assert judge(void("unreadable"), truth) == ("void rightly", [])


def test_settling_after_too_few_tumbles_is_wrong() -> None:
    assert judge(settled(FLAT.faces), tumbles=2)[0] == "wrong"
    assert judge(void("too-few-tumbles"), tumbles=2) == ("void rightly", [])
    assert judge(void("not-flat"), tumbles=2)[0] == "void otherwise"


def test_a_void_round_gives_stakes_back_and_is_lost_when_it_was_readable() -> None:
    assert judge(void("not-flat")) == ("lost", [])
    assert len(judge(void("not-flat", returned="0.00"))[1]) == 2


def test_a_cent_more_or_less_is_found() -> None:
    for wager, back in (("small", "20.01"), ("big", "19.99"), ("small", "0.01")):
        assert judge(settled(FLAT.faces, **{wager: back}))[1]


def test_a_wager_that_was_never_settled_is_found() -> None:
    outcome = settled(FLAT.faces)
    assert judge(replace(outcome, wagers=outcome.wagers[:1]))[1]


def test_the_figures_name_wrong_rounds_and_findings() -> None:
    sitting = {"sitting": 2, "rulebook": "r", "size": "s", "style": "t", "findings": ["a record is missing"]}
    fine = {
        "word": "rolled",
        "fact": "",
        "verdict": "settled",
        "wagers": 3,
        "faces": [1, 2, 3],
        "true": [1, 2, 3],
    }
    fine |= {"must": "readable", "judged": "right", "money": []}
    rounds = [fine, fine | {"judged": "wrong"}, fine | {"money": ["small: 1.00 back, 2 due"]}]
    rounds.append(fine | {"judged": "lost", "verdict": "void", "faces": None, "fact": "not-flat"})
    told = TableFigures([sitting | {"rounds": rounds}]).as_json()
    assert [number for number, _ in told["wrong_rounds"]] == [9, 10]
    assert (told["rounds"], told["settled"], told["wrong"], told["wagers"]) == (4, 3, 2, 9)
    assert told["facts"] == [["rolled", "not-flat", 1]]
    assert not table.is_clean(told)
    assert not table.is_clean(TableFigures([sitting | {"rounds": [fine]}]).as_json())
    assert table.is_clean(TableFigures([sitting | {"rounds": [fine], "findings": []}]).as_json())
