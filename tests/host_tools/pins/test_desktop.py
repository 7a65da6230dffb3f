"""The desk of real pins: clock, UART and storage of this desktop, pins by their names in Blinka's `board`."""

import os
import subprocess
import sys
import time
import tty
import types
from pathlib import Path

import pytest
from desk_by_hand import ROOT, hal_settings

from host_tools.pins.wires import Wires, install
from tumbler import __version__
from tumbler.hal.desktop import Desktop

install()
from tumbler.hal import blinka  # noqa: E402 - Blinka looks at the environment at its first import


@pytest.fixture
def real(monkeypatch, tmp_path):
    """(board, wires, the host's end of its UART): a back end that knows of nothing but names."""
    wires = Wires(lambda: 0)
    settings = hal_settings()
    names = [w["pin"] for w in (*settings["inputs"].values(), *settings["outputs"].values())]
    names.append(settings["vibration"]["pin"])
    adapter = types.ModuleType("board")
    for name in names:
        setattr(adapter, name, wires[name])
        wires[name].drive(True)
    monkeypatch.setitem(sys.modules, "board", adapter)
    hosts, boards = os.openpty()
    tty.setraw(boards)
    os.set_blocking(hosts, False)
    monkeypatch.setenv("TUMBLER_UART", os.ttyname(boards))
    monkeypatch.setenv("TUMBLER_STORAGE", str(tmp_path))
    board = blinka.Board(settings)
    yield board, wires, hosts
    os.close(hosts)
    os.close(boards)


def test_levels_edges_and_time_are_those_of_the_adapter(real):
    board, wires, _ = real
    pin = hal_settings()["inputs"]["stroke-gate"]["pin"]
    wires[pin].drive(False)
    board.idle()
    time.sleep(0.02)
    wires[pin].drive(True)
    board.idle()
    (_, up, rose_us), (_, down, fell_us) = board.edges()
    assert (up, down) == (True, False)
    assert 20_000 <= fell_us - rose_us < 2_000_000
    assert board.now() >= 20


def test_bytes_go_both_ways_and_nothing_waits(real):
    board, _, hosts = real
    assert board.receive(bytearray(8)) == 0
    assert board.send(b"banner") == 6
    assert os.read(hosts, 16) == b"banner"
    os.write(hosts, b"\x00\x03\xff\r\n")
    buffer = bytearray(8)
    assert (board.receive(buffer), bytes(buffer[:5])) == (5, b"\x00\x03\xff\r\n")


def test_a_desktop_has_no_camera(real):
    board, _, _ = real
    with pytest.raises(Exception, match="none"):
        board.capture(bytearray(4))


def test_keys_come_from_the_system_and_go_to_the_named_folder(real, tmp_path):
    board, _, _ = real
    assert board.storage == str(tmp_path)
    assert board.entropy(16) != board.entropy(16)
    assert Desktop.entropy is os.urandom


def test_the_firmware_runs_on_named_pins_and_keeps_its_keys(tmp_path):
    identities = set()
    for _ in range(2):
        child = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("real_child.py"), tmp_path / "tumbler"],
            stderr=subprocess.PIPE, text=True, cwd=ROOT,
        )  # fmt: skip
        try:
            assert child.stderr is not None
            path = child.stderr.readline().split()[-1]
            line = os.open(path, os.O_RDONLY | os.O_NOCTTY)
            said = b""
            while b"\x00" not in said:  # what ends a frame
                said += os.read(line, 256)
            os.close(line)
        finally:
            child.terminate()
            child.communicate()
        assert said.startswith(f"Sic Bo tumbler {__version__}\r\n".encode())
        identities.add((tmp_path / "tumbler" / "identity.json").read_text())
    assert len(identities) == 1
