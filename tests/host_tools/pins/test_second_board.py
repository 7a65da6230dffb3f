"""A scenario on wired pins: the player's own code on fake pins, wired to a board that runs the firmware.

The board under test is a desktop with Blinka whose inputs only the wires move; its camera sees what a person
lays. Time is real.
"""

import asyncio
import json
import subprocess
import sys
from collections import deque
from pathlib import Path

import pytest

from host_tools.boards.board import load_board
from host_tools.bringup.errors import BoardLost
from host_tools.ledger import open_ledger
from host_tools.pins.board import BlinkaBoard
from host_tools.pins.hands import Hands
from host_tools.pins.second_board.board import Setup
from host_tools.pins.second_board.remote import SOURCE, without_docstrings
from host_tools.pins.second_board.session import check_playable, instructions, play_wired, wires_of
from host_tools.pins.second_board.wiring import SHAKER, WATCHED, Wiring, WrongWiring, load_wiring
from host_tools.virtual_board.plant import STEP_US
from host_tools.virtual_board.scenario import GATES, Event, Round, Scenario, ScenarioError, load_scenario
from tests.host_tools.pins.test_second_board_player import (
    LookingTime,
    PinsWithPulls,
    Player,  # pyright: ignore[reportAttributeAccessIssue]
    World,  # pyright: ignore[reportAttributeAccessIssue]
)

ROOT = Path(__file__).resolve().parents[3]
TUMBLER = Path(sys.executable).with_name("tumbler")
MICROPYTHON = Path(sys.executable).with_name("micropython")
PICO = load_board("pico").settings["hal"]
LONGEST_S = 90


# --- the bench: a board under test, and a second board beside it


class BareHands(Hands):
    """Nothing moves the inputs but what arrives over wires, at its own microsecond."""

    def _watch_outputs(self):
        for name in self._hal["outputs"]:
            if name.startswith("lamp"):
                wire, active = self.wire(name)
                number = int(name.removeprefix("lamp"))
                wire.watch(lambda level, _, on=active, number=number: self._lit(number, level is on))
        self.arriving = deque()
        self._shaken_mg = 0

    def arrive(self, name, level):
        """`level` is on the wire to `name`; the motor at the end of one shakes with 300 mg."""
        if name == SHAKER:
            self._shaken_mg = 300 * level
        else:
            self.wire(name)[0].drive(bool(level))

    def _vibrate(self, milli_g):
        super()._vibrate(milli_g + self._shaken_mg)

    def _set(self, name, level):
        pass

    def _take(self, grant):
        begun_us = self.now_us()
        super()._take(grant)
        ends_us = self.now_us()
        while self.arriving and self.arriving[0][0] <= ends_us:
            at_us, name, level = self.arriving.popleft()
            self._now_us = max(begun_us, at_us)
            self.arrive(name, level)
        self._now_us = ends_us


class BoardUnderTest(BlinkaBoard):
    def __init__(self, *arguments, **keywords):
        super().__init__(*arguments, **keywords)
        self.hands = BareHands(self.plant, json.loads(self.settings.raw))


class Second:
    """The player's code on fake pins, each wired to the pin of the same name of the board under test."""

    def __init__(self, tested, wiring, hal):
        self._tested, hands = tested, tested.hands
        self._sent = []
        self.world = World()
        self.world.time = LookingTime(self.world)
        for pin in wiring.watches.values():
            self.world.machine.Pin(pin).level = 0
        self.world.machine.Pin = PinsWithPulls(self.world.machine.Pin)
        self._player = Player(self.world.machine, self.world.time, *wires_of(wiring, hal))
        for name, pin in wiring.drives.items():
            self._arrive(name, self.world.pin(pin).level)
            self.world.pin(pin).changed = lambda level, name=name: self._arrive(name, level)
        for name, pin in wiring.watches.items():
            end = self.world.pin(pin)
            hands.wire(name)[0].watch(lambda level, _, end=end: end.becomes(int(level)))
        self.levels, self.heard = self._player.levels, self._player.heard
        self.played = []

    def set_levels(self, levels):
        self._player.set_levels(levels)
        self._deliver()

    def play(self, edges):
        self.played.append(edges)
        late_us = self._player.play(edges)
        self._deliver()
        return late_us

    def _deliver(self):
        """What the fake pins did arrives as a whole, a little later than the board's time is now."""
        sent, self._sent = self._sent, []
        base_us = self._tested.hands.now_us() + 2 * STEP_US
        self._tested.hands.arriving.extend(
            [(base_us + at_us - sent[0][0], name, level) for at_us, name, level in sent]
        )

    def _arrive(self, name, level):
        hands = self._tested.hands
        if not self._tested.powered:
            hands.arrive(name, level)
            return
        self._sent.append((self.world.us, name, level))


async def play(file, folder, change=lambda second: None):
    """(rounds that ended otherwise, what was told, the second board, gate edges that the board saw)."""
    scenario = load_scenario(ROOT / "scenarios" / file)
    identity = await BoardUnderTest.create(folder / "tested", seed="wired", profile=scenario.profile)
    told, edges = [], []
    async with BoardUnderTest(folder / "tested", scenario, seed="wired") as tested:
        (folder / "table").mkdir()
        settings = json.loads(tested.settings.raw)
        hal = settings["hal"]
        pins = {name: number for number, name in enumerate([*hal["inputs"], SHAKER, *WATCHED])}
        wiring = Wiring(
            {name: pins[name] for name in (*hal["inputs"], SHAKER)}, {name: pins[name] for name in WATCHED}
        )
        second = Second(tested, wiring, hal)
        change(second)
        for gate in GATES:
            wire, _ = tested.hands.wire(gate)
            wire.watch(lambda level, at_us, gate=gate: edges.append((gate, int(level), at_us)))

        async def person(question):
            if question.startswith("Lay the dice"):
                tested.next_round()
            elif question.startswith("Give"):
                await tested.power_on()
            else:
                assert question.startswith("Cut"), question
                await tested.power_cut()

        setup = Setup(settings, identity, tested.uart_path, wiring, second, person, told.append)
        unexpected = await asyncio.wait_for(play_wired(setup, scenario, folder / "table"), LONGEST_S)
        assert not tested.powered
        assert tested.console == ""
    return unexpected, told, second, edges, list(wiring.drives)


@pytest.mark.parametrize(
    ("file", "ends"),
    [
        ("dome-open.toml", ["round: referred: dome-open", "round: settled 2-2-5"]),
        ("ordinary-covered.toml", None),
    ],
)
async def test_a_scenario_plays_over_the_wires(tmp_path, file, ends):
    unexpected, told, second, edges, names = await play(file, tmp_path)
    assert unexpected == 0, told
    if ends is not None:
        assert told == ends
    else:
        assert all(line.startswith("round: settled") for line in told), told
    # What the board saw of each stroke is what was played, to the microsecond.
    sent = [stroke for stroke in second.played if len(stroke) >= 4]
    assert len(sent) >= 4
    seen = deque(edges)
    for stroke in sent:
        saw = [seen.popleft() for _ in stroke]
        first_us = saw[0][2]
        assert [(name, level, at_us - first_us) for name, level, at_us in saw] == [
            (names[index], level, offset) for index, level, offset in stroke
        ]
    assert not seen
    with open_ledger(tmp_path / "table" / "ledger.sqlite") as books:
        books.check()


async def test_a_second_board_that_is_lost_ends_the_play(tmp_path):
    def lose_it(second):
        def heard():
            if second.played:
                raise BoardLost("the second board stopped answering")
            return []

        second.heard = heard

    with pytest.raises(BoardLost, match="stopped answering"):
        await play("dome-open.toml", tmp_path, lose_it)


# --- the player on MicroPython


def test_the_player_passes_its_tests_on_micropython():
    command = [MICROPYTHON, "-X", "heapsize=480k", "tests/runners/run_portable.py"]
    file = "tests/host_tools/pins/test_second_board_player.py"
    done = subprocess.run([*command, file], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "7 passed, 0 failed" in done.stdout


def test_what_is_sent_is_the_player_without_its_docstrings():
    sent = without_docstrings(SOURCE.read_text())
    assert '"""' not in sent
    namespace = {}
    exec(sent, namespace)
    assert callable(namespace["Player"].play)


# --- what cannot begin


def written(tmp_path, change):
    wiring = {
        "drives": {name: wire["pin"] for name, wire in PICO["inputs"].items()} | {SHAKER: 20},
        "watches": {name: PICO["outputs"][name]["pin"] for name in WATCHED},
    }
    change(wiring)
    path = tmp_path / "wiring.json"
    path.write_text(json.dumps(wiring))
    return path


def test_a_whole_wiring_loads(tmp_path):
    wiring = load_wiring(written(tmp_path, lambda wiring: None), PICO)
    assert wiring.drives["stroke-gate"] == 2
    assert wiring.watches == {"drive": 16, "cover-lock": 17}
    assert wires_of(wiring, PICO) == (
        [*((pin, 1) for pin in (2, 3, 6, 7, 10, 11, 12)), (20, 0)],
        [(16, 0), (17, 0)],
    )


def test_the_wiring_on_the_testers_page_is_that_of_two_picos(tmp_path):
    page = (ROOT / "docs/testers.md").read_text()
    told = tmp_path / "page.json"
    told.write_text(page.partition("```json\n")[2].partition("```")[0])
    assert load_wiring(told, PICO) == load_wiring(written(tmp_path, lambda wiring: None), PICO)


WRONG = {
    "pin 2 is used twice, for stroke-gate and stroke-top": lambda w: w["drives"].update({"stroke-top": 2}),
    "pin 3 is used twice, for stroke-top and drive": lambda w: w["watches"].update(drive=3),
    "drives: no pin for dome-intact": lambda w: w["drives"].pop("dome-intact"),
    "watches: no pin for cover-lock": lambda w: w["watches"].pop("cover-lock"),
    "drives: 'tilted' is none of": lambda w: w["drives"].update(tilted=13),
    "drives: door-closed: a pin number": lambda w: w["drives"].update({"door-closed": "GP12"}),
    '"drives" and "watches" is wanted': lambda w: w.update(more=1),
    "watches: an object of names": lambda w: w.update(watches=[16, 17]),
}


@pytest.mark.parametrize("sentence", WRONG)
def test_a_wrong_wiring_is_told(tmp_path, sentence):
    with pytest.raises(WrongWiring) as told:
        load_wiring(written(tmp_path, WRONG[sentence]), PICO)
    assert sentence in str(told.value)


def command(*arguments):
    return subprocess.run(
        [TUMBLER, "pins", *map(str, arguments)],
        cwd=ROOT, input="", capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def assert_refused(done, sentence):
    assert done.returncode == 2, done.stderr
    assert sentence in done.stderr
    assert done.stderr.startswith("tumbler pins: ")
    assert len(done.stderr.strip().splitlines()) == 1


def registry(tmp_path):
    """A registry with one device, as provisioning leaves it."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from host_tools.records import Device, Registry
    from host_tools.records.registry import possession_message

    key, challenge = Ed25519PrivateKey.generate(), bytes(32)
    device = Device(bytes(8), "tested", key.public_key().public_bytes_raw(), bytes(32))
    path = tmp_path / "registry.json"
    Registry.open(path).register(device, challenge, key.sign(possession_message(device.id, challenge)))
    return path


def options(tmp_path, change=lambda wiring: None):
    return [
        "--second-board", tmp_path / "no-port", "--board", "pico", "--pins", written(tmp_path, change),
        "--uart", "/dev/null", "--registry", registry(tmp_path),
        "--scenario", "scenarios/dome-open.toml", "--directory", tmp_path / "table",
    ]  # fmt: skip


def test_the_command_tells_what_is_missing(tmp_path):
    assert_refused(command("--second-board", "x"), "also needs --pins")
    given = options(tmp_path)
    assert_refused(command(*given), "no-port")
    assert_refused(command(*given, "--uart", tmp_path / "no-uart"), "no-uart: plug")


def test_the_command_tells_a_wrong_wiring_and_board(tmp_path):
    twice = options(tmp_path, lambda wiring: wiring["watches"].update(drive=3))
    assert_refused(command(*twice), "pin 3 is used twice")
    (tmp_path / "other").mkdir()
    blinka = options(tmp_path / "other")
    assert_refused(command(*blinka, "--board", "blinka"), "no microcontroller")


def test_a_scenario_that_waits_for_a_capture_is_refused():
    waits = Round("0008", "void", fact="dome-open", events=(Event("capture", levels={"dome-closed": False}),))
    with pytest.raises(ScenarioError, match="round 1 waits for a capture"):
        check_playable(Scenario("Looks", "open", (waits,)))


def test_a_person_is_told_what_no_pin_can_do():
    events = (
        Event("stroke", nth=2, after_ms=50, power_off_ms=300),
        Event("rest", levels={"tilted": True}),
    )
    told = instructions(Scenario("All", "open", ()), Round("0008", "read", (2, 4, 5), events=events))
    assert told.splitlines() == [
        "Lay the dice so that they show 2-4-5",
        "0.05 s after stroke 2: you will be asked to cut the power",
        "0 s after rest: tilt the tumbler",
        "Press Enter to begin the round",
    ]
