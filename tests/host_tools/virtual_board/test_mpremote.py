"""mpremote on the virtual board's REPL, as on any board: exec, cp, run, ls, soft-reset, its exit codes."""

import asyncio
import os
import signal
import sys
from pathlib import Path

from host_tools.virtual_board.board import HEAP


async def mpremote(board, *arguments):
    """Run `mpremote connect REPL ARGUMENTS`; (exit code, what it printed)."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "mpremote", "connect", board.repl_path, *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    async with asyncio.timeout(120):
        output, _ = await process.communicate()
    return process.returncode, output.decode().replace("\r\n", "\n")


async def test_exec_interrupts_the_application(probing):
    async with probing() as probe:
        assert await mpremote(probe.board, "exec", "print(6 * 7)") == (0, "42\n")
        assert "KeyboardInterrupt" in probe.board.console
        code, output = await mpremote(probe.board, "exec", "raise ValueError(17)")
        assert code == 1
        assert "ValueError: 17" in output


async def test_an_interrupt_that_the_port_does_not_catch_leads_to_the_prompt_as_on_a_board(probing):
    async with probing() as probe:
        # At its prompt the port takes Ctrl-C for a key and catches no signal.
        await mpremote(probe.board, "exec", "pass")
        first = probe.board.pid
        os.kill(first, signal.SIGINT)
        async with asyncio.timeout(30):
            while probe.board.pid in {first, None}:  # noqa: ASYNC110 - nobody announces it
                await asyncio.sleep(0.005)
        assert await mpremote(probe.board, "resume", "exec", "import sys; print('main' in sys.modules)") == (
            0,
            "False\n",
        )


async def test_cp_lands_on_the_volume_and_survives_soft_reset_and_power_cut(probing, tmp_path):
    content = bytes(range(256)) * 40
    (tmp_path / "file.bin").write_bytes(content)
    async with probing() as probe:
        assert (await mpremote(probe.board, "cp", str(tmp_path / "file.bin"), ":file.bin"))[0] == 0
        for _ in range(2):
            assert (await mpremote(probe.board, "soft-reset"))[0] == 0
            code, listed = await mpremote(probe.board, "ls")
            assert (code, "10240 file.bin" in listed) == (0, True)
            await probe.board.power_cut()
            await probe.board.power_on()
        back = tmp_path / "back.bin"
        assert (await mpremote(probe.board, "cp", ":file.bin", str(back)))[0] == 0
        assert back.read_bytes() == content


async def test_run_executes_a_local_file_on_the_board(probing, tmp_path):
    (tmp_path / "good.py").write_text("import os\nprint(os.getcwd(), 'board.json' in os.listdir())\n")
    (tmp_path / "bad.py").write_text("print(1 // 0)\n")
    async with probing() as probe:
        assert await mpremote(probe.board, "run", str(tmp_path / "good.py")) == (0, "/flash True\n")
        code, output = await mpremote(probe.board, "run", str(tmp_path / "bad.py"))
        assert code == 1
        assert "ZeroDivisionError" in output


async def test_commands_that_the_board_refuses_fail(probing):
    async with probing() as probe:
        assert (await mpremote(probe.board, "cat", ":no-such-file"))[0] == 1
        assert (await mpremote(probe.board, "ls", ":no-such-folder"))[0] == 1


async def test_soft_reset_in_the_friendly_repl_starts_the_application(probing):
    async with probing() as probe:
        await mpremote(probe.board, "exec", "pass")  # leaves the friendly REPL, without an application
        first = probe.board.pid
        await asyncio.to_thread(Path(probe.board.repl_path).write_bytes, b"\x04")
        assert await probe.answer() == "probe"
        assert probe.board.pid != first
        assert "MPY: soft reboot" in probe.board.console


async def test_reset_starts_the_board_afresh(probing):
    async with probing() as probe:
        first = probe.board.pid
        assert (await mpremote(probe.board, "reset"))[0] == 0
        assert await probe.answer() == "probe"
        assert probe.board.pid != first


async def test_the_application_can_be_started_again_from_the_repl(probing):
    async with probing() as probe:
        await probe.ask("strokes", 4)
        await mpremote(probe.board, "resume", "exec", "--no-follow", "import main")
        assert await probe.answer() == "probe"
        assert await probe.ask("now") >= 0


async def test_the_heap_is_as_small_as_set(probing):
    async with probing() as probe:
        ask = "import gc; gc.collect(); print(gc.mem_free() + gc.mem_alloc())"
        code, total = await mpremote(probe.board, "exec", ask)
        assert code == 0
        assert 0.95 < int(total) / (1024 * int(HEAP.removesuffix("k"))) <= 1
