"""Records into the ledger: what must not be believed is refused, what contradicts itself is referred."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bridge_rig import STROKES, TERMS, Clock, House, Tumbler

from host_tools import link
from host_tools.bridge.events import DeviceRefused, Event, FaultRaised, RecordCommitted, RoundReferred
from host_tools.bridge.sink import LedgerSink
from host_tools.bridge.table import Table, TableConfig, Wager
from host_tools.bridge.terms import new_round
from host_tools.ledger import open_ledger
from host_tools.records import RecordRefused, Registry
from host_tools.records.errors import BadSignature, Equivocation, Fork, Gap, Mislabelled, UnknownDevice
from host_tools.rulebooks import UnknownRulebookError, load_rulebook
from tumbler.definitions import FACTS, FIRST_PREVIOUS

READING = {
    "faces": [1, 1, 1],
    "tilts": [0, 0, 0],
    "confidences": [1, 1, 1],
    "frames": b"F" * 32,
    "profile": b"p" * 32,
}


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path / "ledger.db", Tumbler(), "covered")


def numbered(tumbler: Tumbler, after: int = 0) -> list[tuple[int, bytes]]:
    return list(enumerate(tumbler.journal, start=1))[after:]


def head(tumbler: Tumbler) -> tuple[int, bytes]:
    return len(tumbler.journal), hashlib.sha256(tumbler.journal[-1]).digest()


async def test_records_delivered_again_change_nothing(house: House) -> None:
    tumbler, sink = house.tumbler, house.sink
    assert sink.head(tumbler.id) == (0, FIRST_PREVIOUS)
    tumbler.record("dice-set-change", dice_set="A")
    await sink.commit(tumbler.id, numbered(tumbler))
    events: list[Event] = []
    sink.listen(tumbler.id, events.append)
    for _ in range(3):
        await sink.commit(tumbler.id, numbered(tumbler))
    assert (sink.head(tumbler.id), events) == (head(tumbler), [])
    tumbler.record("dice-set-change", dice_set="B")
    await sink.commit(tumbler.id, numbered(tumbler))
    assert events == [RecordCommitted(3, "dice-set-change", head(tumbler)[1])]


def flipped(tumbler: Tumbler) -> list[tuple[int, bytes]]:
    raw = tumbler.journal[1]
    return [(2, raw[:-1] + bytes([raw[-1] ^ 1]))]


def other_content(tumbler: Tumbler) -> list[tuple[int, bytes]]:
    twin = Tumbler()
    twin.record("dice-set-change", dice_set="forged")
    del tumbler
    return [(2, twin.journal[1]), (3, twin.record("dice-set-change", dice_set="B"))]


BAD: dict[str, tuple[Callable[[Tumbler], list[tuple[int, bytes]]], type[RecordRefused]]] = {
    "damaged": (flipped, BadSignature),
    "gap": (lambda tumbler: [(3, tumbler.record("dice-set-change", dice_set="B"))], Gap),
    "stranger": (lambda tumbler: numbered(Tumbler(seed=9)), UnknownDevice),
    "wrong number": (lambda tumbler: [(7, tumbler.journal[1])], Mislabelled),
    "old in a new frame": (lambda tumbler: [(2, tumbler.journal[0])], Mislabelled),
    "garbage": (lambda tumbler: [(2, b"\xd2\x84")], RecordRefused),
}


@pytest.mark.parametrize("case", BAD)
async def test_what_must_not_be_believed_is_refused_and_the_rest_kept(house: House, case: str) -> None:
    make, error = BAD[case]
    tumbler = house.tumbler
    tumbler.record("dice-set-change", dice_set="A")
    with pytest.raises(error):
        await house.sink.commit(tumbler.id, [*numbered(tumbler)[:1], *make(tumbler)])
    assert house.sink.head(tumbler.id)[0] == 1
    await house.sink.commit(tumbler.id, numbered(tumbler, 1))
    assert house.sink.head(tumbler.id) == head(tumbler)


async def test_forks_and_equivocation_are_refused(house: House) -> None:
    tumbler = house.tumbler
    tumbler.record("dice-set-change", dice_set="A")
    await house.sink.commit(tumbler.id, numbered(tumbler))
    forged = other_content(tumbler)
    with pytest.raises(Equivocation):
        await house.sink.commit(tumbler.id, forged[:1])
    with pytest.raises(Fork):
        await house.sink.commit(tumbler.id, forged[1:])
    assert house.sink.head(tumbler.id) == head(tumbler)


async def bet(table: Table) -> None:
    assert table.round is not None
    await table.place(table.round, [Wager("a", "Ann", "any-triple", "10")])


def close_without_the_host(tumbler: Tumbler, round_id: bytes) -> None:
    tumbler.record("no-more-bets", round=round_id)


def tumble_again(tumbler: Tumbler, round_id: bytes) -> None:
    tumbler.record("tumble", round=round_id, strokes=STROKES)


def read_with_open_bets(tumbler: Tumbler, round_id: bytes) -> None:
    tumbler.record("reading", round=round_id, **READING)


@pytest.mark.parametrize(
    ("contradict", "fact"),
    [
        (close_without_the_host, "bets-closed-without-the-host"),
        (tumble_again, "tumbled-twice"),
        (read_with_open_bets, "read-out-of-order"),
    ],
)
async def test_a_device_that_breaks_the_order_is_never_paid_by(
    house: House, contradict: Callable[[Tumbler, bytes], None], fact: str
) -> None:
    async with house.running() as table:
        round_id = await table.open_round()
        await table.tumble()
        await table.bets_open()
        await bet(table)
        events = table.events()
        contradict(house.tumbler, round_id)
        house.tumbler.record("reading", round=round_id, **READING)
        outcome = await table.result()
        assert (outcome.verdict, outcome.fact, outcome.clause) == ("referred", fact, "6.1")
        async for event in events:
            if isinstance(event, RoundReferred):
                break
        await house.session.deliver()
        assert house.ledger.settlement(round_id) is None
        assert [each.amount for each in house.ledger.postings(round_id)] == [-1000, 1000]
        late = [
            each
            for each in house.ledger.notices(house.tumbler.id.hex())
            if each.topic == "record-outside-its-round"
        ]
        assert len(late) == 1
        house.ledger.check()


async def test_a_second_reading_of_a_settled_round_pays_nothing(house: House) -> None:
    async with house.running() as table:
        outcome = await table.play_round(bet)
        before = house.ledger.postings(outcome.round)
        house.tumbler.record("reading", round=outcome.round, **READING)
        house.tumbler.record("void", round=outcome.round, fact=FACTS["not-flat"])
        await house.session.deliver()
        assert house.ledger.postings(outcome.round) == before
        assert await table.result() == outcome
        topics = [each.topic for each in house.ledger.notices("table 1")]
        assert topics.count("round-settled") == 1
        assert topics[-1] == "round-settled"
        late = [each.topic for each in house.ledger.notices(house.tumbler.id.hex())]
        assert late == ["record-outside-its-round"] * 2


async def test_another_device_cannot_speak_for_a_round(tmp_path: Path) -> None:
    ours, theirs = Tumbler(), Tumbler(seed=2)
    with open_ledger(tmp_path / "ledger.db") as books:
        sink = LedgerSink(books, Registry([ours.device, theirs.device]), Clock())
        await sink.commit(ours.id, numbered(ours))
        table = Table(
            TableConfig("one", ours.id, TERMS["covered"]), sink, _NoSession, Clock(), lambda: b"r" * 16
        )
        with books.transaction():
            books.open_round(new_round(b"r" * 16, "one", ours.id, TERMS["covered"], 1))
        theirs.record("round-opened", round=b"r" * 16, mode=0)
        theirs.record("void", round=b"r" * 16, fact=FACTS["not-flat"])
        await sink.commit(theirs.id, numbered(theirs))
        assert books.round(b"r" * 16).state == "opening"
        assert table.round == b"r" * 16


class _NoSession:
    """No line at all."""

    questions: Any = None
    counters: Any = None

    def __init__(self, **_callbacks: Any) -> None: ...

    async def run(self) -> None: ...

    async def renew(self) -> None:
        raise AssertionError("nothing may be sent")

    async def command(self, name: str, **arguments: Any) -> link.Reply:
        raise AssertionError(f"{name} {arguments}: nothing may be sent")


@pytest.mark.parametrize("change", ["gone", "edited"])
async def test_a_round_whose_rulebook_changed_is_referred(tmp_path: Path, change: str) -> None:
    house = House(tmp_path / "ledger.db", Tumbler(), "covered")

    async def rules_change(table: Table) -> None:
        await bet(table)

        def find(name: str) -> Any:
            if change == "gone":
                raise UnknownRulebookError(name)
            return load_rulebook("rws-sic-bo-etg-v8")

        house.sink._find_rulebook = find

    async with house.running() as table:
        outcome = await table.play_round(rules_change)
        assert (outcome.verdict, outcome.fact) == ("referred", "terms-lost")
        assert house.ledger.settlement(outcome.round) is None


async def test_faults_and_refusals_reach_the_displays(house: House) -> None:
    events = house.table.events()
    async with house.running():
        house.tumbler.record("fault", fact=FACTS["tilted"], detail="by 9 degrees")
        await house.session.deliver()
        house.session.on_event(link.Event("quarantined", house.tumbler.id, None, "it forged a record"))
        seen = []
        async for event in events:
            seen.append(event)
            if isinstance(event, DeviceRefused):
                break
        assert FaultRaised("tilted", "by 9 degrees") in seen
        with pytest.raises(link.DeviceQuarantined, match="forged"):
            await house.table.recover()


def test_a_device_without_keys_gets_no_commands(house: House) -> None:
    assert house.sink.host_key(house.tumbler.id) == b"h" * 32
    with pytest.raises(link.UnknownDevice):
        house.sink.host_key(b"stranger")


async def test_a_round_that_is_named_before_it_is_opened_waits(house: House) -> None:
    with house.ledger.transaction():
        house.ledger.open_round(new_round(b"r" * 16, "table 1", house.tumbler.id, TERMS["covered"], 1))
    house.tumbler.record("enclosure", round=b"r" * 16, channel=0, level=True)
    await house.sink.commit(house.tumbler.id, numbered(house.tumbler))
    assert house.ledger.round(b"r" * 16).state == "opening"
