"""The virtual board as its users see it: UART, time, sensors, camera, power, and nothing left behind."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from host_tools.virtual_board import BoardError, Scenario, ScenarioError, VirtualBoard
from host_tools.virtual_board.board import FRAMES
from host_tools.virtual_board.scenario import Event, Round, Stroke

ROUND = Round("0008", "read", (2, 4, 5))
COVERED = Scenario("Covered", "covered", (ROUND,))
CLOSED = {"cover-closed": True, "cover-open": False}
OPENED = {"cover-closed": False, "cover-open": True}


def with_round(**changes):
    return replace(COVERED, rounds=(replace(ROUND, **changes),))


def gone(pid):
    try:
        os.killpg(pid, 0)
    except ProcessLookupError:
        return True
    return False


# --- provisioning


async def test_keys_follow_from_a_seed_and_only_from_it(tmp_path, provisioned):
    again = await VirtualBoard.create(tmp_path / "again", seed="test")
    assert again == VirtualBoard(provisioned, COVERED).identity
    fresh = [await VirtualBoard.create(tmp_path / name) for name in ("one", "two")]
    assert len({identity.public_key for identity in (again, *fresh)}) == 3
    assert len({identity.host_key for identity in (again, *fresh)}) == 3
    assert [len(part) for part in (again.device, again.public_key, again.host_key)] == [8, 32, 32]


async def test_a_board_is_never_provisioned_over(folder):
    image = (folder / "flash.img").read_bytes()
    with pytest.raises(BoardError, match="already"):
        await VirtualBoard.create(folder)
    assert (folder / "flash.img").read_bytes() == image


def test_a_folder_without_a_board_is_named(tmp_path):
    with pytest.raises(BoardError, match=str(tmp_path)):
        VirtualBoard(tmp_path, COVERED)


def test_a_scene_that_is_not_there_is_named(folder):
    with pytest.raises(ScenarioError, match="'9999'"):
        VirtualBoard(folder, with_round(scene="9999"))


# --- UART


async def test_the_host_may_close_and_open_the_uart(probing):
    async with probing() as probe:
        path = probe.board.uart_path
        before = await probe.ask("now")
        for _ in range(3):
            await probe.close()
            await asyncio.sleep(0.02)
            await probe.open()
            assert await probe.ask("now") > before
        assert probe.board.uart_path == path


async def test_what_is_sent_while_nobody_listens_is_lost_and_blocks_nothing(probing):
    async with probing() as probe:
        await probe.send("rise", 0)
        assert await probe.answer() == 1
        await probe.close()
        await asyncio.sleep(0.3)
        await probe.open()
        first = await probe.answer()
        assert first > 20
        assert await probe.answer() == first + 1


async def test_all_bytes_pass_the_uart_unchanged(probing):
    async with probing() as probe:
        everything = list(range(256)) * 8
        assert await probe.ask("echo", everything) == everything
        await probe.send("raw", len(everything))
        assert await probe.answer() is None
        await probe.line.write(bytes(everything))
        assert await probe.answer() == everything


# --- time


async def test_time_is_exact_and_does_not_wrap_with_the_tick(probing):
    for tick_us in (0, 2**30 - 700_000):
        async with probing(replace(COVERED, tick_us=tick_us)) as probe:
            before, _, told = await probe.do(["now"], ["strokes", 4], ["wait", 2000])
            assert 2000 <= told["now"] - before <= 2010
            times = [t_us for _, _, t_us in told["edges"]]
            assert len(times) == 16
            assert times == sorted(times)
            assert 1000 * before < times[0] < times[-1] < 1000 * told["now"]


async def test_the_same_scenario_gives_the_same_strokes(probing, folder):
    seen = []
    for seed in (1, 1, 2):
        async with probing(replace(COVERED, seed=seed)) as probe:
            _, told = await probe.do(["strokes", 4], ["wait", 2000])
            edges = told["edges"]
            seen.append([(gate, level, t_us - edges[0][2]) for gate, level, t_us in edges])
    assert seen[0] == seen[1]
    assert seen[0] != seen[2]


async def test_a_stopped_machine_makes_the_board_late_for_nothing(probing):
    async with probing(speed=1.0) as probe:
        before = await probe.ask("now")
        os.kill(probe.board.pid, signal.SIGSTOP)
        await asyncio.sleep(1.0)
        os.kill(probe.board.pid, signal.SIGCONT)
        assert await probe.ask("now") - before < 700


@pytest.mark.parametrize("speed", [1.0, 10.0])
async def test_time_never_runs_faster_than_asked(probing, speed):
    async with probing(speed=speed) as probe:
        began = time.monotonic()
        told = await probe.ask("wait", 200 * speed)
        assert told["now"] >= 200 * speed
        assert time.monotonic() - began > 0.17


async def test_seeded_entropy_differs_from_boot_to_boot(probing):
    drawn = []
    for seed in ("a", "a", None):
        async with probing(seed=seed) as probe:
            drawn.append(tuple(await probe.ask("entropy", 40)))
            await probe.send("restart")
            assert await probe.answer() == "probe"
            drawn.append(tuple(await probe.ask("entropy", 40)))
    assert len(set(drawn)) == len(drawn)
    assert all(len(entropy) == 40 for entropy in drawn)


# --- plant


async def test_strokes_have_the_width_and_speed_of_the_scenario(probing):
    strokes = (Stroke(15_000, 1_000), Stroke(9_000, 250), Stroke(12_000, 500, bounces=1))
    async with probing(with_round(strokes=strokes, stroke_count=3)) as probe:
        _, told = await probe.do(["strokes", 4], ["wait", 1500])
    edges = told["edges"]
    assert [(gate, level) for gate, level, _ in edges[:4]] == [
        ("stroke-gate", True),
        ("stroke-top", True),
        ("stroke-top", False),
        ("stroke-gate", False),
    ]
    low, top, down, _ = (t_us for _, _, t_us in edges[:4])
    assert (top - low, down - top) == (1_000, 15_000)
    low, top, down, _ = (t_us for _, _, t_us in edges[4:8])
    assert (top - low, down - top) == (4_000, 9_000)
    assert len(edges[8:]) == 4 * 3


async def test_the_platform_comes_to_rest_after_600_ms(probing):
    async with probing(with_round(stroke_count=1)) as probe:
        commands = ["strokes", 1], ["wait", 400], ["wait", 200], ["wait", 200], ["wait", 200]
        shaken = [told["vibration"] for told in (await probe.do(*commands))[1:]]
        assert shaken[0] == 2500
        assert shaken[1] > 100
        assert shaken[3] < 40


async def test_the_drive_stops_by_itself(probing):
    async with probing() as probe:
        before, _, told = await probe.do(["now"], ["strokes", 50], ["wait", 8000])
        assert max(t_us for _, _, t_us in told["edges"]) < 1000 * before + 4_100_000


async def test_the_dealer_opens_the_released_cover_and_closes_it_again(probing):
    async with probing() as probe:
        for released, end in ((True, OPENED), (False, CLOSED)):
            _, *told = await probe.do(["cover", released], ["wait", 480], ["wait", 100])
            covers = [{name: each["levels"][name] for name in end} for each in told]
            assert covers == [{"cover-closed": False, "cover-open": False}, end]


async def test_frames_are_the_scene_under_the_lamp_that_is_on(probing):
    async with probing() as probe:
        for lamp in (0, 3):
            with Image.open(FRAMES / "scenes320" / "0008" / f"lamp{lamp}.png") as image:
                grey = image.convert("L").tobytes()
            await probe.ask("lamp", lamp)
            assert await probe.ask("capture") == {"sum": sum(grey), "first": list(grey[:16])}
        await probe.ask("lamp", None)
        assert (await probe.ask("capture"))["sum"] < 10 * 320 * 240


@pytest.mark.parametrize(("camera", "says"), [("dead", "no frame within 500 ms"), ("short", "38400 bytes")])
async def test_a_camera_that_fails_is_an_error_and_comes_back(probing, camera, says):
    fails = (Event("capture", camera=camera), Event("repair", camera="working"))
    async with probing(with_round(events=fails)) as probe:
        _, before, failed, after = await probe.do(["lamp", 0], ["now"], ["capture"], ["now"])
        assert says in failed["error"]
        assert after - before <= 505
        probe.board.cue("repair")
        await probe.ask("wait", 20)
        assert (await probe.ask("capture"))["sum"] > 0


async def test_events_happen_once_at_their_time(probing):
    tilts = Event("stroke", nth=2, after_ms=100, levels={"tilted": True})
    async with probing(with_round(events=(tilts,))) as probe:
        _, *told = await probe.do(["strokes", 4], ["wait", 560], ["wait", 100])
        assert len(told[0]["edges"]) == 8
        assert [each["levels"]["tilted"] for each in told] == [False, True]


# --- power


async def test_what_was_durable_before_it_was_told_is_there_after_a_cut(probing):
    async with probing() as probe:
        for _ in range(6):
            await probe.send("rise", 0)
            told = await probe.answer()
            for _ in range(5):
                told = await probe.answer()
            await probe.board.power_cut()
            assert not probe.board.powered
            await probe.close()
            await probe.open()
            await probe.board.power_on()
            assert await probe.answer() == "probe"
            lines = (await probe.ask("read", "count")).split()
            assert int(lines[-1]) >= told


async def test_a_scenario_cuts_the_power_at_its_microsecond_and_gives_it_back(probing):
    cut = Event("stroke", nth=2, after_ms=10, power_off_ms=100)
    async with probing(with_round(events=(cut,))) as probe:
        first = probe.board.pid
        await probe.send("do", [["strokes", 4], ["wait", 5000]])
        assert await probe.answer() == "probe"
        assert probe.board.pid != first
        assert gone(first)
        log = probe.board.plant.log
        stroke = next(at_us for at_us, what in reversed(log) if what == "stroke")
        power_on = next(at_us for at_us, what in reversed(log) if what == "power-on")
        assert power_on == stroke + 10_000
        assert (await probe.ask("wait", 2000))["edges"] == []


async def test_a_damaged_volume_is_neither_used_nor_formatted(folder):
    image = folder / "flash.img"
    content = bytearray(image.read_bytes())
    content[: 2 * 4096] = os.urandom(2 * 4096)
    image.write_bytes(content)
    prompted = asyncio.Event()
    async with VirtualBoard(folder, COVERED, speed=None) as board:
        board.repl.on_output = lambda data: prompted.set() if b">>> " in data else None
        await board.power_on()
        await asyncio.wait_for(prompted.wait(), 20)
        assert "does not mount" in board.console
    assert image.read_bytes() == content


# --- nothing is left behind


async def test_no_process_outlives_its_board(folder):
    seen = []

    async def interrupted():
        async with VirtualBoard(folder, COVERED, speed=None) as board:
            await board.power_on()
            seen.append((board.pid, gone(board.pid)))
            raise KeyError

    with pytest.raises(KeyError):
        await interrupted()
    [(pid, was_gone)] = seen
    assert not was_gone
    assert gone(pid)


def test_no_process_outlives_a_killed_owner(folder):
    script = (
        "import asyncio, sys; from pathlib import Path\n"
        "from host_tools.virtual_board import VirtualBoard, Scenario\n"
        "from host_tools.virtual_board.scenario import Round\n"
        "async def main():\n"
        "    scenario = Scenario('x', 'open', (Round('0008', 'read', (2, 4, 5)),))\n"
        "    async with VirtualBoard(Path(sys.argv[1]), scenario) as board:\n"
        "        await board.power_on(); print(board.pid, flush=True); await asyncio.sleep(60)\n"
        "asyncio.run(main())\n"
    )
    root = Path(__file__).resolve().parents[3]
    command = [sys.executable, "-c", script, str(folder)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(root), str(root / "firmware")))}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root, env=environment) as owner:
        assert owner.stdout is not None
        pid = int(owner.stdout.readline())
        assert not gone(pid)
        owner.kill()
    deadline = time.monotonic() + 10
    while not gone(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert gone(pid)
