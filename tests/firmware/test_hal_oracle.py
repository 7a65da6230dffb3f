"""The microcontroller's gates, drive and line under random events, against what plainly must come out."""

import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[1] / "portable"))

from fake_machine import (  # pyright: ignore[reportMissingImports]
    DRIVE,
    GATE_PINS,
    LOADED,
    PERIOD,
    camera_board,
    make_board,
    make_world,
)

TICKS = st.sampled_from([0, 1, PERIOD // 2, PERIOD - 100, PERIOD - 1])
CHANNELS = sorted(GATE_PINS)
# Time passes, a gate's pin changes, the controller looks.
EVENTS = st.lists(
    st.one_of(
        st.tuples(st.just("pass"), st.integers(0, 400_000_000)),
        st.tuples(st.just("change"), st.sampled_from(CHANNELS)),
        st.tuples(st.just("look"), st.none()),
    ),
    max_size=200,
)


@pytest.fixture(autouse=True)
def no_camera_afterwards():
    yield
    LOADED.pop("csi", None)


def bare_board(tick, hal=None):
    """A world without samples, so that long times pass quickly, and its board."""
    world = make_world(tick)
    world.chips.clear()
    return world, make_board(world, hal)


@given(TICKS, EVENTS)
def test_gates_tell_every_edge_with_its_time_and_order(tick, events):
    world, board = bare_board(tick)
    expected, told = [], []
    for kind, argument in [*events, ("look", None)]:
        if kind == "pass":
            told += board.edges()  # within half a period, as the main loop is
            world.pass_us(argument)
        elif kind == "change":
            pin = world.pin(GATE_PINS[argument])
            pin.becomes(1 - pin.level)
            expected.append((argument, pin.level == 0, world.us))
        else:
            told += board.edges()
    assert told == expected


@given(TICKS, EVENTS)
def test_gates_of_a_port_with_soft_interrupts_are_never_out_of_step(tick, events):
    world = make_world(tick)
    world.chips.clear()
    world.hard, world.timer = False, 0
    board = make_board(world)
    levels = dict.fromkeys(CHANNELS, False)
    newest_us = 0

    def look():
        nonlocal newest_us
        world.stalled = False
        world.run_waiting()
        for channel, level, t_us in board.edges():
            levels[channel] = level
            assert newest_us <= t_us <= world.us
            newest_us = t_us
        assert levels == {channel: world.pin(GATE_PINS[channel]).level == 0 for channel in CHANNELS}
        world.stalled = True

    for kind, argument in [*events, ("look", None)]:
        if kind == "pass":
            world.pass_us(argument)
        elif kind == "change":
            pin = world.pin(GATE_PINS[argument])
            pin.becomes(1 - pin.level)
        if kind != "change":
            look()


@given(
    tick=TICKS,
    hard=st.booleans(),
    on_ms=st.integers(1, 200),
    period_ms=st.integers(50, 2000),
    limit_ms=st.integers(500, 8000),
    count=st.integers(1, 16),
    hangs=st.booleans(),
)
def test_the_drive_never_exceeds_its_pulse_its_count_or_its_limit(
    tick, hard, on_ms, period_ms, limit_ms, count, hangs
):
    period_ms = max(period_ms, 2 * on_ms)
    hal = camera_board()
    hal["drive"] = {"on_ms": on_ms, "period_ms": period_ms}
    hal["drive_limit_ms"] = limit_ms
    world = make_world(tick)
    world.chips.clear()
    if not hard:
        world.hard, world.timer = False, 0
    board = make_board(world, hal)
    pin = world.pin(DRIVE)
    changes = []
    pin.changed = lambda level: changes.append((world.us // 1000, level))
    tick_ms = max(1, on_ms // 4)
    board.start_strokes(count)
    if hangs:
        world.pass_us((limit_ms + 3000) * 1000)
    else:
        while world.us < (limit_ms + 3000) * 1000:
            world.pass_us(3000)
            board.idle()
    assert pin.level == 0
    began = [ms for ms, level in changes if level]
    ended = [ms for ms, level in changes if not level]
    assert len(began) == len(ended) <= count
    for on, off in zip(began, ended, strict=True):
        assert off - on <= on_ms + tick_ms
        assert off <= limit_ms + tick_ms + 1
    for first, second in pairwise(began):
        assert period_ms <= second - first <= period_ms + tick_ms
    if count * (period_ms + tick_ms) + tick_ms < limit_ms:
        assert len(began) == count
        assert all(off - on >= on_ms for on, off in zip(began, ended, strict=True))


@given(
    st.binary(min_size=1, max_size=3000),
    st.lists(st.integers(1, 300), min_size=1),
    st.booleans(),
    st.sampled_from([None, 1, 7]),
)
def test_the_line_sends_all_in_order_and_never_waits_longer_than_it_says(data, pauses_us, buffered, most):
    world = make_world()
    world.chips.clear()
    if not buffered:
        world.takes = [name for name in world.takes if name != "txbuf"]
    board = make_board(world)
    uart = world.uarts[0]
    uart.most = most
    left = memoryview(data)
    turn = 0
    while left:
        left = left[board.send(left) :]
        world.pass_us(pauses_us[turn % len(pauses_us)])
        turn += 1
    assert bytes(uart.sent) == data
    assert uart.waited_us <= (0 if buffered else 32 * 87)
