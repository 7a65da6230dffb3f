"""`tumbler bench` tells what a campaign needs, and keeps another campaign's folder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TUMBLER = os.fspath(Path(sys.executable).with_name("tumbler"))
USAGE = "a campaign is `reader --scenes N` or `table --rounds N`"


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["table"], USAGE),
        (["--scenes", "5"], USAGE),
        (["reader", "--rounds", "5"], USAGE),
        (["reader", "--rounds", "5", "--scenes", "5"], USAGE),
        (["signing", "--scenes", "5"], USAGE),
        (["reader", "--scenes", "0"], "scenes"),
        (["table", "--rounds", "0"], "rounds"),
        (["reader", "--scenes", "1", "--jobs", "0"], "jobs"),
        (["reader", "--scenes", "1", "--seed", "-1"], "seed"),
        (["reader", "--scenes", "1", "--out", "/proc/none"], "/proc/none: cannot be written"),
    ],
)
def test_bad_usage_is_named(arguments: list[str], named: str) -> None:
    done = subprocess.run([TUMBLER, "bench", *arguments], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert named in done.stderr


def test_a_folder_with_something_else_is_left_alone(tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("keep me")
    command = [TUMBLER, "bench", "table", "--rounds", "5", "--out", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "holds other files" in done.stderr
    assert list(tmp_path.iterdir()) == [letter]
