"""Scenario files: the whole set is sound and complete, and every mistake in one is named."""

import json
from pathlib import Path

import pytest

from host_tools.virtual_board import ScenarioError, everyday, load_scenario
from host_tools.virtual_board.board import FRAMES
from host_tools.virtual_board.scenario import (
    CAMERAS,
    CUES,
    HOST_BEHAVIOURS,
    PLANT_TRIGGERS,
    check_scenes,
)

FILES = sorted((Path(__file__).resolve().parents[3] / "scenarios").glob("*.toml"))
WHOLE = """
title = "A round"
mode = "covered"

[[round]]
scene = "0008"
expect = "read"
faces = [2, 4, 5]

[[round.event]]
when = "stroke"
nth = 2
levels = { tilted = true }
"""


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_file_loads_and_has_its_scenes(file):
    scenario = load_scenario(file)
    check_scenes(scenario, FRAMES / scenario.frames)
    assert (Path("firmware/profiles") / scenario.profile).exists()


def test_the_set_uses_every_host_behaviour_and_camera():
    rounds = [played for file in FILES for played in load_scenario(file).rounds]
    assert {played.host for played in rounds} == set(HOST_BEHAVIOURS)
    events = [event for played in rounds for event in played.events]
    assert {event.camera for event in events} - {""} == set(CAMERAS)
    assert set(CUES) <= {event.when for event in events}


def test_the_set_cuts_the_power_at_every_stage():
    cuts = {
        event.when
        for file in FILES
        for played in load_scenario(file).rounds
        for event in played.events
        if event.power_off_ms is not None
    }
    assert cuts >= {"round-opened", "stroke", "rest", "no-more-bets", "cover-released", "capture", "drive"}


def test_a_title_is_given_once():
    titles = [load_scenario(file).title for file in FILES]
    assert len(set(titles)) == len(titles)


def load(tmp_path, text):
    file = tmp_path / "scenario.toml"
    file.write_text(text)
    return load_scenario(file)


def test_a_whole_file(tmp_path):
    scenario = load(tmp_path, WHOLE)
    [played] = scenario.rounds
    [event] = played.events
    assert (scenario.mode, played.faces, event.nth, event.levels) == (
        "covered",
        (2, 4, 5),
        2,
        {"tilted": True},
    )


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('title = "A round"\n', "", "scenario.toml: key 'title' is missing"),
        ('title = "A round"', "title = 3", "scenario.toml: title: str is wanted, not 3"),
        ('"covered"', '"hidden"', "mode: 'hidden' is none of covered, open"),
        ('mode = "covered"', 'mode = "covered"\nspeed = 2', "unknown key 'speed'; known: title, mode"),
        ('mode = "covered"', 'mode = "covered"\ntick_us = 1073741824', "tick_us: 1073741824 is not within"),
        ('scene = "0008"\n', "", "round 1: key 'scene' is missing"),
        ('"read"', '"won"', "round 1: expect: 'won' is none of"),
        ("faces = [2, 4, 5]", "faces = [4, 2, 5]", "round 1: faces: a round that is read needs three faces"),
        ("faces = [2, 4, 5]", "faces = [0, 4, 5]", "round 1: faces"),
        ("faces = [2, 4, 5]", "faces = [2, 4]", "round 1: faces"),
        ("faces = [2, 4, 5]", 'faces = [2, 4, 5]\nfact = "tilted"', "round 1: fact"),
        ('"read"\nfaces = [2, 4, 5]', '"void"\nfact = "memory-fault"', "round 1: fact: a void round needs"),
        ('"read"\nfaces = [2, 4, 5]', '"refused"\nfact = "stacked"', "round 1: fact: a refused round"),
        ("faces = [2, 4, 5]", "faces = [2, 4, 5]\nclear = false", "round 1: clear"),
        (
            "faces = [2, 4, 5]",
            "faces = [2, 4, 5]\nstrokes = [{ width_us = 5 }]",
            "stroke 1: key 'speed_mm_s'",
        ),
        ("faces = [2, 4, 5]", "faces = [2, 4, 5]\nstrokes = [5]", "stroke 1: a table of keys is wanted"),
        ('"stroke"', '"storm"', "round 1: event 1: when: 'storm' is none of"),
        ('"stroke"', '"rest"', "event 1: nth: only stroke and capture are counted"),
        ("nth = 2", "nth = true", "event 1: nth: int is wanted, not True"),
        ("nth = 2", "after_ms = -1", "event 1: after_ms: -1 is not within"),
        ("tilted = true", "tilt = true", "event 1: levels: tilt = True"),
        ("tilted = true", "tilted = 1", "event 1: levels: tilted = 1"),
        ("levels = { tilted = true }", "", "event 1: nothing happens"),
        (
            "levels = { tilted = true }",
            "vibration_mg = 5",
            "event 1: vibration_mg: goes together with for_ms",
        ),
        ("levels = { tilted = true }", 'camera = "off"', "event 1: camera: 'off' is none of"),
        ("[[round]]", "[[rounds]]", "scenario.toml: round: list is wanted"),
        ("[[round.event]]", "[round.event]", "round 1: event: list is wanted"),
        ("mode =", "mode", "scenario.toml"),
    ],
)
def test_mistakes_are_named(tmp_path, old, new, told):
    assert old in WHOLE
    with pytest.raises(ScenarioError) as caught:
        load(tmp_path, WHOLE.replace(old, new, 1))
    assert told in str(caught.value)
    assert "scenario.toml" in str(caught.value)


def test_no_rounds_and_no_file_are_named(tmp_path):
    with pytest.raises(ScenarioError, match=r"no \[\[round\]\]"):
        load(tmp_path, 'title = "Nothing"\nmode = "open"\n')
    with pytest.raises(ScenarioError, match=r"missing\.toml"):
        load_scenario(tmp_path / "missing.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ScenarioError, match=r"binary\.toml"):
        load_scenario(tmp_path / "binary.toml")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (('"0008"', '"9999"'), "round 1: scene '9999' is not in"),
        (('"0008"', '"0000"'), "scene '0000' shows asian_red dice"),
        (("[2, 4, 5]", "[2, 4, 6]"), r"faces \(2, 4, 6\) are to be read, but"),
    ],
)
def test_scenes_that_do_not_fit_are_named(tmp_path, change, told):
    scenario = load(tmp_path, WHOLE.replace(*change))
    with pytest.raises(ScenarioError, match=told):
        check_scenes(scenario, FRAMES / "scenes320")


def test_everyday_play_is_repeatable_and_only_of_readable_scenes():
    frames = FRAMES / "scenes320"
    labels = {
        label["scene"]: label for label in map(json.loads, (frames / "labels.jsonl").read_text().splitlines())
    }
    played = everyday("open", frames, 50, 7)
    assert played == everyday("open", frames, 50, 7)
    assert played.rounds != everyday("open", frames, 50, 8).rounds
    assert len(played.rounds) == 50
    check_scenes(played, frames)
    assert {labels[each.scene]["verdict"] for each in played.rounds} == {"readable"}
    with pytest.raises(ScenarioError, match="purple"):
        everyday("open", frames, 5, 7, dice="purple")


def test_every_trigger_is_documented():
    readme = (FILES[0].parent / "README.md").read_text()
    for word in (*PLANT_TRIGGERS, *CUES, *HOST_BEHAVIOURS):
        assert f"`{word}`" in readme
