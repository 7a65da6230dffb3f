"""The published page says what the campaigns' figures say, and none is stale."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from host_tools.campaign.reader_figures import ReaderFigures
from host_tools.campaign.table_figures import TableFigures
from host_tools.scoring import Outcome
from host_tools.twin import rounds

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))
campaign_page = importlib.import_module("campaign_page")

AXES = ("category", "style", "size", "lamps", "renderer", "trouble")


def test_errors_refusals_seed_and_commit_are_on_the_page() -> None:
    line = {
        "unit": 0,
        "pairs": [],
        "dice": [(0.5, 0.991, True)] * 3,
        "refusal": "",
        "detail": "",
        "read_ms": 1,
        "verdict": "readable",
    }
    line |= {"recipe": str(Outcome.WRONG), "second": {"held": False, "reason": None, "detail": None}}
    line |= dict.fromkeys(AXES, "a-group") | {"lamps": "four", "trouble": "none"}
    outcomes = [Outcome.RIGHT] * 7 + [Outcome.WRONG] + [Outcome.LOST] * 2
    results = [{**line, "scene": n, "outcome": str(outcome)} for n, outcome in enumerate(outcomes)]
    results[7]["pairs"] = [[3, 2]]
    results[0]["second"] = {"held": True, "reason": "not-flat", "detail": "tilt"}
    asked = {"seed": 4711, "commit": "c0ffee", "units": 4}
    reader = asked | ReaderFigures(results).as_json()
    played = {"word": "rolled", "fact": "", "verdict": "settled", "wagers": 3, "faces": [1, 2, 3]}
    played |= {"true": [1, 2, 3], "must": "readable", "judged": "right", "money": []}
    sitting = {
        "sitting": 0,
        "rulebook": "r",
        "size": "s",
        "style": "t",
        "findings": [],
        "rounds": [played] * 5,
    }
    table = asked | TableFigures([sitting]).as_json()
    strong, weak = (asked | rounds.play(40, newtons, 4711, 1) for newtons in (16.0, 5.0))
    page = campaign_page.text(*json.loads(json.dumps((reader, table, strong, weak))))
    for told in (
        "--scenes 10 --seed 4711`, commit `c0ffee`",
        "**1 wrong** of 8 scenes read, at most 47 %: **1 with a wrong face**",
        "2 of 10 readable ones, 20 %",
        "| a-group, a-group | 10 | 7 | 1 | 0 | 0 | 2 of 10, 20 % |",
        "| a-group | 10 | 7 | 1 | 0 | 0 | 2 of 10, 20 % |",
        "| a-group | 10 | 0 | 10 | 0 | 0 | 0 of 10 |",
        "| 0.99 to 0.995 | 30 | 30 | 0.9910 | 1.0000 | 0.9050 to 1.0000 |",
        "agreed with 6 of 7 good readings and held 1 of them needlessly",
        "of 1 scenes read that had to be refused it held 0.",
        "| a-group, a-group | 6 | 1 | 14.29 % | 0.36 to 57.87 | 0 of 0 | 0 | 1 |",
        "--rounds 5 --seed 4711`",
        "| 40, strokes of 16 N, 0 void as too few tumbles; commit `c0ffee`, seed 4711 |",
        "| 40, strokes of 5 N, 40 void as too few tumbles; commit `c0ffee`, seed 4711 |",
        "**0 wrong** of 5 rounds settled, at most 45 %: **0 with a wrong face, 0 with a wrong amount**",
    ):
        assert told in page, page


@pytest.mark.skipif(not (ROOT / "docs/campaign").exists(), reason="no campaign is published yet")
def test_the_published_page_is_not_stale() -> None:
    command = [sys.executable, ROOT / "tools" / "campaign_page.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
