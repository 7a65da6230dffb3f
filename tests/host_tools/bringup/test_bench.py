"""Provisioning and the self-test on a flashed virtual board, as functions."""

import asyncio
import json
import shlex
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from bringup_kit import ORDINARY, altered, quiet

from host_tools.bringup.bench import run_selftest
from host_tools.bringup.errors import BoardLost, StepFailed, Unsuitable
from host_tools.bringup.provision import Ceremony, check_folders, provision, write_record
from host_tools.bringup.remote import Remote
from host_tools.bringup.report import write_report
from host_tools.records import Registry
from host_tools.virtual_board.scenario import Stroke

DOCS = Path(__file__).resolve().parents[3] / "docs" / "bring-up.md"
AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.fixture
def folder(flashed, tmp_path):
    """A board with the firmware, to change."""
    return shutil.copytree(flashed, tmp_path / "flashed")


async def selftested(on_bench, folder, virtual, scenario, with_uart=False):
    async with on_bench(scenario, folder, wait_for="provision the device") as running:
        uart = running.board.uart_path if with_uart else None
        return await running.do(run_selftest, virtual, uart, AT, quiet)


def failed(report):
    return [result["test"] for result in report.results if result["ok"] is False]


async def test_a_good_board_passes_and_the_report_has_its_pictures(on_bench, folder, virtual, tmp_path):
    report = await selftested(on_bench, folder, virtual, ORDINARY, with_uart=True)
    assert failed(report) == []
    assert report.passed
    told = {result["test"]: result for result in report.results}
    assert len(told["strokes"]["found"]) == 4
    assert told["link"]["found"] == {"sent": 100, "not back": 0, "errors at host": 0, "errors at board": 0}
    assert {"signing", "flash", "memory", "focus", "clock", "cover-closed", "dice-sensor"} < set(told)
    assert [picture.name for picture in report.pictures] == ["dark", "lamp0", "lamp1", "lamp2", "lamp3"]
    assert max(report.pictures[0].pixels) < max(report.pictures[1].pixels)
    data, page = write_report(report, tmp_path / "report.json")
    assert json.loads(data.read_text())["passed"] is True
    text = page.read_text()
    assert text.count("data:image/png;base64,") == 5
    assert "passed" in text


async def test_a_channel_at_the_wrong_level_fails_and_the_drive_stays_off(
    on_bench, folder, virtual, tmp_path
):
    report = await selftested(on_bench, folder, virtual, altered(dome_intact=False))
    assert failed(report) == ["dome-intact", "strokes"]
    told = {result["test"]: result for result in report.results}
    assert "loop around the dome" in told["dome-intact"]["advice"]
    assert told["strokes"]["found"] == "not fired: dome-intact"
    assert "FAILED" in write_report(report, tmp_path / "report")[1].read_text()


async def test_weak_strokes_and_a_dark_camera_fail(on_bench, folder, virtual):
    scenario = altered(strokes=[Stroke(12_000, 150)] * 4, camera="dark")
    assert failed(await selftested(on_bench, folder, virtual, scenario)) == [
        "strokes",
        "lamp0",
        "focus",
        "lamp1",
        "lamp2",
        "lamp3",
    ]


async def test_a_dead_camera_fails(on_bench, folder, virtual):
    report = await selftested(on_bench, folder, virtual, altered(camera="dead"))
    assert failed(report) == ["dark", "lamp0", "lamp1", "lamp2", "lamp3", "dice-sensor"]


async def test_provisioning_registers_a_device_once_and_tells_no_secret(on_bench, folder, virtual, tmp_path):
    registry = Registry.open(tmp_path / "registry.json")
    async with on_bench(ORDINARY, folder, wait_for="provision the device") as running:

        async def ceremony(name):
            return await running.do(provision, virtual, registry, name, "A. Person", AT, quiet)

        done = await ceremony("table 1")
        await running.plays()
        with pytest.raises(Unsuitable, match="is provisioned: its keys are never overwritten"):
            await ceremony("table 2")
        await running.plays()
        seed = await running.run("print(open('/flash/keys/device.key', 'rb').read().hex())")
    (device,) = Registry.open(tmp_path / "registry.json").devices()
    assert (device.id, device.public_key, device.name) == (done.device, done.public_key, "table 1")
    assert (tmp_path / "registry.json").stat().st_mode & 0o777 == 0o600
    record = write_record(done, tmp_path).read_text()
    assert json.loads(record)["held_by"] == "A. Person"
    assert device.host_key is not None
    assert device.host_key.hex() not in record
    for told in (record, (tmp_path / "registry.json").read_text()):
        assert seed.strip()[:64] not in told
    with pytest.raises(StepFailed, match="save this text"):
        write_record(done, tmp_path)


class LosesLinkAfter(Remote):
    """A cable that is pulled right after the board has made its keys."""

    def run(self, code, on_line=None, wait_s=None):
        told = super().run(code, on_line, wait_s)
        if "told = repr(" in code:
            raise BoardLost("the board stopped answering")
        return told


class Garbles(Remote):
    """A line that changes one digit of the host key, the first `times` times."""

    times = 1

    def run(self, code, on_line=None, wait_s=None):
        told = super().run(code, on_line, wait_s)
        if "sha256(told" in code and self.times:
            self.times -= 1
            at = told.index("host_key': '") + 20
            return told[:at] + ("1" if told[at] == "0" else "0") + told[at + 1 :]
        return told


def erase_commands(port):
    """What docs/bring-up.md says under "Erase a device", for the board on `port`."""
    steps = DOCS.read_text().partition("### Erase a device")[2].partition("```\n")[2].partition("```")[0]
    return [shlex.split(line.replace("PORT", port))[1:] for line in steps.splitlines()]


async def mpremote(*arguments):
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "mpremote", *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    async with asyncio.timeout(120):
        output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()


async def test_a_host_key_lost_with_the_link_is_told_and_the_documented_steps_make_a_new_device(
    on_bench, folder, virtual, tmp_path
):
    registry = Registry.open(tmp_path / "registry.json")
    async with on_bench(ORDINARY, folder, wait_for="provision the device") as running:

        async def ceremony(remote=Remote):
            arguments = (virtual, registry, "table 1", "A. Person", AT, quiet)
            return await running.do(provision, *arguments, remote=remote)

        with pytest.raises(BoardLost, match=r"may have made its keys already.* the next run tells"):
            await ceremony(LosesLinkAfter)
        assert registry.devices() == []
        await running.plays()
        with pytest.raises(Unsuitable, match=r"this registry does not know.*nobody has its host key") as told:
            await ceremony()
        assert "Erase a device" in str(told.value)
        await running.plays()
        for arguments in erase_commands(running.port):
            await mpremote(*arguments)
        done = await ceremony(Garbles)
    (device,) = Registry.open(tmp_path / "registry.json").devices()
    assert device.id == done.device
    assert device.id.hex() not in str(told.value)  # another device than the one that was erased


async def test_a_host_key_that_comes_garbled_each_time_is_not_registered(
    on_bench, folder, virtual, tmp_path, monkeypatch
):
    monkeypatch.setattr(Garbles, "times", 9)
    registry = Registry.open(tmp_path / "registry.json")
    async with on_bench(ORDINARY, folder, wait_for="provision the device") as running:
        with pytest.raises(StepFailed, match=r"came garbled: their host key is lost.*Erase a device"):
            await running.do(provision, virtual, registry, "x", "y", AT, quiet, remote=Garbles)
    assert registry.devices() == []


def test_a_record_that_cannot_be_written_is_told_whole(tmp_path):
    ceremony = Ceremony(b"12345678", b"k" * 32, {"device": "3132333435363738", "held_by": "A. Person"})
    with pytest.raises(StepFailed) as told:
        write_record(ceremony, tmp_path / "nothing")
    assert json.loads(str(told.value).partition(":\n")[2]) == ceremony.record


def test_a_folder_that_takes_no_file_is_told_before_any_key_is_made(tmp_path):
    check_folders(tmp_path)
    with pytest.raises(Unsuitable, match="No key is made yet"):
        check_folders(tmp_path, tmp_path / "nothing")
    assert list(tmp_path.iterdir()) == []


async def test_a_board_without_firmware_is_told_to_flash_first(on_bench, virtual):
    registry = Registry()
    async with on_bench() as running:
        with pytest.raises(Unsuitable, match="flash it first"):
            await running.do(provision, virtual, registry, "x", "y", AT, quiet)
        with pytest.raises(Unsuitable, match="flash it first"):
            await running.do(run_selftest, virtual, None, AT, quiet)
