"""Real bridges over real ports and stores, killed and starved, keep every promise."""

from pathlib import Path

import pytest

from host_tools.faults import live, parts
from host_tools.faults.device import PromiseBroken
from host_tools.faults.live import Sitting

KILLS = 20


def test_a_bridge_killed_at_random_moments_loses_and_doubles_nothing(tmp_path: Path) -> None:
    figures = parts.run("bridge", 1, KILLS, tmp_path)
    assert figures["broken"] == []
    assert figures["kills"] == KILLS
    assert figures["void"] > 0 < figures["settled"]
    assert figures["wagers"] > 0


def test_a_store_that_fails_loses_and_doubles_nothing(tmp_path: Path) -> None:
    figures = parts.run("store", 1, 2, tmp_path)
    assert figures["broken"] == []
    bridges = [figures[f"second-bridge-{store}"]["bridges"] for store in ("sqlite", "postgresql")]
    assert min(bridges) == 4  # the first, two that were refused, the last
    assert figures["database-restarted"]["verdicts"]["settled"] > 0
    starved = [each for each in ("database-restarted", "disk-full") if each not in figures["left_out"]]
    assert sum(figures[each]["store_lost"] for each in starved) > 0


def test_a_record_that_a_device_promised_and_the_ledger_has_not_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_the_last(where, witness, *others):
        witness.records.append(witness.records[-1])
        return JUDGE(where, witness, *others)

    monkeypatch.setattr(live, "judge", without_the_last)
    with pytest.raises(PromiseBroken), Sitting(tmp_path, str(tmp_path / "ledger.db"), "open", "short"):
        pass


JUDGE = live.judge
