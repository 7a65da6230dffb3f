"""The Blinka back end by itself: levels, edges, pulses, lamps, lock and camera, on pins moved by hand."""

import pytest
from desk_by_hand import DeskByHand, hal_settings

from host_tools.pins.wires import install
from tumbler.definitions import CHANNELS
from tumbler.hal import CameraError, SensorError

install()
from tumbler.hal import blinka  # noqa: E402 - Blinka looks at the environment at its first import

GATE, TOP = "stroke-gate", "stroke-top"


def made(**changes):
    desk = DeskByHand(changes.pop("watches", True))
    settings = hal_settings() | changes
    for wiring in settings["inputs"].values():
        desk.wires[wiring["pin"]].drive(wiring["active"] == "low")  # what the name says is not so
    return blinka.Board(settings, desk), desk, settings


def put(desk, settings, name, level):
    wiring = settings["inputs"][name]
    desk.wires[wiring["pin"]].drive(level is (wiring["active"] == "high"))


def is_on(desk, settings, name):
    wiring = settings["outputs"][name]
    return desk.wires[wiring["pin"]].level is (wiring["active"] == "high")


@pytest.mark.parametrize("name", CHANNELS)
def test_a_level_is_what_the_name_says_whatever_the_polarity(name):
    board, desk, settings = made()
    for level in (True, False, True):
        put(desk, settings, name, level)
        assert board.level(name) is level


def test_a_cut_wire_reads_as_the_unsafe_level():
    board, desk, settings = made()
    safe_levels = {"dome-closed": True, "dome-intact": True, "door-closed": True, "tilted": False}
    for name, safe in safe_levels.items():
        desk.wires[settings["inputs"][name]["pin"]].drive(None)
        assert board.level(name) is not safe, name


def test_edges_between_two_looks_have_their_own_times():
    board, desk, settings = made()
    stroke = [(GATE, True, 101), (TOP, True, 1_150), (TOP, False, 16_007), (GATE, False, 17_003)]
    for name, level, desk.us in stroke:
        put(desk, settings, name, level)
    desk.us = 50_000
    board.idle()
    assert list(board.edges()) == stroke
    assert list(board.edges()) == []


def test_a_desk_that_tells_no_edges_is_looked_at_while_idle():
    board, desk, settings = made(watches=False)
    put(desk, settings, GATE, True)
    board.idle()
    put(desk, settings, GATE, False)
    board.idle()
    assert list(board.edges()) == [(GATE, True, 1_000), (GATE, False, 2_000)]


def test_a_gate_that_is_active_at_power_on_is_an_edge():
    desk, settings = DeskByHand(), hal_settings()
    for wiring in settings["inputs"].values():
        desk.wires[wiring["pin"]].drive(False)
    assert (GATE, True, 0) in list(blinka.Board(settings, desk).edges())


def pulses(board, desk, settings, ms):
    """(start, end) of each pulse of the drive within `ms`, in ms."""
    seen, began = [], None
    for _ in range(ms):
        on = is_on(desk, settings, "drive")
        if on and began is None:
            began = board.now()
        elif not on and began is not None:
            seen.append((began, board.now()))
            began = None
        board.idle()
    return seen


@pytest.mark.parametrize("count", [1, 3, 4, 12])
def test_the_drive_gives_as_many_pulses_as_strokes(count):
    board, desk, settings = made(drive={"on_ms": 12, "period_ms": 300})
    board.start_strokes(count)
    assert pulses(board, desk, settings, 5_000) == [(i * 300, i * 300 + 12) for i in range(count)]


def test_the_drive_stops_at_its_limit_whatever_is_commanded():
    board, desk, settings = made(drive_limit_ms=1_000, drive={"on_ms": 12, "period_ms": 300})
    board.start_strokes(50)
    assert [began for began, _ in pulses(board, desk, settings, 5_000)] == [0, 300, 600, 900]


def test_a_stop_ends_pulse_and_run_at_once():
    board, desk, settings = made()
    board.start_strokes(4)
    board.idle()
    assert is_on(desk, settings, "drive")
    board.stop_drive()
    assert not is_on(desk, settings, "drive")
    assert pulses(board, desk, settings, 2_000) == []
    assert "drive stopped" in desk.told


def test_outputs_are_off_at_power_on_and_one_lamp_is_lit_at_a_time():
    board, desk, settings = made()
    assert [name for name in settings["outputs"] if is_on(desk, settings, name)] == ["status"]
    lamps = [f"lamp{i}" for i in range(4)]
    for index in (0, 1, 3, 2, None):
        board.lamp(index)
        lit = [name for name in lamps if is_on(desk, settings, name)]
        assert lit == ([] if index is None else [f"lamp{index}"])


def test_the_lock_follows_its_command():
    board, desk, settings = made()
    for released in (True, False, True):
        board.release_cover(released)
        assert is_on(desk, settings, "cover-lock") is released


def test_vibration_is_the_peak_between_two_looks():
    board, desk, settings = made()
    wire = desk.wires[settings["vibration"]["pin"]]
    full = settings["vibration"]["full_scale_mg"]
    wire.value = 65535
    board.idle()
    wire.value = 0
    board.idle()
    assert board.vibration() == full
    assert board.vibration() == 0


def test_a_frame_comes_whole_or_not_at_all():
    board, desk, _ = made()
    buffer = bytearray(6)
    desk.delivers = b"abcdef"
    board.capture(buffer)
    assert buffer == b"abcdef"
    desk.delivers = b"abc"
    with pytest.raises(CameraError, match="3 bytes instead of 6"):
        board.capture(buffer)
    desk.delivers = None
    began = board.now()
    with pytest.raises(CameraError, match="no frame"):
        board.capture(buffer)
    assert board.now() - began == pytest.approx(2_000, abs=2)
    assert desk.told[-1] == ("expose", 0)


class LockedI2c:
    """A busio.I2C with one chip at 0x18 that keeps registers; transfers without the lock are an error."""

    def __init__(self):
        self.registers = bytearray(64)
        self.locked = False
        self.tries = 0

    def try_lock(self):
        self.tries += 1
        self.locked = self.tries % 2 == 0  # somebody else has it every other time
        return self.locked

    def unlock(self):
        self.locked = False

    def writeto(self, address, data):
        self._check(address)
        self.registers[data[0] : data[0] + len(data) - 1] = data[1:]

    def writeto_then_readfrom(self, address, out, buffer):
        self._check(address)
        buffer[:] = self.registers[out[0] : out[0] + len(buffer)]

    def readfrom_into(self, address, buffer):
        self._check(address)
        buffer[:] = self.registers[: len(buffer)]

    def _check(self, address):
        assert self.locked
        if address != 0x18:
            raise OSError(19, "No such device")


def test_the_bus_of_the_drivers_locks_around_each_transfer():
    i2c = LockedI2c()
    bus = blinka.I2cBus(i2c)
    bus.writeto_mem(0x18, 0x20, b"\x67\x00")
    read = bytearray(2)
    bus.readfrom_mem_into(0x18, 0x20, read)
    assert read == b"\x67\x00"
    assert bus.writeto(0x18, b"\x00\x07") == 2
    bus.readfrom_into(0x18, read)
    assert read[0] == 7
    with pytest.raises(OSError, match="No such device"):
        bus.writeto(0x19, b"\x00")
    assert not i2c.locked


def test_a_silent_accelerometer_is_a_fault():
    from tumbler.drivers import make_accelerometer

    settings = {"address": 0x19, "tilt_deg": 10}
    accelerometer = make_accelerometer("lis3dh", blinka.I2cBus(LockedI2c()), settings)
    with pytest.raises(SensorError):
        accelerometer.poll(0)
