"""Wires behind Blinka's pins: what a Blinka user relies on, and what the stock pins without hardware lack."""

import importlib
from typing import Any

import pytest

from host_tools.pins import wires
from host_tools.pins.wires import BlinkaUnusable, Wires, install

install()
digitalio: Any = importlib.import_module("digitalio")
analogio: Any = importlib.import_module("analogio")
board: Any = importlib.import_module("board")


@pytest.fixture
def clock():
    return [0]


@pytest.fixture
def table(clock):
    return Wires(lambda: clock[0])


def test_an_output_reads_back_and_two_objects_on_one_pin_agree(table):
    output, reader = digitalio.DigitalInOut(table["GP1"]), digitalio.DigitalInOut(table["GP1"])
    output.switch_to_output(value=True)
    assert (output.value, reader.value) == (True, True)
    output.value = False
    assert (output.value, reader.value) == (False, False)


@pytest.mark.parametrize(
    ("pull", "floating"), [(digitalio.Pull.UP, True), (digitalio.Pull.DOWN, False), (None, False)]
)
def test_a_pull_gives_the_level_only_while_nothing_drives_the_wire(table, pull, floating):
    line = digitalio.DigitalInOut(table["GP1"])
    line.switch_to_input(pull=pull)
    assert line.value is floating
    for level in (True, False):
        table["GP1"].drive(level)
        assert line.value is level
    table["GP1"].drive(None)
    assert line.value is floating


def test_every_change_is_told_with_its_time_and_nothing_else(table, clock):
    heard = []
    end = table["GP1"].watch(lambda level, at_us: heard.append((level, at_us)))
    for clock[0], level in ((10, True), (11, True), (12, False), (13, True)):
        table["GP1"].drive(level)
    end()
    table["GP1"].drive(False)
    assert heard == [(True, 10), (False, 12), (True, 13)]


def test_an_analog_pin_has_the_value_it_was_given(table):
    table["A7"].value = 4242
    assert analogio.AnalogIn(table["A7"]).value == 4242


def test_stock_pins_keep_their_stock_behaviour():
    assert digitalio.DigitalInOut(board.Dx_INPUT_FALSE).value is False
    assert digitalio.DigitalInOut(board.Dx_INPUT_TRUE).value is True
    assert analogio.AnalogIn(board.Ax_INPUT_FIXED_INT_PI).value == 31415


def test_an_adapter_chosen_by_the_user_is_not_overruled(monkeypatch):
    monkeypatch.setenv(wires.ADAPTERS[0], "1")
    with pytest.raises(BlinkaUnusable, match=wires.ADAPTERS[0]):
        install()


def test_blinkas_module_micropython_leaves_signing_as_it_is_on_cpython():
    assert importlib.import_module("micropython")
    sha512 = importlib.import_module("tumbler.signing.sha512")
    assert sha512.compress is sha512.plain_compress
