"""A scenario on real hardware: a person lays the dice, a second board plays the rest."""

import asyncio
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from host_tools.bridge.errors import BridgeError
from host_tools.link import LinkError
from host_tools.pins.describe import describe_outcome
from host_tools.pins.rounds import expectation, is_expected
from host_tools.pins.second_board.board import Setup, WiredBoard
from host_tools.pins.second_board.wiring import SHAKER, Wiring
from host_tools.scenario_player import play_round, terms_for
from host_tools.virtual_board.scenario import Event, Round, Scenario, ScenarioError
from host_tools.virtual_table import VirtualTable, virtual_table

Pins = list[tuple[int, int]]


def wires_of(wiring: Wiring, hal: Mapping[str, Any]) -> tuple[Pins, Pins]:
    """(pin, level while nothing is so) of the driven and of the watched, as player.Player has them."""

    ends = hal["inputs"] | hal["outputs"] | {SHAKER: {"active": "high"}}

    def rest(pins: Mapping[str, int]) -> Pins:
        return [(pin, int(ends[name]["active"] == "low")) for name, pin in pins.items()]

    return rest(wiring.drives), rest(wiring.watches)


def check_playable(scenario: Scenario) -> None:
    """Raises ScenarioError for what can be done neither by pins nor by a person."""
    for number, played in enumerate(scenario.rounds, 1):
        if any(event.when == "capture" for event in played.events):
            raise ScenarioError(
                f"{scenario.title}: round {number} waits for a capture, which no wire tells: play it on the"
                " virtual board"
            )


async def play_wired(setup: Setup, scenario: Scenario, directory: Path) -> int:
    """Play each round once, the ledger in folder `directory`; how many ended otherwise than the file says.

    Raises ScenarioError, TableUnusable, and BringUpError when the second board is lost.
    """
    check_playable(scenario)

    class ThisBoard(WiredBoard):
        pass

    ThisBoard.setup = setup
    playing = virtual_table(
        directory,
        scenario,
        terms_for(scenario.mode),
        speed=1.0,
        seed=str(scenario.seed),
        new_round_id=lambda: secrets.token_bytes(16),
        board_kind=ThisBoard,
    )
    async with playing as table:
        if not isinstance(table.board, WiredBoard):
            raise TypeError("a wired board is played here")
        rounds = asyncio.create_task(_play_all(table, setup, scenario))
        failing = asyncio.create_task(table.board.fails())
        try:
            await asyncio.wait((rounds, failing), return_when=asyncio.FIRST_COMPLETED)
            if failing.done():
                failing.result()
            unexpected = await rounds
            await table.board.power_cut()
            return unexpected
        finally:
            rounds.cancel()
            failing.cancel()


async def _play_all(table: VirtualTable, setup: Setup, scenario: Scenario) -> int:
    unexpected = 0
    for played in scenario.rounds:
        await setup.ask(instructions(scenario, played))
        unexpected += not await _play(table, setup)
    return unexpected


async def _play(table: VirtualTable, setup: Setup) -> bool:
    """Play one round; True when it ended as it was to."""
    try:
        played = await play_round(table)
    except (BridgeError, LinkError, TimeoutError) as error:
        setup.tell(f"the round was given up: {error or 'the device did not answer'}")
        return False
    told = describe_outcome(played.outcome)
    if is_expected(played.expected, told, played.outcome.fact):
        setup.tell(f"round: {told}")
        return True
    setup.tell(f"round: {told} (the scenario says {expectation(played.expected)})")
    return False


def instructions(scenario: Scenario, played: Round) -> str:
    """What a person is to do for the round, a line for each thing."""
    picture = f"tests/frames/{scenario.frames}/{played.scene}"
    if played.faces:
        dice = f"Lay the dice so that they show {'-'.join(map(str, played.faces))}"
    else:
        dice = f"Lay the dice as the pictures in {picture} show"
    lines = [dice, *(line for event in played.events for line in _by_hand(scenario, event))]
    return "\n".join([*lines, "Press Enter to begin the round"])


def _by_hand(scenario: Scenario, event: Event) -> list[str]:
    nth = f" {event.nth}" if event.nth > 1 else ""
    when = f"{event.after_ms / 1000:g} s after {event.when}{nth}"
    lines = []
    if "tilted" in event.levels:
        lines.append(f"{when}: {'tilt the tumbler' if event.levels['tilted'] else 'stand it level again'}")
    if event.camera:
        lines.append(f"{when}: make the camera {event.camera}")
    if event.scene:
        lines.append(f"{when}: lay the dice as in tests/frames/{scenario.frames}/{event.scene}")
    if event.power_off_ms is not None:
        lines.append(f"{when}: you will be asked to cut the power")
    return lines
