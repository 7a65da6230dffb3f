"""Every scenario on a whole table, over its pty: rounds end as the scenario says, and every record holds.

It is played on the virtual board, and then on a desktop with Blinka, where the same plant moves pins and the
same firmware runs on CPython: that must give the same records.
"""

import asyncio
from fractions import Fraction
from pathlib import Path

import cbor2
import pytest

from host_tools.bridge.events import RoundOutcome
from host_tools.pins.board import BlinkaBoard
from host_tools.scenario_player import WAGERS, PlayedRound, PlayedScenario, play_scenario
from host_tools.settlement import Table as Terms
from host_tools.virtual_board import Scenario, VirtualBoard, load_scenario
from host_tools.virtual_board.scenario import Round
from host_tools.virtual_table import PlantBoard
from tumbler import definitions

SCENARIOS = Path(__file__).parents[2] / "scenarios"
FILES = sorted(SCENARIOS.rglob("*.toml"))
VERDICTS = {"void": "void", "void-affected": "void", "refer": "referred"}
LONGEST_S = 60
# What differs from board to board and from run to run; boot counts and sequences do not.
OF_ITS_OWN = ("device", "previous", "uptime_ms", "wall_ms", "firmware", "profile")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_scenario(file: Path, tmp_path: Path) -> None:
    scenario = load_scenario(file)
    played = play(scenario, tmp_path / "virtual", VirtualBoard)
    check_all(played, scenario)
    on_blinka = play(scenario, tmp_path / "blinka", BlinkaBoard)
    assert contents(on_blinka) == contents(played), "the two boards signed different records"


def play(scenario: Scenario, directory: Path, board_kind: type[PlantBoard]) -> PlayedScenario:
    playing = play_scenario(scenario, directory, board_kind=board_kind)
    return asyncio.run(asyncio.wait_for(playing, LONGEST_S))


def contents(played: PlayedScenario) -> list[dict[str, object]]:
    """What each of the device's records says, times and identities aside."""
    names = {key: name for name, (key, _) in definitions.RECORD_FIELDS.items()}
    payloads = [cbor2.loads(cbor2.loads(raw).value[2]) for raw in played.records]
    return [
        {names[key]: value for key, value in payload.items() if names[key] not in OF_ITS_OWN}
        for payload in payloads
    ]


def check_all(played: PlayedScenario, scenario: Scenario) -> None:
    for number, round_ in enumerate(played.rounds, start=1):
        check_round(round_, played.terms, f"round {number}")
        check_secrecy(round_, played, scenario, f"round {number}")
    assert len({round_.outcome.round for round_ in played.rounds}) == len(scenario.rounds), (
        "a round told twice"
    )
    assert played.chain.fault is None
    assert played.chain.verified > 0
    assert played.findings == ()


def check_round(played: PlayedRound, terms: Terms, where: str) -> None:
    expected, outcome = played.expected, played.outcome
    told = f"{where}: {outcome.verdict} {outcome.faces} {outcome.fact}"
    if expected.expect == "read":
        assert (outcome.verdict, sorted(outcome.faces or ())) == ("settled", list(expected.faces)), told
        check_money(outcome)
    elif expected.expect == "void":
        assert outcome.fact == expected.fact, told
        decided = expected.fact == "host-void"
        action = "void" if decided else terms.rulebook.ruling(expected.fact).action
        assert outcome.verdict == VERDICTS[action], told
        assert all(wager.returned == wager.stake for wager in outcome.wagers), told
    else:
        assert (outcome.verdict, outcome.sequence, outcome.wagers) == ("void", 0, ()), told
    assert played.cleared == clearing(expected), where
    odd_command = expected.host in ("no-more-bets-early", "tumble-twice")
    assert [reply.status for reply in played.replies] == ["wrong-state"] * odd_command, where


def clearing(expected: Round) -> tuple[str, ...]:
    """What tries to clear the round's fault are answered: refused until it is repaired, if it lasts."""
    if not (expected.fault and expected.clear):
        return ()
    lasts = any(event.when == "repair" and not event.scene for event in expected.events)
    return ("still-present", "done") if lasts else ("done",)


def check_money(outcome: RoundOutcome) -> None:
    """The wagers as people would settle them, apart from the code (MBS v4, 3.3 and 4.1; RWS, 4.1.1)."""
    assert outcome.faces is not None
    total, triple = sum(outcome.faces), len(set(outcome.faces)) == 1
    odds = {
        "small": 1 if 4 <= total <= 10 and not triple else None,
        "big": 1 if 11 <= total <= 17 and not triple else None,
        "total:9": 7 if total == 9 else None,
        "any-triple": 32 if triple else None,
    }
    due = {
        wager: Fraction(stake) * (1 + won) if (won := odds[wager]) is not None else Fraction(0)
        for wager, stake in WAGERS
    }
    assert {wager.wager: Fraction(wager.returned) for wager in outcome.wagers} == due


def check_secrecy(played: PlayedRound, scenario: PlayedScenario, plan: Scenario, where: str) -> None:
    """No frame is captured from a covered round's tumble until the host has said no more bets."""
    if plan.mode != "covered":
        return
    until_us = played.ended_us if played.closing_us is None else played.closing_us
    early = [
        at_us for at_us, what in scenario.log if what == "capture" and played.begun_us <= at_us < until_us
    ]
    assert not early, where


def test_the_scenarios_show_every_void_fact_and_every_fault() -> None:
    rounds = [round_ for file in FILES for round_ in load_scenario(file).rounds]
    assert {round_.fact for round_ in rounds} >= set(definitions.VOID_FACTS)
    lasting = set(definitions.LATCHING_FACTS) - {"memory-fault", "program-fault"}  # no plant can cause those
    assert {round_.fault for round_ in rounds} | {r.fact for r in rounds if r.expect == "refused"} >= lasting


def test_both_play_modes_are_played() -> None:
    assert {load_scenario(file).mode for file in FILES} == set(definitions.PLAY_MODES)
