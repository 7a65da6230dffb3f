"""What people decide at a table, on both kinds of store: held, referred, corrected, affected rounds."""

from pathlib import Path

import pytest
from bridge_rig import House, Tumbler

from host_tools import settlement
from host_tools.bridge.deciding import Decision
from host_tools.bridge.errors import DecisionIncomplete, WrongStep
from host_tools.bridge.events import (
    Event,
    RoundCorrected,
    RoundHeld,
    RoundOutcome,
    RoundReferred,
    RoundSettled,
    RoundVoid,
)
from host_tools.bridge.examining import Examination
from host_tools.bridge.table import Table, Wager
from tumbler.definitions import FIRST_PREVIOUS

BATCH = [Wager("a", "Ann", "small", "10"), Wager("b", "Ben", "big", "20"), Wager("c", "Ann", "single:4", "5")]
PROFILE = Path(__file__).parents[3] / "firmware" / "profiles" / "white_black_320.json"
DECISION = Decision("Mia", "Tom", "the camera took a 4 for a 1", b"e" * 32)


async def bet(table: Table) -> None:
    assert table.round is not None
    assert all(answer.registered for answer in await table.place(table.round, BATCH))


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "ledger.db")
    return request.getfixturevalue("postgres").new_database()


@pytest.fixture
def house(where: str) -> House:
    return House(where, Tumbler(), "open")


def careful_house(where: str, folder: Path, tumbler: Tumbler) -> House:
    """A house that looks at the evidence of each reading before it settles, on a line that brings none: what
    is held waits for people."""
    examination = Examination("before-settlement", folder / "evidence", PROFILE)
    house = House(where, tumbler, "open", examination=examination)
    house.session.questions.stopped = True
    return house


@pytest.fixture
def careful(where: str, tmp_path: Path) -> House:
    return careful_house(where, tmp_path, Tumbler())


@pytest.fixture
def told(request: pytest.FixtureRequest) -> list[Event]:
    """The events of the house that the test uses, as they come."""
    name = "careful" if "careful" in request.fixturenames else "house"
    house: House = request.getfixturevalue(name)
    events: list[Event] = []
    house.sink.listen(house.tumbler.id, events.append)
    return events


def balances(house: House, round_id: bytes) -> dict[str, int]:
    found: dict[str, int] = {}
    for posting in house.ledger.postings(round_id):
        found[posting.account] = found.get(posting.account, 0) + posting.amount
    return found


# --- the two people ---


@pytest.mark.parametrize(
    ("people", "reason", "evidence"),
    [
        (("Mia", ""), "why", b"e" * 32),
        (("", "Tom"), "why", b"e" * 32),
        (("Mia", "Mia"), "why", b"e" * 32),
        (("Mia", " mia "), "why", b"e" * 32),
        (("Mia", "Tom"), " ", b"e" * 32),
        (("Mia", "Tom"), "why", b""),
        (("Mia", "Tom"), "why", b"e" * 31),
    ],
)
def test_a_decision_needs_two_people_a_reason_and_a_picture(
    people: tuple[str, str], reason: str, evidence: bytes
) -> None:
    with pytest.raises(DecisionIncomplete):
        Decision(*people, reason, evidence)


# --- corrections ---


async def test_a_wrong_result_is_corrected_by_the_dice(house: House, told: list[Event]) -> None:
    async with house.running() as table:
        wrong = await table.play_round(bet)
        assert wrong.faces == (1, 2, 4)
        correction = await table.desk.correct(wrong.round, (4, 5, 4), DECISION)
        assert (correction.outcome.verdict, correction.outcome.faces) == ("settled", (4, 5, 4))
        assert (correction.outcome.clause, correction.outcome.sequence) == ("5.5", wrong.sequence)
        assert (correction.outcome.decided_by, correction.outcome.seconded_by) == ("Mia", "Tom")
        differences = {
            each.id: (each.returned_before, each.returned, each.amount) for each in correction.differences
        }
        assert differences == {
            "a": ("20.00", "0.00", "-20.00"),
            "b": ("0.00", "40.00", "40.00"),
            "c": ("10.00", "15.00", "5.00"),
        }
        assert balances(house, wrong.round) == {
            "held": 0,
            "player:Ann": 0,
            "player:Ben": 2000,
            "house": -2000,
        }
        assert await table.result() == correction.outcome
        assert told[-1] == RoundCorrected(wrong.round, correction)
        topics = [each.topic for each in house.ledger.notices("table 1")]
        assert topics[-2:] == ["round-settled", "round-corrected"]
        house.ledger.check()
        again = await table.desk.correct(wrong.round, (1, 2, 4), DECISION)
        assert [each.amount for each in again.differences] == ["20.00", "-40.00", "-5.00"]
        house.ledger.check()


def all_of(house: House, round_id: bytes) -> tuple[object, ...]:
    """Everything that the ledger says of a round."""
    books = house.ledger
    endings = (books.settlements(round_id), books.outcomes(round_id) if books.settlements(round_id) else ())
    return books.round(round_id), books.wagers(round_id), books.postings(round_id), endings


async def test_an_error_noticed_late_is_corrected_and_touches_no_later_round(house: House) -> None:
    """RWS 5.5: the round is settled by its dice; RWS 5.6: the later rounds' outcomes stay as they are."""
    async with house.running() as table:
        wrong = await table.play_round(bet)
        house.tumbler.faces = (4, 5, 6)
        later = await table.play_round(bet)
        playing = await table.open_round()
        await bet(table)
        untouched = all_of(house, later.round), all_of(house, playing)
        correction = await table.desk.correct(wrong.round, (4, 5, 4), DECISION)
        assert (correction.outcome.faces, correction.outcome.clause) == ((4, 5, 4), "5.5")
        assert [each.amount for each in correction.differences] == ["-20.00", "40.00", "5.00"]
        assert (all_of(house, later.round), all_of(house, playing)) == untouched
        assert balances(house, wrong.round) == {
            "held": 0,
            "player:Ann": -1000 - 500 + 1500,
            "player:Ben": -2000 + 4000,
            "house": -2000,
        }
        house.ledger.check()
        await table.no_more_bets()
        last = await table.finish_round()
        assert (last.round, last.faces) == (playing, (4, 5, 6))
        assert all_of(house, later.round) == untouched[0]
        assert (await table.result()).round == playing
        house.ledger.check()


async def test_rounds_that_people_corrected_late_are_still_the_same_after_a_restart(
    house: House, where: str
) -> None:
    async with house.running() as table:
        wrong = await table.play_round(bet)
        later = [await table.play_round(bet) for _ in range(2)]
        await table.desk.correct(wrong.round, (6, 6, 6), DECISION)
        kept = [all_of(house, each) for each in (wrong.round, *[one.round for one in later])]
    again = House(where, house.tumbler, "open")
    async with again.running() as table:
        assert await table.recover() is None
        assert [all_of(again, each) for each in (wrong.round, *[one.round for one in later])] == kept
        again.ledger.check_everything()


async def test_what_cannot_be_corrected_is_left_as_it_is(house: House) -> None:
    house.tumbler.refusal = "not-flat"
    async with house.running() as table:
        void = await table.play_round(bet)
        with pytest.raises(WrongStep, match="void"):
            await table.desk.correct(void.round, (4, 5, 4), DECISION)
        house.tumbler.refusal = ""
        right = await table.play_round(bet)
        with pytest.raises(WrongStep, match="already"):
            await table.desk.correct(right.round, (1, 2, 4), DECISION)
        for faces in ((1, 2, 7), (0, 2, 4), (1, 2)):
            with pytest.raises(settlement.OutcomeError):
                await table.desk.correct(right.round, faces, DECISION)  # type: ignore[arg-type]
        assert await table.result() == right


# --- referred rounds ---


@pytest.fixture
async def referred(house: House) -> RoundOutcome:
    house.tumbler.refusal = "unreadable"
    async with house.running() as table:
        outcome = await table.play_round(bet)
    assert outcome.verdict == "referred"
    return outcome


async def test_a_referred_round_becomes_void_by_a_persons_word(where: str, referred: RoundOutcome) -> None:
    house = House(where, Tumbler(), "open")
    desk = house.table.desk
    assert [each.id for each in desk.referred()] == [referred.round]
    for incomplete in (("", "why"), (" ", "why"), ("Mia", "")):
        with pytest.raises(DecisionIncomplete):
            await desk.void_referred(referred.round, *incomplete)
    outcome = await desk.void_referred(referred.round, "Mia", "nobody can read it")
    assert (outcome.verdict, outcome.fact, outcome.clause) == ("void", "unreadable", referred.clause)
    assert outcome.decided_by == "Mia"
    assert [each.returned for each in outcome.wagers] == ["10.00", "20.00", "5.00"]
    assert set(balances(house, referred.round).values()) == {0}
    assert desk.referred() == []
    with pytest.raises(WrongStep):
        await desk.settle_referred(referred.round, (1, 1, 1), DECISION)
    house.ledger.check()
    house.ledger.close()


async def test_a_referred_round_is_settled_by_the_dice_that_two_people_saw(
    where: str, referred: RoundOutcome
) -> None:
    house = House(where, Tumbler(), "open")
    desk = house.table.desk
    outcome = await desk.settle_referred(referred.round, (4, 4, 5), DECISION)
    assert (outcome.verdict, outcome.faces, outcome.action) == ("settled", (4, 4, 5), "settle-by-dice")
    assert (outcome.decided_by, outcome.seconded_by) == ("Mia", "Tom")
    assert [each.returned for each in outcome.wagers] == ["0.00", "40.00", "15.00"]
    made = house.ledger.settlement(referred.round)
    assert made is not None
    assert (made.evidence, made.reason) == (DECISION.evidence, DECISION.reason)
    with pytest.raises(WrongStep):
        await desk.void_referred(referred.round, "Mia", "changed my mind")
    house.ledger.check()
    house.ledger.close()


async def test_only_what_was_referred_is_decided(house: House) -> None:
    async with house.running() as table:
        settled = await table.play_round(bet)
        with pytest.raises(WrongStep, match="settled"):
            await table.desk.void_referred(settled.round, "Mia", "why not")
        playing = await table.open_round()
        with pytest.raises(WrongStep, match="betting"):
            await table.desk.settle_referred(playing, (1, 1, 1), DECISION)


# --- affected rounds ---


async def test_a_damaged_die_voids_the_rounds_it_touched(house: House) -> None:
    async with house.running() as table:
        before = await table.play_round(bet)
        house.tumbler.record("dice-set-change", dice_set="B")
        touched = [await table.play_round(bet) for _ in range(2)]
        house.tumbler.refusal = "die-damaged"
        last = await table.play_round(bet)
        assert (last.verdict, last.action, last.clause) == ("void", "void-affected", "5.4")
        found = [each.id for each in table.desk.rounds_with_these_dice()]
        assert found == [touched[0].round, touched[1].round, last.round]
        with pytest.raises(WrongStep):  # all or none
            await table.desk.void_affected(found, DECISION)
        assert balances(house, touched[0].round)["house"] != 0
        corrections = await table.desk.void_affected(found[:2], DECISION)
        assert [each.outcome.verdict for each in corrections] == ["void", "void"]
        assert [each.amount for each in corrections[0].differences] == ["-10.00", "20.00", "-5.00"]
        for each in touched:
            assert set(balances(house, each.round).values()) == {0}
            assert house.ledger.round(each.round).state == "void"
        assert balances(house, before.round)["house"] != 0
        house.ledger.check()
        assert (await table.play_round(bet)).verdict == "void"


async def test_rules_that_void_only_the_round_itself_void_no_other(tmp_path: Path) -> None:
    house = House(tmp_path / "ledger.db", Tumbler(), "covered")
    async with house.running() as table:
        settled = await table.play_round(bet)
        with pytest.raises(WrongStep, match=r"5\.4"):
            await table.desk.void_affected([settled.round], DECISION)


# --- held rounds ---


async def held_round(house: House, table: Table) -> bytes:
    round_id = await table.open_round()
    await bet(table)
    await table.no_more_bets()
    await table.tumble()
    while table.desk.held is None:
        await house.clock.sleep(0)
    assert table.desk.held == round_id
    return round_id


async def test_a_reading_is_settled_when_its_evidence_agrees(careful: House, told: list[Event]) -> None:
    async with careful.running() as table:
        round_id = await held_round(careful, table)
        assert RoundHeld in [type(each) for each in told]
        assert careful.ledger.settlement(round_id) is None
        late = await table.place(round_id, [Wager("late", "Ann", "small", "10")])
        assert not late[0].registered
        with pytest.raises(WrongStep):
            await table.open_round()
        with pytest.raises(WrongStep, match="evidence"):
            await table.void_round(decided_by="Mia")
        outcome = await table.desk.release(round_id)
        assert (outcome.verdict, outcome.faces) == ("settled", (1, 2, 4))
        assert isinstance(told[-1], RoundSettled)
        assert await table.result() == outcome
        for again in (table.desk.release(round_id), table.desk.refer(round_id, "readers-disagree")):
            with pytest.raises(WrongStep):
                await again


async def test_a_reading_that_its_evidence_contradicts_is_for_people(
    careful: House, told: list[Event]
) -> None:
    async with careful.running() as table:
        round_id = await held_round(careful, table)
        outcome = await table.desk.refer(round_id, "readers-disagree")
        assert (outcome.verdict, outcome.fact, outcome.clause) == ("referred", "readers-disagree", "5.10")
        assert isinstance(told[-1], RoundReferred)
        assert balances(careful, round_id)["held"] == 3500
        settled = await table.desk.settle_referred(round_id, (1, 2, 5), DECISION)
        assert (settled.faces, settled.sequence) == ((1, 2, 5), outcome.sequence)
        careful.ledger.check()


async def test_a_held_round_is_still_held_after_a_restart(careful: House, where: str, tmp_path: Path) -> None:
    async with careful.running() as table:
        round_id = await held_round(careful, table)
    again = careful_house(where, tmp_path, careful.tumbler)
    async with again.running() as table:
        assert await table.recover() is None
        assert table.desk.held == round_id
        again.tumbler.restart()
        await again.session.deliver()
        assert table.desk.held == round_id
        assert (await table.desk.release(round_id)).faces == (1, 2, 4)
        assert again.ledger.check() is None


async def test_a_round_without_a_reading_is_not_held(careful: House, told: list[Event]) -> None:
    careful.tumbler.refusal = "not-flat"
    async with careful.running() as table:
        assert (await table.play_round(bet)).verdict == "void"
        assert isinstance(told[-1], RoundVoid)
        assert careful.sink.head(careful.tumbler.id) != (0, FIRST_PREVIOUS)
