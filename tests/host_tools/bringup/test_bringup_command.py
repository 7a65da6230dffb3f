"""Bring-up as an engineer types it: a blank board becomes a registered device that attests its firmware."""

import asyncio
import json
import sys
from pathlib import Path

import pytest
from bringup_kit import altered

TUMBLER = Path(sys.executable).with_name("tumbler")


async def tumbler(*arguments):
    """Exit status, standard output and standard error of a command."""
    process = await asyncio.create_subprocess_exec(
        TUMBLER, *map(str, arguments), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(90):
        output, errors = await process.communicate()
    return process.returncode, output.decode(), errors.decode()


async def done(*arguments):
    """What a command with --json printed."""
    code, output, errors = await tumbler(*arguments, "--json")
    assert code == 0, errors
    return [json.loads(line) for line in output.splitlines()]


async def test_from_a_blank_board_to_a_device_that_attests_its_firmware(on_bench, tmp_path):
    registry, ledger = tmp_path / "registry.json", tmp_path / "ledger.sqlite"
    async with on_bench() as running:
        here = ("--board", "virtual", "--port", running.port)
        uart = ("--uart", running.board.uart_path)
        (flashed,) = await done("flash", *here)
        assert flashed["sent_files"] == flashed["files"] > 30
        await running.printed("provision the device")
        (ceremony,) = await done(
            "provision", *here, "--registry", registry, "--name", "table 1", "--records", tmp_path
        )
        record = tmp_path / f"key-ceremony-{ceremony['device']}.json"
        assert json.loads(record.read_text())["public_key"] == ceremony["public_key"]
        await running.plays()

        code, output, errors = await tumbler("provision", *here, "--registry", registry, "--name", "again")
        assert (code, output) == (2, "")
        assert "its keys are never overwritten" in errors
        await running.plays()

        seen = await done("monitor", *uart, "--seconds", "3")
        kinds = {name for each in seen for name in each}
        assert {"hello", "status", "record", "counters"} <= kinds
        assert next(each["record"] for each in seen if "record" in each)["kind"] == "boot"
        assert "acknowledged" not in await running.run("import os\nprint(os.listdir('/flash/journal-marks'))")
        await running.restart_application()

        books = ("--registry", registry, "--ledger", ledger)
        (attested,) = await done("board", "attest", "--board", "virtual", *uart, *books)
        assert attested["firmware_matches"] is True
        assert attested["device"] == ceremony["device"]
        code, output, _ = await tumbler("monitor", *uart, *books, "--seconds", "3")
        assert code == 0
        assert "last record" in output

        code, output, errors = await tumbler("selftest", *here, "--report", tmp_path / "report")
        assert code == 0, output + errors
        assert "The self-test passed." in output
        assert json.loads((tmp_path / "report.json").read_text())["passed"] is True
        assert (tmp_path / "report.html").exists()


async def test_another_firmware_than_the_build_is_told(on_bench, flashed_device, tmp_path):
    folder, books = flashed_device
    async with on_bench(folder=folder, wait_for="") as running:
        await running.plays()
        code, output, errors = await tumbler(
            "board", "attest", "--board", "pico2", "--uart", running.board.uart_path, *books
        )
        assert (code, errors) == (1, "")
        assert "runs ANOTHER firmware" in output


async def test_a_failed_self_test_exits_with_1(on_bench, flashed_device):
    folder, _ = flashed_device
    async with on_bench(altered(door_closed=False), folder, wait_for="") as running:
        await running.plays()
        code, output, _ = await tumbler("selftest", "--board", "virtual", "--port", running.port, "--json")
        assert code == 1
        told = json.loads(output)
        assert [result["test"] for result in told["results"] if result["ok"] is False] == [
            "door-closed",
            "strokes",
        ]


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (("flash", "--board", "pico2"), "no Raspberry Pi Pico 2"),
        (("flash", "--board", "virtual"), "name its REPL with --port"),
        (("flash", "--board", "virtual", "--port", "/dev/nothing"), "there is no port"),
        (("board", "flash", "--board", "picoo"), "there is no such board"),
        (("selftest", "--board", "blinka", "--port", "x"), "run it with `tumbler pins`"),
        (("monitor", "--uart", "x", "--ledger", "y"), "go together"),
    ],
)
async def test_bad_input_exits_with_2_and_says_what_to_do(arguments, advice):
    code, output, errors = await tumbler(*arguments)
    assert (code, output) == (2, "")
    assert advice in errors
    assert "Traceback" not in errors


async def test_a_uart_that_is_not_there_exits_with_1():
    code, _, errors = await tumbler("monitor", "--uart", "/dev/nothing")
    assert code == 1
    assert "cannot open /dev/nothing" in errors
