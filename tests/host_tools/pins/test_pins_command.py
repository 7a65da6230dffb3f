"""`tumbler pins` as a tester has it: words on standard input, a scenario, and the panel in a terminal."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
TUMBLER = Path(sys.executable).with_name("tumbler")
LONGEST_S = 60


def run(*arguments: str, words: str = "") -> subprocess.CompletedProcess[str]:
    command = [str(TUMBLER), "pins", "--speed", "0", *arguments]
    return subprocess.run(
        command, input=words, capture_output=True, text=True, timeout=LONGEST_S, cwd=ROOT, check=False
    )


def test_words_drive_the_pins_and_records_follow():
    done = run(words="play\nresult\nset door-closed 0\nwait 2000\npins\nquit\n")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert re.search(r"round: settled \d-\d-\d$", done.stdout, re.MULTILINE)
    assert "door-closed 0" in lines
    assert "dome-closed 1" in lines
    assert any("fault door-open" in line for line in lines)


def test_a_round_goes_on_while_pins_are_set():
    done = run(words="play\nwait 2000\nset dome-closed 0\nresult\n")
    assert done.returncode == 0, done.stderr
    assert "dome-open" in done.stdout.split("round: ")[1]


NOT_WORDS = (
    "fly",
    "set dome-closed",
    "set dome-closed 2",
    "set drive 1",
    "stroke -1",
    "wait 0",
    "wait soon",
    "camera red",
)


def test_a_line_that_is_not_understood_says_what_is_wanted():
    done = run(words="\n".join(NOT_WORDS) + "\npins\nquit\n")
    assert done.returncode == 1
    assert done.stdout.count("error: ") == len(NOT_WORDS)
    assert "dome-closed 1" in done.stdout.splitlines(), "and the next line is obeyed"
    assert "Traceback" not in done.stderr


def test_a_scenario_is_played_and_judged(tmp_path):
    played = run("--scenario", "scenarios/too-few-strokes.toml")
    assert played.returncode == 0, played.stdout
    scenario = tmp_path / "wrong.toml"
    scenario.write_text(
        'title = "Not what happens"\nmode = "open"\n'
        '[[round]]\nscene = "0008"\nexpect = "void"\nfact = "stacked"\n'
    )
    played = run("--scenario", str(scenario))
    assert played.returncode == 1
    assert "the scenario says void: stacked" in played.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--board", "pico2"], "no Blinka board"),
        (["--board", "nowhere"], "no such board"),
        (["--scenario", "nowhere.toml"], "nowhere.toml"),
        (["--mode", "half"], "covered or open"),
    ],
)
def test_what_cannot_be_run_is_refused(arguments, says):
    done = run(*arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("adapter", ["BLINKA_FT232H", "BLINKA_U2IF", "BLINKA_MCP2221"])
def test_an_adapter_that_is_not_there_is_a_sentence(adapter, monkeypatch, tmp_path):
    monkeypatch.setenv(adapter, "1")
    done = run("--directory", str(tmp_path / "tumbler"))
    assert done.returncode == 1
    assert "adapter" in done.stderr
    assert "Traceback" not in done.stderr


def test_real_pins_want_a_folder_for_their_keys(monkeypatch):
    monkeypatch.setenv("BLINKA_FT232H", "1")
    done = run()
    assert done.returncode == 1
    assert "--directory" in done.stderr


class Terminal:
    """The command in a terminal of 80x24."""

    def __init__(self, *arguments: str) -> None:
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm-256color", COLUMNS="80", LINES="24")
            os.chdir(ROOT)
            os.execv(TUMBLER, ["tumbler", "pins", *arguments])
        fcntl.ioctl(self.file, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.said = b""

    def wait_for(self, pattern: str) -> list[str]:
        """The rows of the newest whole picture once `pattern` is in it."""
        until = time.monotonic() + LONGEST_S
        while time.monotonic() < until:
            rows = self._picture()
            if any(re.search(pattern, row) for row in rows):
                return rows
            if select.select([self.file], [], [], 0.1)[0]:
                self.said += os.read(self.file, 65536)
        pytest.fail(f"{pattern!r} is not on the panel:\n" + "\n".join(self._picture()))

    def press(self, keys: str) -> None:
        self.said = b""
        os.write(self.file, keys.encode())

    def end(self) -> int:
        until = time.monotonic() + LONGEST_S
        while time.monotonic() < until:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
            if select.select([self.file], [], [], 0.1)[0]:
                try:
                    os.read(self.file, 65536)
                except OSError:
                    continue  # it has closed its end
        pytest.fail("it does not end")

    def _picture(self) -> list[str]:
        pictures = self.said.split(b"\x1b[H")
        whole = pictures[-2].decode() if len(pictures) > 2 else ""
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", whole).splitlines()


def test_the_panel_shows_the_pins_takes_keys_and_fits_80x24():
    terminal = Terminal("--speed", "4")
    rows = terminal.wait_for(r"boot")
    assert len(rows) <= 24
    assert [row for row in rows if len(row) > 80] == []
    picture = "\n".join(rows)
    for name in ("stroke-gate", "dome-closed", "tilted", "drive", "cover-lock", "lamp3", "status"):
        assert name in picture
    terminal.press("5")
    terminal.wait_for(r"5 dome-closed +no")
    terminal.wait_for(r"fault dome-open")
    terminal.press("+")
    terminal.wait_for(r"stroke: 20000 us")
    terminal.press("c")
    terminal.wait_for(r"no power")
    terminal.press("c")
    terminal.wait_for(r" on .* s ")
    terminal.press("q")
    assert terminal.end() == 0
