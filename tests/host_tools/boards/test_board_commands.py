"""`tumbler board check` and `tumbler board list` as they are run."""

import asyncio
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from host_tools.boards import BOARDS, known_boards
from host_tools.virtual_board import Scenario, VirtualBoard
from host_tools.virtual_board.scenario import Round

TUMBLER = Path(sys.executable).with_name("tumbler")
ORDINARY = Scenario("Ordinary", "covered", (Round("0008", "read", (2, 4, 5)),))


def tumbler(*arguments):
    command = [TUMBLER, "board", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def faulty(tmp_path):
    """The folder of a board with two faults, in lines 8 and 28 of its board.json."""
    for file in ("board.json", "hardware.json"):
        shutil.copy(BOARDS / "pico" / file, tmp_path)
    path = tmp_path / "board.json"
    path.write_text(path.read_text().replace('"pin": 3,', '"pin": 2,').replace('_ms": 8000', '_ms": 9000'))
    return tmp_path


@pytest.mark.parametrize("name", known_boards())
def test_a_sound_board_is_told_with_status_0(name):
    done = tumbler("check", name)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{name} is sound" in done.stdout
    assert json.loads(tumbler("check", str(BOARDS / name / "board.json"), "--json").stdout) == {
        "board": name,
        "sound": True,
        "faults": [],
    }


def test_faults_are_told_with_status_1(faulty):
    done = tumbler("check", str(faulty / "board.json"))
    assert done.returncode == 1
    for words in ("board.json:8", "board.json:27", "stroke-gate", "8388"):
        assert words in done.stdout.replace("\n", ""), done.stdout
    told = json.loads(tumbler("check", str(faulty), "--json").stdout)
    assert told["sound"] is False
    assert [(fault["line"], fault["where"]) for fault in told["faults"]] == [
        (8, "hal.inputs.stroke-top.pin"),
        (27, "hal.watchdog_ms"),
    ]


@pytest.mark.parametrize("arguments", [("check", "no-such-board"), ("check",), ("check", "pico", "--colour")])
def test_bad_usage_is_status_2(arguments):
    done = tumbler(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    if arguments == ("check", "no-such-board"):
        assert "esp32-s3" in done.stderr


def test_list_shows_the_boards_known():
    done = tumbler("list")
    assert (done.returncode, done.stderr) == (0, "")
    for name in known_boards():
        assert name in done.stdout
    told = json.loads(tumbler("list", "--json").stdout)
    assert [board["name"] for board in told["boards"]] == known_boards()


def test_a_port_that_does_not_answer_is_told_with_status_1(tmp_path):
    done = tumbler("list", "--ask", "--port", str(tmp_path / "ttyNONE"), "--json")
    assert done.returncode == 1
    (port,) = json.loads(done.stdout)["ports"]
    assert "plug the board in" in port["trouble"]
    assert port["machine"] is None


async def test_a_board_that_is_asked_tells_what_it_runs_and_then_runs_it_again(tmp_path):
    await VirtualBoard.create(tmp_path / "board", seed="list")
    async with VirtualBoard(tmp_path / "board", ORDINARY, seed="list") as board:
        await board.power_on()
        again = asyncio.create_task(board.happens("power-on"))
        done = await asyncio.to_thread(tumbler, "list", "--ask", "--port", board.repl_path, "--json")
        (port,) = json.loads(done.stdout)["ports"]
        assert (done.returncode, port["trouble"], port["boards"]) == (0, None, ["virtual"])
        assert port["version"].startswith("1.")
        assert port["firmware"]
        async with asyncio.timeout(30):
            await again
