"""The command as people and programs run it, on the real firmware: JSON, repeatability, usage, Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

TUMBLER = [os.fspath(Path(sys.executable).with_name("tumbler")), "demo"]
LONGEST_S = 120


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*TUMBLER, *arguments], capture_output=True, text=True, timeout=LONGEST_S, check=False
    )


@pytest.mark.parametrize("scenes", ["twin", "recorded"])
def test_json_is_pure_exact_and_the_same_for_the_same_seed(scenes: str) -> None:
    first, second = (run("--json", "--seed", "7", "--rounds", "4", "--scenes", scenes) for _ in range(2))
    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout
    rounds = [json.loads(line) for line in first.stdout.splitlines()]
    assert [each["round"] for each in rounds] == [1, 2, 3, 4]
    assert len({each["round_id"] for each in rounds}) == 4
    sequences = [each["sequence"] for each in rounds]
    assert sequences == sorted(set(sequences))
    house = Decimal(0)
    for each in rounds:
        assert each["wagers"]
        assert (each["verdict"] == "settled") == (each["faces"] is not None)
        assert len(each["tilts"]) == (3 if each["faces"] else 0)
        if each["verdict"] == "settled":
            assert each["strokes"] >= 3
        if each["verdict"] != "referred":
            house += sum(Decimal(wager["stake"]) - Decimal(wager["returned"]) for wager in each["wagers"])
        totals = each["totals"]
        assert Decimal(totals["house"]) == house
        assert sum(map(Decimal, totals["players"].values())) + house + Decimal(totals["held"]) == 0


def test_another_seed_plays_other_rounds() -> None:
    first, second = (run("--json", "--seed", seed, "--rounds", "1") for seed in ("7", "8"))
    assert json.loads(first.stdout)["round_id"] != json.loads(second.stdout)["round_id"]


def test_without_the_twin_it_plays_recorded_scenes_and_says_how_to_have_more() -> None:
    program = (
        "import sys; sys.modules['mujoco'] = None\n"
        "from host_tools.cli import main\n"
        "sys.argv = ['tumbler', 'demo', '--json', '--seed', '7', '--rounds', '1', *{}]\nmain()\n"
    )
    ours, refused = (
        subprocess.run(
            [sys.executable, "-c", program.format(arguments)],
            capture_output=True,
            text=True,
            timeout=LONGEST_S,
            check=False,
        )
        for arguments in ("[]", "['--scenes', 'twin']")
    )
    recorded = run("--json", "--seed", "7", "--rounds", "1", "--scenes", "recorded")
    assert (ours.returncode, ours.stdout) == (0, recorded.stdout), ours.stderr
    assert "make twin" in ours.stderr
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "make twin" in refused.stderr


def test_without_a_terminal_it_tells_line_by_line(tmp_path: Path) -> None:
    done = run("--seed", "7", "--rounds", "1", "--keep", os.fspath(tmp_path / "kept"))
    assert done.returncode == 0, done.stderr
    told = ("The console is at http://127.0.0.1:", "Round 1: opened, covered play", "place your bets")
    for text in (*told, "no more bets", "clause"):
        assert text in done.stdout
    assert "\x1b" not in done.stdout
    assert (tmp_path / "kept" / "ledger.sqlite").exists()


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--rounds", "0"], "rounds"),
        (["--rulebook", "no-such-rules"], "no-such-rules"),
        (["--layout", "no-such-layout"], "no-such-layout"),
        (["--keep", "."], "not empty"),
        (["--seed", "seven"], "seed"),
        (["--scenes", "cards"], "scenes"),
    ],
)
def test_bad_usage_is_named(arguments: list[str], named: str) -> None:
    done = run("--json", *arguments)
    assert done.returncode == 2
    assert named in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_cleanly_and_leaves_no_process(how: signal.Signals, tmp_path: Path) -> None:
    kept = os.fspath(tmp_path / "kept")
    with subprocess.Popen(
        [*TUMBLER, "--headless", "--seed", "7", "--keep", kept],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as demo:
        assert demo.stdout is not None
        assert demo.stdout.readline().startswith("round 1 ")
        assert processes_of(kept), "the firmware runs in a process that knows its folder"
        demo.send_signal(how)
        _, errors = demo.communicate(timeout=LONGEST_S)
    assert demo.returncode == 0, errors
    assert "Traceback" not in errors
    assert processes_of(kept) == []


def processes_of(folder: str) -> list[str]:
    """Processes that were given `folder` in their environment."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            environment = (process / "environ").read_bytes()
        except OSError:
            continue  # not a process, gone, or another user's
        if folder.encode() in environment:
            found.append(process.name)
    return found
