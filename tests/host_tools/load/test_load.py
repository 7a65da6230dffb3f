"""The service under load, small: simulated tumblers and real firmware, and every wager is accounted for."""

import subprocess
import sys
from pathlib import Path

import pytest

from host_tools.faults.device import PromiseBroken
from host_tools.load.judging import judge
from host_tools.load.players import Players
from host_tools.load.run import Load, run

TUMBLER = Path(sys.executable).with_name("tumbler")


def test_a_dozen_tables_and_one_with_firmware_lose_and_double_nothing(tmp_path):
    figures = run(Load(12, 1, 20, wagers=20, betting_s=3), tmp_path)
    assert figures["wagers"] > 0
    assert figures["verdicts"]["settled"] > 0
    assert figures["events"] >= 3 * figures["rounds"]


def test_tables_that_share_a_database_lose_and_double_nothing(tmp_path, postgres):
    figures = run(Load(3, 0, 20, betting_s=2, where=postgres.new_database()), tmp_path)
    assert figures["wagers"] > 0


def test_the_judge_finds_what_was_lost_or_never_happened(tmp_path):
    kept: list = []
    run(Load(1, 0, 20, betting_s=2), tmp_path, keep=kept.extend)
    promised, players = kept
    ledger = tmp_path / "ledger.sqlite"
    assert judge(ledger, promised, players)["rounds"] > 0
    ((device, records),) = promised.items()
    with pytest.raises(PromiseBroken, match="records"):
        judge(ledger, {device: records[:-1]}, players)
    _expect_broken(ledger, promised, players, "events", players.told.pop)
    taken = next(key for key, answer in players.registered.items() if answer)
    _expect_broken(ledger, promised, players, "wagers", lambda: players.registered.pop(taken))


def _expect_broken(ledger: Path, promised: dict, players: Players, what: str, change) -> None:
    change()
    with pytest.raises(PromiseBroken, match=what):
        judge(ledger, promised, players)


def test_the_command_is_of_the_service_alone():
    command = [TUMBLER, "bench", "ledger", "--tables", "3"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "--tables is of `service`" in done.stderr
