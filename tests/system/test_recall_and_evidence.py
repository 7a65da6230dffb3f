"""What a device itself can prove of its newest rounds: records recalled on site, frames checked by digest."""

import asyncio
import hashlib
import json
import sys
from pathlib import Path
from random import Random
from typing import Any

from host_tools.link import EvidenceFile
from host_tools.scenario_player import play_round, terms_for
from host_tools.virtual_board import Scenario, VirtualBoard, load_scenario
from host_tools.virtual_table import virtual_table

SCENARIOS = Path(__file__).parents[2] / "scenarios"
TUMBLER = Path(sys.executable).with_name("tumbler")
FRAMES = 4 * 320 * 240


def table(folder: Path, scenario: Scenario) -> Any:
    round_ids = Random(5)
    return virtual_table(
        folder,
        scenario,
        terms_for(scenario.mode),
        speed=None,
        seed=str(scenario.seed),
        new_round_id=lambda: round_ids.randbytes(16),
    )


async def recalled(board: VirtualBoard, folder: Path, *options: object) -> dict[str, Any]:
    """What `tumbler board recall` says of a board that has just been switched on."""
    where = ("--uart", board.uart_path, "--registry", folder / "registry.json")
    arguments = map(str, ("board", "recall", *where, *options, "--json"))
    process = await asyncio.create_subprocess_exec(TUMBLER, *arguments, stdout=asyncio.subprocess.PIPE)
    async with asyncio.timeout(90):
        output, _ = await process.communicate()
    assert process.returncode == 0
    return json.loads(output)


async def test_the_frames_of_a_reading_come_from_the_board_as_its_record_signs_them(tmp_path: Path) -> None:
    scenario = load_scenario(SCENARIOS / "ordinary-covered.toml")
    async with table(tmp_path / "table", scenario) as virtual:
        played = await play_round(virtual)
        (reading,) = [each for each in virtual.records(played.outcome.round) if each.kind == "reading"]
        file = EvidenceFile(tmp_path, reading.fields["frames"])
        async with asyncio.timeout(60):
            await virtual.session.questions.evidence(file)
        frames = file.path.read_bytes()
        assert len(frames) == FRAMES
        assert hashlib.sha256(frames).digest() == reading.fields["frames"]
        statistics = await virtual.session.questions.statistics()
        assert statistics["bad_macs"] == statistics["crc_errors"] == 0


async def test_a_faulted_device_tells_its_rounds_to_a_host_without_a_ledger(tmp_path: Path) -> None:
    scenario = load_scenario(SCENARIOS / "fault-survives-power.toml")
    folder = tmp_path / "table"
    async with table(folder, scenario) as virtual:
        outcomes = [(await play_round(virtual)).outcome for _ in scenario.rounds[:1]]
    async with VirtualBoard(folder / "board", scenario, speed=20) as board:
        await board.power_on()
        for _ in range(2):  # a recall leaves everything as it was
            told = await recalled(board, folder, "--evidence", tmp_path)
            rounds = {bytes.fromhex(each["round"]): each for each in told["rounds"]}
            for outcome in outcomes:
                assert rounds[outcome.round].get("void") == outcome.fact
                assert sorted(rounds[outcome.round].get("faces", ())) == sorted(outcome.faces or ())
            assert told["verified"] > 3
            assert told["device"] == board.identity.device.hex()
            assert told["faults"] == ["door-open"]
            assert told["evidence"] is None  # frames do not outlive a power cut
