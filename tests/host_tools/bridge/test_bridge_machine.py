"""Any order of wagers, closings, records (a confused device's too), restarts and crashes, against a model.

The model is two regular expressions over what was delivered: when bets are open, when faces are established.
"""

import asyncio
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from bridge_rig import STROKES, TERMS, Clock, Tumbler, before_each_statement
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from host_tools.bridge import wagering
from host_tools.bridge.sink import LedgerSink
from host_tools.bridge.terms import new_round
from host_tools.ledger import open_ledger
from host_tools.records import Registry
from tumbler.definitions import CHANNELS, FACTS, PLAY_MODES

BETTING = {"covered": re.compile("[hEF]*O[hEF]*T[hEF]*"), "open": re.compile("[hEF]*O[hEF]*")}
ESTABLISHED = {"covered": re.compile("[hE]*Oh*Th*N[hE]*R"), "open": re.compile("[hE]*O[hE]*N[hE]*T[hE]*R")}
WAGERS = [
    ("small", "10"),
    ("big", "20"),
    ("single:4", "5"),
    ("any-triple", "1"),
    ("small", "1.5"),
    ("none", "1"),
]


class Crash(Exception):
    """A statement that failed."""


class Play(RuleBasedStateMachine):
    """One table after another round; `story` is what the ledger was told of the current one."""

    mode = "covered"

    def __init__(self) -> None:
        super().__init__()
        self.confused = False
        self.folder = Path(tempfile.mkdtemp())
        self.loop = asyncio.Runner()
        self.tumbler = Tumbler()
        self.clock = Clock()
        self.rounds: list[bytes] = []
        self.story = ""
        self.waiting: list[tuple[bytes, str]] = []  # round and letter of each undelivered record
        self.closed_by_host = False
        self.registered: dict[bytes, dict[str, tuple[str, str, str]]] = {}
        self.verdicts: dict[bytes, str] = {}
        self._open()

    def _open(self) -> None:
        self.books = open_ledger(self.folder / "ledger.db")
        self.sink = LedgerSink(self.books, Registry([self.tumbler.device]), self.clock)

    def teardown(self) -> None:
        self.books.close()
        self.loop.close()
        shutil.rmtree(self.folder)

    @property
    def round(self) -> bytes:
        return self.rounds[-1] if self.rounds else b"no round is open"

    @property
    def is_open(self) -> bool:
        return bool(self.rounds) and self.round not in self.verdicts

    @property
    def bets_are_open(self) -> bool:
        return self.is_open and not self.closed_by_host and bool(BETTING[self.mode].fullmatch(self.story))

    @precondition(lambda self: not self.is_open)
    @rule()
    def open_round(self) -> None:
        self.rounds.append(bytes([len(self.rounds)]) * 16)
        row = new_round(self.round, "one", self.tumbler.id, TERMS[self.mode], 1)
        with self.books.transaction():
            self.books.open_round(row)
        self.story, self.closed_by_host = "", False
        self.registered[self.round] = {}

    @initialize(confused=st.booleans())
    def choose_a_device(self, confused: bool) -> None:
        self.confused = confused

    @precondition(lambda self: self.confused)
    @rule(letters=st.text("OTNRVtFEh", min_size=1, max_size=2))
    def device_says(self, letters: str) -> None:
        for letter in letters:
            self._say(letter)

    @rule(
        steps=st.integers(1, 7),
        what=st.sampled_from(WAGERS),
        told=st.booleans(),
        slip=st.sampled_from("TNREFV"),
    )
    def round_goes_on(self, steps: int, what: tuple[str, str], told: bool, slip: str) -> None:
        """By the book; a confused device slips before the last of the steps."""
        for number in range(steps):
            if not self.is_open:
                self.open_round()
            if self.confused and number == steps - 1:
                self._say(slip)
            self._go_on(number, what)
            if told:
                self.deliver()

    def _go_on(self, number: int, what: tuple[str, str]) -> None:
        said = self.story + "".join(letter for round_id, letter in self.waiting if round_id == self.round)
        order = "OTNR" if self.mode == "covered" else "ONTR"
        step = next((letter for letter in order if letter not in said), "")
        if step == "N" and not self.closed_by_host:
            self.deliver()
            self._place(self.round, number, what, "Ann")
            if self.bets_are_open:
                self.host_closes_bets()
        elif step:
            self._say(step)

    def _say(self, letter: str) -> None:
        if not self.rounds:
            return
        named: dict[str, Any] = {"round": self.round}
        match letter:
            case "O":
                self.tumbler.record("round-opened", mode=PLAY_MODES[self.mode], **named)
            case "T" | "t":
                self.tumbler.record("tumble", strokes=STROKES if letter == "T" else STROKES[:1], **named)
            case "N":
                self.tumbler.record("no-more-bets", **named)
            case "R":
                self.tumbler.round = self.round
                self.tumbler.read()
            case "V":
                self.tumbler.record("void", fact=FACTS["host-lost"], **named)
            case "F":
                self.tumbler.record("fault", fact=FACTS["tilted"], **named)
            case _:
                channel = CHANNELS["cover-open" if letter == "E" else "cover-closed"]
                self.tumbler.record("enclosure", channel=channel, level=True, **named)
        self.waiting.append((self.round, letter))

    @rule()
    def deliver(self) -> None:
        self._commit()
        self._told()

    @rule(statement=st.integers(1, 25))
    def deliver_and_crash(self, statement: int) -> None:
        self._crash_at(statement)
        try:
            self._commit()
        except Crash:
            self._reopen()
        else:
            self._told()
        self._crash_at(0)

    def _commit(self) -> None:
        committed = self.sink.head(self.tumbler.id)[0]
        self.loop.run(
            self.sink.commit(self.tumbler.id, list(enumerate(self.tumbler.journal, start=1))[committed:])
        )

    def _crash_at(self, statement: int) -> None:
        count = 0

        def fail_or_go_on(sql: str) -> None:
            nonlocal count
            count += 1
            if count == statement and sql != "ROLLBACK":
                raise Crash

        before_each_statement(self.books.store, fail_or_go_on)

    def _reopen(self) -> None:
        self.books.close()
        self._open()

    def _told(self) -> None:
        """Fold the delivered letters, one by one, into the model."""
        for round_id, letter in self.waiting:
            if not self.is_open or round_id != self.round:
                continue
            early = letter == "N" and not self.closed_by_host
            self.story += letter
            if ESTABLISHED[self.mode].fullmatch(self.story):
                self.verdicts[self.round] = "settled"
            elif early or not self._may_go_on():
                self.verdicts[self.round] = "not settled"
        self.waiting = []

    def _may_go_on(self) -> bool:
        """Whether nothing told so far ends the round: but for harmless letters, it begins the legal order."""
        order = "OTNR" if self.mode == "covered" else "ONTR"
        told = re.sub("[hEF]", "", self.story)
        return order.startswith(told) and told != order

    @rule(number=st.integers(0, 9), what=st.sampled_from(WAGERS), player=st.sampled_from(["Ann", "Ben"]))
    def place(self, number: int, what: tuple[str, str], player: str) -> None:
        self._place(self.round, number, what, player)

    @precondition(lambda self: len(self.rounds) > 1)
    @rule(number=st.integers(0, 9), what=st.sampled_from(WAGERS), player=st.sampled_from(["Ann", "Ben"]))
    def place_in_the_round_before(self, number: int, what: tuple[str, str], player: str) -> None:
        self._place(self.rounds[-2], number, what, player)

    def _place(self, round_id: bytes, number: int, what: tuple[str, str], player: str) -> None:
        content = (player, *what)
        wager = wagering.Wager(str(number), *content)
        with self.books.transaction():
            answer = wagering.place(self.books, round_id, [wager], TERMS[self.mode], 1).answers[0]
        known = self.registered.get(round_id, {}).get(wager.id)
        if known is not None:
            assert answer.registered == (known == content)
        else:
            taken = round_id == self.round and self.bets_are_open and what in WAGERS[:4]
            assert answer.registered == taken, answer
        if answer.registered:
            self.registered[round_id][wager.id] = content

    @precondition(lambda self: self.bets_are_open)
    @rule()
    def host_closes_bets(self) -> None:
        with self.books.transaction():
            self.books.set_state(self.round, "closing", 1)
        self.closed_by_host = True

    @rule()
    def bridge_restarts(self) -> None:
        self._reopen()

    @invariant()
    def books_are_right(self) -> None:
        self.books.check()
        for round_id, wagers in self.registered.items():
            assert {each.id for each in self.books.wagers(round_id)} == wagers.keys()
            state = self.books.round(round_id).state
            verdict = self.verdicts.get(round_id)
            if verdict is None:
                assert self.books.round(round_id).is_open, (self.story, state)
            else:
                assert state == verdict if verdict == "settled" else state in ("void", "referred"), self.story
            assert len(self.books.outcomes(round_id)) == (len(wagers) if state in ("settled", "void") else 0)


@pytest.mark.parametrize("mode", ["covered", "open"])
def test_any_order_of_things_keeps_the_books_right(mode: str) -> None:
    machine = type("Play", (Play,), {"mode": mode})
    quick = settings(
        max_examples=40, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
    run_state_machine_as_test(machine, settings=quick)
