"""`tumbler twin render` and `rounds` as people and programs call them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from host_tools.images import load_scene

TUMBLER = os.fspath(Path(sys.executable).with_name("tumbler"))


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [TUMBLER, "twin", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)


def test_a_scene_is_drawn_as_asked_with_its_label(tmp_path: Path) -> None:
    asked = ("--category", "cocked", "--style", "ivory_black", "--size", "160x120", "--lamps", "four")
    done = run("render", tmp_path / "scene", "--seed", 4, *asked, "--trouble", "none", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["category"], told["style"], told["size"]) == ("cocked", "ivory_black", "160x120")
    assert (told["verdict"], told["reason"]) == ("must_refuse", "cocked")
    assert {(frame.width, frame.height) for frame in load_scene(tmp_path / "scene")} == {(160, 120)}
    label = json.loads((tmp_path / "scene" / "label.json").read_text())
    assert label == {name: value for name, value in told.items() if name != "folder"}


def test_the_same_seed_draws_the_same_and_says_what_for_people(tmp_path: Path) -> None:
    first, second = (run("render", tmp_path / name, "--seed", 9) for name in ("a", "b"))
    assert first.returncode == second.returncode == 0
    assert first.stdout == second.stdout.replace("/b:", "/a:")
    frames = [(tmp_path / name / "lamp0.png").read_bytes() for name in ("a", "b")]
    assert frames[0] == frames[1]


@pytest.mark.parametrize("kind", ["category", "style", "size", "lamps", "renderer", "trouble"])
def test_what_there_is_not_is_named_with_what_there_is(kind: str, tmp_path: Path) -> None:
    done = run("render", tmp_path / "scene", f"--{kind}", "none-such")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"no {kind} 'none-such'; there are " in done.stderr
    assert not (tmp_path / "scene").exists()


def test_rounds_are_the_same_for_a_seed_whatever_the_processes() -> None:
    told = [
        json.loads(run("rounds", "--rounds", 60, "--seed", 2, "--jobs", n, "--json").stdout) for n in (1, 2)
    ]
    for each in told:
        assert each.pop("rounds_a_second_and_core") > 0
    assert told[0] == told[1]
    figures = told[0]
    assert sum(figures["outcomes"].values()) == figures["rounds"] == 60
    assert sum(figures["fairness"]["faces"]["counts"]) == 180
    assert sum(figures["fairness"]["totals"]["counts"]) == 60
    assert figures["pulses"] == 4
    assert figures["read"] > 45


def test_weak_strokes_are_void_as_too_few_tumbles_and_would_be_biased() -> None:
    figures = json.loads(run("rounds", "--rounds", 20, "--force", 5, "--json").stdout)
    assert figures["void_too_few_tumbles"] == 20
    assert figures["read"] == 0
    assert figures["fairness_of_read"] is None
    assert figures["fairness"]["kept"] > 0.3


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--rounds", "0"], "rounds"),
        (["--rounds", "5", "--force", "-1"], "force: must be above 0"),
        (["--rounds", "5", "--force", "nan"], "force: must be a finite number"),
        (["--jobs", "0"], "jobs"),
    ],
)
def test_impossible_rounds_are_named(arguments: list[str], named: str) -> None:
    done = run("rounds", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert named in done.stderr


def test_without_the_extra_it_says_how_to_install_it() -> None:
    program = (
        "import sys; sys.modules['mujoco'] = None\n"
        "from host_tools.cli import main\n"
        "sys.argv = ['tumbler', 'twin', 'rounds', '--rounds', '5']\nmain()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "make twin" in done.stderr
