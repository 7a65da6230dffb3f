"""The second board over a raw REPL: MicroPython on a terminal, with a stand-in for its module machine."""

import os
import pty
import subprocess
import sys
import tty
from pathlib import Path

import pytest

from host_tools.bringup.errors import Unsuitable
from host_tools.pins.second_board.remote import RemotePlayer

MICROPYTHON = Path(sys.executable).with_name("micropython")
MACHINE = """
class Pin:
    IN, OUT, PULL_UP, PULL_DOWN, IRQ_RISING, IRQ_FALLING = range(6)
    made = {}
    def __init__(self, number, mode, pull=None, value=0):
        if number == 99:
            raise ValueError("invalid pin")
        self.level = value
        self.mode = mode
        self.handler = None
        self.made[number] = self
    def init(self, mode):
        self.mode = mode
    def value(self, level=None):
        if level is None:
            return self.level
        self.level = level
        if self.handler:
            self.handler(self)
    def irq(self, handler, trigger, hard=False):
        self.handler = handler
"""


@pytest.fixture
def port(tmp_path):
    """The path of a terminal at which MicroPython has its REPL."""
    (tmp_path / "machine.py").write_text(MACHINE)
    ours, terminal = pty.openpty()
    tty.setraw(terminal)
    process = subprocess.Popen(
        [MICROPYTHON, "-i", "-c", "import sys; sys.path.insert(0, '')"],
        cwd=tmp_path, stdin=ours, stdout=ours, stderr=ours, start_new_session=True,
    )  # fmt: skip
    yield os.ttyname(terminal)
    process.kill()
    process.wait()
    os.close(ours)
    os.close(terminal)


def test_calls_reach_the_player_and_its_answers_come_back(port):
    with RemotePlayer(port, [(2, 1), (3, 1)], [(16, 0), (17, 0)]) as second:
        second.set_levels([(0, 0)])
        assert second.levels() == [0, 0]
        assert second.heard() == []
        second._remote.run("machine.Pin.made[16].value(1)\nmachine.Pin.made[17].value(1)")
        assert second.heard() == [(0, 1), (1, 1)]
        assert second.levels() == [1, 1]
        assert second.play([(0, 1, 0), (1, 0, 1000), (1, 1, 15_000), (0, 0, 16_000)]) >= 0
        assert second._remote.call("machine.Pin.made[3].value") == 1
        assert second._remote.call("machine.Pin.made[2].value") == 0


def test_a_pin_that_the_second_board_lacks_is_told(port):
    with pytest.raises(Unsuitable, match=r"does not take the wiring.*invalid pin"):
        RemotePlayer(port, [(99, 1)], []).__enter__()
