"""`tumbler board virtual` as a person or program runs it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

TUMBLER = Path(sys.executable).with_name("tumbler")


def _heed_ctrl_c():
    """Even where the tests run as a background job, which ignores it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def running(tmp_path):
    """The command with --json, ended with whatever it has started."""
    command = [TUMBLER, "board", "virtual", "--json", "--speed", "0", "--directory", tmp_path / "board"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, preexec_fn=_heed_ctrl_c, **pipes) as process:  # noqa: PLW1509  (no threads)
        yield process
        process.kill()


def told(process):
    return json.loads(process.stdout.readline())


def type_line(process, words):
    process.stdin.write(words + "\n")
    process.stdin.flush()


def test_prints_paths_and_events_and_does_what_it_is_told(running, tmp_path):
    paths = told(running)
    for name in ("uart", "repl"):
        assert os.path.exists(paths[name])
    assert json.loads((tmp_path / "board" / "identity.json").read_text())["device"] == paths["device"]
    assert told(running) == {"ms": 0, "event": "power-on"}
    type_line(running, "repair")
    assert told(running)["event"] == "repair"
    type_line(running, "dance")
    assert "'dance' is not known" in told(running)["error"]
    type_line(running, "cut")
    type_line(running, "on")
    assert told(running)["event"] == "power-on"
    type_line(running, "quit")
    assert running.wait(10) == 0


def test_the_end_of_input_ends_it(running):
    told(running)
    running.stdin.close()
    assert running.wait(10) == 0


def test_ctrl_c_ends_it_and_its_board(running):
    told(running)
    told(running)
    (board,) = children(running.pid)
    running.send_signal(signal.SIGINT)
    assert running.wait(10) == 0
    assert running.stderr.read() == ""
    assert not Path(f"/proc/{board}").exists()


def children(pid):
    """The processes that a process has started. A pty's path tells nothing: another may get it next."""
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def test_a_bad_scenario_is_bad_usage(tmp_path):
    bad = tmp_path / "bad.toml"
    bad.write_text('title = "x"\nmood = "open"\n')
    command = [TUMBLER, "board", "virtual", "--scenario", bad]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False, input="")
    assert done.returncode == 2
    assert "bad.toml" in done.stderr
    assert "Traceback" not in done.stderr
