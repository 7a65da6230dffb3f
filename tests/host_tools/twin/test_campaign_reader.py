"""The reader's campaign: every scene is judged by the truth, errors stand out, and it goes on."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from host_tools.campaign import reader, readings
from host_tools.campaign.profiles import Profiles
from host_tools.campaign.reader_figures import CRASHED, UNCALIBRATED, UNTROUBLED, ReaderFigures
from host_tools.campaign.readings import label_of
from host_tools.campaign.second import second_told
from host_tools.read.runtimes import ReadScene
from host_tools.scoring import Outcome, judge
from host_tools.twin.mix import Mix, load_mix
from host_tools.twin.studio import Studio

SMALL = Mix(
    load_mix().shares
    | {"size": {"320x240": 100.0}, "style": {"white_black": 100.0}, "lamps": {"four": 100.0}}
)
SEED = 0
SCENES = 10


@pytest.fixture(scope="module")
def campaign(tmp_path_factory) -> tuple[Path, dict]:
    folder = tmp_path_factory.mktemp("campaign") / "reader"
    return folder, reader.run(SCENES, SEED, 2, folder, mix=SMALL, units=1)


def results(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]


def test_every_scene_is_read_and_judged_by_what_lies_there(campaign: tuple[Path, dict]) -> None:
    folder, figures = campaign
    told = results(folder)
    assert [each["scene"] for each in told] == list(range(SCENES))
    studio = Studio(SEED, SMALL)
    for each in told:
        label = label_of(studio.shoot(each["scene"]))
        assert each["true"] == list(label.values)
        assert each["verdict"] == label.fields["verdict"]
    assert figures["all"]["scenes"] + figures["uncalibrated"] == SCENES
    assert figures["all"]["errors"] == 0
    assert figures["all"]["right"] >= 2, "it read something"
    assert sum(each["dice"] for each in figures["reliability"]) == 3 * figures["all"]["right"]
    assert [each["second"] is not None for each in told] == [bool(each["read"]) for each in told]
    assert figures["second"]["all"]["agreed"] == figures["all"]["right"]
    assert sum(each["scenes"] for each in figures["recipe"]["size"].values()) == figures["all"]["scenes"]
    assert any(each["recipe"] != each["outcome"] for each in told), "the recipe is another reader"
    assert (figures["seed"], figures["units"]) == (SEED, 1)
    assert json.loads((folder / "figures.json").read_text()) == figures


def test_it_goes_on_and_comes_to_the_same_as_in_one_go(campaign: tuple[Path, dict], tmp_path: Path) -> None:
    folder, _ = campaign
    reader.run(3, SEED, 1, tmp_path / "parts", mix=SMALL, units=1)
    reader.run(SCENES, SEED, 1, tmp_path / "parts", mix=SMALL, units=1)
    alike = [{k: v for k, v in each.items() if not k.endswith("_ms")} for each in results(folder)]
    parts = [{k: v for k, v in each.items() if not k.endswith("_ms")} for each in results(tmp_path / "parts")]
    assert parts == alike


def test_the_report_shows_what_was_refused_though_readable(campaign: tuple[Path, dict]) -> None:
    folder, figures = campaign
    page = (folder / "report.html").read_text()
    assert figures["commit"] in page
    assert page.count("<figure>") == figures["all"]["errors"] + figures["all"]["lost"]
    assert "http" not in page, "a page that needs nothing else"


def line(number: int, outcome: Outcome | str, **changes) -> dict:
    fields = {
        "scene": number,
        **dict.fromkeys(("category", "style", "size", "lamps", "renderer", "trouble"), "x"),
        "unit": 0,
        "verdict": "readable",
        "outcome": str(outcome),
        "recipe": str(Outcome.WRONG),
        "pairs": [],
        "dice": [],
        "refusal": "",
        "detail": "",
        "second": None
        if str(outcome).startswith("refused")
        else {"held": False, "reason": None, "detail": None},
        "read_ms": 1,
    }
    return fields | changes


def test_every_kind_of_error_is_counted_and_named() -> None:
    counted = ReaderFigures(
        [
            line(
                0,
                Outcome.RIGHT,
                pairs=[(1, 1), (2, 2), (3, 3)],
                dice=[(0.5, 0.991, True), (0.6, 0.991, True), (0.1, 0.9, False)],
            ),
            line(1, Outcome.WRONG, pairs=[(1, 1), (2, 5), (3, None)]),
            line(2, Outcome.READ_ANYWAY, verdict="must_refuse"),
            line(3, Outcome.LOST, refusal="not-flat", detail="tilt"),
            line(4, Outcome.LOST, refusal=CRASHED, detail="MemoryError"),
            line(5, Outcome.REFUSED_RIGHTLY, verdict="must_refuse"),
            line(6, UNCALIBRATED),
        ]
    )
    told = counted.as_json()
    assert told["recipe"]["category"]["x"]["errors"] == 6
    assert counted.wrong == [1, 2]
    assert counted.lost == [3, 4]
    assert told["crashed"] == 1
    assert told["uncalibrated"] == 1
    assert told["all"]["errors"] == 2
    assert told["all"]["readable"] == 4
    assert told["all"]["lost_share"] == 0.5
    assert told["confusion"] == {"1 as 1": 2, "2 as 2": 1, "2 as 5": 1, "3 as 3": 1, "3 as none": 1}
    assert [(each["claimed"], each["dice"], each["deserved"]) for each in told["reliability"]] == [
        (0.9, 1, 0),
        (0.991, 2, 2),
    ]
    assert told["refusals"] == [["not-flat", "tilt", 1], [CRASHED, "MemoryError", 1]]
    assert not reader.is_clean(told)
    assert reader.is_clean(ReaderFigures([line(0, Outcome.RIGHT)]).as_json())
    assert not reader.is_clean(ReaderFigures([line(0, Outcome.LOST, refusal=CRASHED)]).as_json())


def test_what_the_recommended_machine_sees_is_counted_apart_by_size_and_category() -> None:
    sound = {"lamps": "four", "trouble": "none", "size": "320x240", "category": "flat"}
    results = [
        line(0, Outcome.RIGHT, **sound),
        line(1, Outcome.LOST, **sound),
        line(2, Outcome.LOST, **sound | {"trouble": "blur"}),
        line(3, Outcome.LOST, **sound | {"lamps": "ring"}),
        line(4, Outcome.RIGHT, **sound | {"category": "touching"}),
    ]
    told = ReaderFigures(results).as_json()["by"][UNTROUBLED]
    assert {name: (each["lost"], each["readable"]) for name, each in told.items()} == {
        "320x240, flat": (1, 2),
        "320x240, touching": (0, 1),
    }


def test_what_the_second_reader_says_is_counted_by_what_reading_the_scene_was() -> None:
    held = {"second": {"held": True, "reason": "not-flat", "detail": "tilt"}}
    sound = {"lamps": "four", "trouble": "none", "size": "320x240", "category": "flat"}
    told = ReaderFigures(
        [
            line(0, Outcome.RIGHT, **sound),
            line(1, Outcome.RIGHT, **sound, **held),
            line(2, Outcome.RIGHT, **held, verdict="borderline"),
            line(3, Outcome.READ_ANYWAY, **held, verdict="must_refuse"),
            line(4, Outcome.READ_ANYWAY, verdict="must_refuse"),
            line(5, Outcome.WRONG, **held),
            line(6, Outcome.DECEIVED, **held, verdict="undecidable"),
            line(7, Outcome.LOST),
            line(8, UNCALIBRATED),
        ]
    ).as_json()["second"]
    counts = told["all"]
    assert (counts["agreed"], counts["held_needlessly"], counts["held_share"]) == (1, 1, 0.5)
    assert (counts["borderline_agreed"], counts["borderline_held"]) == (0, 1)
    assert (counts["errors_held"], counts["errors_agreed"]) == (2, 1)
    assert told["held"] == [["not-flat", "tilt", 1]]
    assert told["agreed_scenes"] == [4]
    by = told["by"][UNTROUBLED]["320x240, flat"]
    assert (by["agreed"], by["held_needlessly"], by["errors_held"]) == (1, 1, 0)


@pytest.mark.parametrize(("faces", "held"), [([3, 1, 2], False), ([1, 2, 2], True), ([], True)])
def test_another_reading_and_a_refusal_hold_the_round(faces: list[int], held: bool) -> None:
    second = {"faces": faces, "reason": "unreadable", "detail": "why"}
    told = second_told({"faces": [1, 2, 3]}, second)
    assert told == {"held": held, "reason": "unreadable", "detail": "why"}


def test_a_second_reader_that_ends_with_an_error_holds_the_round(
    campaign: tuple[Path, dict], monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_nothing(frames: list[bytes]) -> dict:
        raise ZeroDivisionError("frames")

    @contextmanager
    def read_on_host(profile: Path, count: int) -> Iterator[ReadScene]:
        yield read_nothing

    monkeypatch.setattr(readings, "read_on_host", read_on_host)
    folder, _ = campaign
    number = next(each["scene"] for each in results(folder) if each["outcome"] == Outcome.RIGHT)
    profiles = Profiles(folder / "profiles", SEED, 1)
    told = readings.Readings(Studio(SEED, SMALL), profiles)(number)
    assert told["outcome"] == Outcome.RIGHT
    assert told["second"] == {"held": True, "reason": CRASHED, "detail": "ZeroDivisionError: frames"}


def test_a_wrong_face_is_wrong_though_the_set_of_faces_is_right() -> None:
    studio = Studio(SEED, SMALL)
    shot = next(shot for shot in map(studio.shoot, range(99)) if len(set(shot.label["values"])) == 3)
    dice = [
        {"face": die["face"], "x": die["top_px"][0], "y": die["top_px"][1], "side": 28.0}
        for die in shot.label["dice"]
    ]
    answer = {"verdict": "read", "faces": shot.label["values"], "dice": dice}
    label = label_of(shot)
    right = Outcome.READ_ANYWAY if label.must_refuse else Outcome.RIGHT
    assert judge(label, answer).outcome is right
    dice[0]["face"], dice[1]["face"] = dice[1]["face"], dice[0]["face"]
    assert judge(label, answer).outcome.is_error
