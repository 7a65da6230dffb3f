"""Flashing a virtual board over its REPL: what travels, what is refused, and every way to be interrupted."""

import asyncio
import os
import subprocess
import sys
import tty
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import serial

from host_tools.boards import load_board
from host_tools.bringup.errors import BoardLost, StepFailed, Unsuitable
from host_tools.bringup.flash import check_abi, check_fit
from host_tools.bringup.ports import choose_port
from host_tools.bringup.remote import Interpreter, Remote, explain

ROOT = Path(__file__).resolve().parents[3]
MICROPYTHON = Path(sys.executable).with_name("micropython")
CUTS = Path(__file__).with_name("flash_power_cuts.py")


class Gone(Exception):
    """The cable is out."""


class Unplugged(Remote):
    """A remote whose board loses power before the command number `at`, counted over all of one run."""

    at = 0
    board: Any = None
    loop: Any = None
    count = 0

    def start(self, code):
        if self.count == self.at:
            asyncio.run_coroutine_threadsafe(self.board.power_cut(), self.loop).result(10)
            raise Gone
        type(self).count += 1
        super().start(code)


def unplugged(running, at):
    return type(
        "Unplugged", (Unplugged,), {"at": at, "board": running.board, "loop": asyncio.get_running_loop()}
    )


async def test_the_firmware_boots_and_a_repetition_copies_nothing(on_bench, virtual, tiny):
    build = tiny("one")
    async with on_bench() as running:
        done = await running.flash(virtual, build)
        assert (done.slot, done.sent_files, done.strange) == ("slot-a", 3, ())
        assert "this is one" in await running.restart()
        again = await running.flash(virtual, build)
        assert (again.slot, again.sent_files) == ("slot-a", 0)


async def test_only_what_changed_travels_and_the_other_slot_keeps_the_old_one(on_bench, virtual, tiny):
    async with on_bench() as running:
        await running.flash(virtual, tiny("one", big="# " + "x" * 5000))
        done = await running.flash(virtual, tiny("two", big="# " + "x" * 5000))
        assert (done.slot, done.sent_files, done.files) == ("slot-b", 1, 4)
        assert "this is two" in await running.restart()
        await running.run(
            "file = open('/flash/slot-b/tumbler/start.py', 'a')\nfile.write('damage')\nfile.close()"
        )
        started = await running.restart()
        assert "slot-b: tumbler/start.py is not of this firmware" in started
        assert "this is one" in started


async def test_keys_and_journal_stay(on_bench, virtual, tiny):
    async with on_bench() as running:
        await running.run(
            "import os\nfor name in ('keys', 'journal'):\n    os.mkdir(name)\n"
            "    file = open(name + '/x', 'w')\n    file.write('precious')\n    file.close()"
        )
        await running.flash(virtual, tiny("one"))
        await running.flash(virtual, tiny("two"))
        told = await running.run("print(open('/flash/keys/x').read(), open('/flash/journal/x').read())")
        assert told.split() == ["precious", "precious"]


async def test_unplugged_before_every_command_then_flashed_again(on_bench, virtual, tiny):
    async with on_bench() as running:
        await running.flash(virtual, tiny("v0"))
        old = new = "v0"
        at, interrupted = 0, True
        while interrupted:
            new = f"v{at + 1}"
            build = tiny(new)
            try:
                await running.flash(virtual, build, unplugged(running, at))
                interrupted = False
            except Gone:
                started = await running.restart()
                assert ("this is " + old in started) != ("this is " + new in started)
                if at % 5 == 0:
                    await running.flash(virtual, build)
                    started = await running.restart()
                    assert "this is " + new in started
            old = new if "this is " + new in running.board.console else old
            at += 1
        assert at > 15
        assert "this is " + new in await running.restart()


def test_a_power_cut_at_every_operation_of_the_flash_chip():
    command = [MICROPYTHON, "-X", "heapsize=4m", CUTS.relative_to(ROOT), "0", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    cuts, old, new = map(int, done.stdout.splitlines()[-1].split())
    assert cuts > 30
    assert old > 0 < new
    assert old + new == cuts


async def test_a_file_that_does_not_read_back_as_written_is_noticed(on_bench, virtual, tiny):
    class Worn(Remote):
        def call(self, function, *arguments, wait_s=None):
            if function == "end":
                super().run("_open[0].write('!')")
            return super().call(function, *arguments, wait_s=wait_s)

    async with on_bench() as running:
        await running.flash(virtual, tiny("one"))
        with pytest.raises(StepFailed, match="does not read back as it was written"):
            await running.flash(virtual, tiny("two"), Worn)
        assert "this is one" in await running.restart()


async def test_a_firmware_that_fails_its_self_test_does_not_boot(on_bench, virtual, tiny):
    async with on_bench() as running:
        await running.flash(virtual, tiny("one"))
        with pytest.raises(StepFailed, match=r"self-test \(tiny: it\); slot-a with the old one boots"):
            await running.flash(virtual, tiny("bad", sound=False))
        assert "this is one" in await running.restart()


async def test_a_strange_file_keeps_a_slot_from_booting_and_is_told(on_bench, virtual, tiny):
    async with on_bench() as running:
        await running.flash(virtual, tiny("one"))
        await running.flash(virtual, tiny("two"))
        await running.run("file = open('/flash/slot-b/tumbler/round.py', 'w')\nfile.close()")
        started = await running.restart()
        assert "slot-b: tumbler/round.py is not of this firmware" in started
        assert "this is one" in started
        done = await running.flash(virtual, tiny("three"))
        assert (done.slot, done.strange) == ("slot-b", ("tumbler/round.py",))
        assert "this is three" in await running.restart()


async def test_a_full_volume_is_refused_before_anything_is_copied(on_bench, virtual, tiny):
    async with on_bench() as running:
        await running.flash(virtual, tiny("one"))
        await running.run(
            "file = open('/flash/music', 'wb')\nfor _ in range(300): file.write(bytes(4096))\nfile.close()"
        )
        with pytest.raises(Unsuitable, match=r"too full: .* KB are free"):
            await running.flash(virtual, tiny("two"))
        assert "this is one" in await running.restart()


async def test_another_program_on_the_board_is_left_alone(on_bench, virtual, tiny):
    async with on_bench() as running:
        await running.run("file = open('main.py', 'w')\nfile.write('print(1)')\nfile.close()")
        with pytest.raises(Unsuitable, match="runs another program"):
            await running.flash(virtual, tiny("one"))
        assert (await running.run("print(open('main.py').read())")).strip() == "print(1)"


async def test_a_board_that_loses_power_in_the_middle_is_told(on_bench):
    async with on_bench() as running:
        loop = asyncio.get_running_loop()

        def step(remote):
            remote.enter()
            asyncio.run_coroutine_threadsafe(running.board.power_cut(), loop).result(10)
            remote.run("print(1)")

        with pytest.raises(BoardLost, match="stopped answering: check cable and power"):
            await running.do(step)


def test_what_is_no_micropython_is_refused():
    near, far = os.openpty()
    tty.setraw(far)
    try:
        with Remote(os.ttyname(far), wait_s=0.2) as remote, pytest.raises(Unsuitable, match="no MicroPython"):
            remote.enter()
    finally:
        os.close(near)
        os.close(far)


VIRTUAL = Interpreter("micropython", (1, 29, 0), "linux [GCC 14.2.1] version", 2822, "linux", "/flash", False)
PICO2 = replace(VIRTUAL, machine="Raspberry Pi Pico2 with RP2350", platform="rp2", mpy=6 | 3 << 8 | 7 << 10)


def test_a_board_that_does_not_fit_is_refused(virtual, build):
    check_fit(VIRTUAL, virtual, build)
    with pytest.raises(Unsuitable, match="not a Virtual board"):
        check_fit(PICO2, virtual, build)
    with pytest.raises(Unsuitable, match=r"1.20.0 is too old, 1.2\d"):
        check_fit(replace(VIRTUAL, version=(1, 20, 0)), virtual, build)
    with pytest.raises(Unsuitable, match=r"not a .*Pico"):
        check_fit(VIRTUAL, load_board("pico2"), build)
    with pytest.raises(Unsuitable, match=r"compiled for .mpy version 6"):
        check_fit(replace(VIRTUAL, mpy=5), virtual, build)


def test_the_abi_of_compiled_files():
    bytecode, native = bytes([77, 6, 0, 31]), bytes([77, 6, 7 << 2 | 3, 31])
    for mpy in (6, 6 | 3 << 8 | 7 << 10, 6 | 2 << 8 | 10 << 10):
        check_abi("x.mpy", bytecode, mpy)
    check_abi("x.mpy", native, 6 | 3 << 8 | 7 << 10)
    for mpy in (6 | 2 << 8 | 7 << 10, 7 | 3 << 8 | 7 << 10):
        with pytest.raises(Unsuitable, match="mpy version"):
            check_abi("x.mpy", native, mpy)
    with pytest.raises(Unsuitable, match="processor 7, the board has 10"):
        check_abi("x.mpy", native, 6 | 3 << 8 | 10 << 10)


@dataclass
class Listed:
    device: str
    vid: int | None
    pid: int | None
    description: str = "a board"


def test_ports():
    pico2 = load_board("pico2")
    ours = [Listed(f"/dev/ttyACM{i}", *pico2.usb_ids[0]) for i in range(2)]
    other = Listed("/dev/ttyUSB0", 1, 2)
    assert choose_port(pico2, None, lambda: [other, ours[0]]) == "/dev/ttyACM0"
    assert choose_port(pico2, "/dev/x", list) == "/dev/x"
    with pytest.raises(Unsuitable, match=r"no .*Pico 2.* is connected"):
        choose_port(pico2, None, lambda: [other])
    with pytest.raises(Unsuitable, match=r"2 boards.*--port\n  /dev/ttyACM0 .*\n  /dev/ttyACM1"):
        choose_port(pico2, None, lambda: ours)


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        (serial.SerialException(13, "could not open port"), "usermod -aG dialout"),
        (serial.SerialException(2, "could not open port"), "there is no port"),
        (serial.SerialException(16, "busy"), "is in use"),
        (serial.SerialException("Could not exclusively lock port"), "is in use"),
        (ValueError("invalid URL"), "cannot be opened"),
    ],
)
def test_why_a_port_cannot_be_opened(error, advice):
    assert advice in explain("/dev/ttyACM9", error)


def test_a_port_that_is_not_there_is_told_on_opening():
    with pytest.raises(Unsuitable, match="there is no port /dev/ttyACM9"), Remote("/dev/ttyACM9"):
        pass
