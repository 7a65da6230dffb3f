"""Rounds of cards on a real ledger: every result pays as the document prints it, every irregularity is void
by its clause, every card counts once."""

import json
from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, count
from pathlib import Path

import pytest

from host_tools import settlement
from host_tools.bridge.by import By
from host_tools.bridge.deciding import Decision
from host_tools.bridge.errors import DecisionIncomplete, RoundEnded, WrongStep
from host_tools.bridge.wagering import Wager
from host_tools.cards.errors import (
    CardConflict,
    CardImpossible,
    CardOutOfOrder,
    DecksRefused,
    NothingToCorrect,
    ShoeChanged,
    ShoeMissing,
    ShoeNotFit,
    TooManyCards,
)
from host_tools.cards.table import CardsConfig, CardsTable
from host_tools.ledger import LedgerDamaged, StoreRefusal, open_ledger
from host_tools.rulebooks import UnknownFactError, load_rulebook
from tests.host_tools.bridge.bridge_rig import Clock
from tests.host_tools.cards.cards_rig import (
    DEALER,
    MANAGER,
    NAME,
    PICTURE,
    SERVER,
    TERMS,
    TWO_PEOPLE,
    CardsHouse,
    cards_house,
)

# Clauses 4.1.1 and 4.1.2, written down a second time from the document.
TOTALS = {4: 62, 5: 31, 6: 18, 7: 12, 8: 8, 9: 7, 10: 6}
TOTALS |= {21 - total: odds for total, odds in TOTALS.items()}
WAGERS = ["small", "big", "odd", "even", "any-triple", *(f"total:{each}" for each in sorted(TOTALS))]
BETS = [Wager(f"w{number}", "Ann", wager, "10") for number, wager in enumerate(WAGERS)]


def odds_by_the_document(wager: str, faces: tuple[int, int, int]) -> int | None:
    """What a wager is paid "to 1" on three cards; None when it loses."""
    total, triple = sum(faces), len(set(faces)) == 1
    if wager.startswith("total:"):
        return TOTALS[total] if wager == f"total:{total}" else None
    wins = {
        "small": 4 <= total <= 10 and not triple,
        "big": 11 <= total <= 17 and not triple,
        "odd": total % 2 == 1 and not triple,
        "even": total % 2 == 0 and not triple,
        "any-triple": triple,
    }
    return (31 if wager == "any-triple" else 1) if wins[wager] else None


def returned(odds: int | None) -> int:
    """What goes back for a stake of 10."""
    return 0 if odds is None else 10 + 10 * odds


async def test_every_result_pays_every_wager_as_the_document_prints_it(tmp_path: Path) -> None:
    assert set(TERMS.layout.offers) == set(WAGERS)
    with cards_house(tmp_path / "books.sqlite", decks=6) as house:
        for number, faces in enumerate(combinations_with_replacement(range(1, 7), 3)):
            turned = faces[number % 3 :] + faces[: number % 3]
            drawn = (turned[0], turned[1], turned[2])
            round_id = await house.settled(drawn, BETS)
            made = house.books.settlement(round_id)
            assert made is not None
            assert made.faces == drawn
            assert (made.verdict, made.action, made.clause) == (
                "settled",
                "settle-by-cards",
                "3.1, 3.2, 3.7, 3.8",
            )
            outcomes = house.books.outcomes(round_id)
            assert [each.wager.wager for each in outcomes] == WAGERS
            for each in outcomes:
                odds = odds_by_the_document(each.wager.wager, drawn)
                assert each.payout == (0 if odds is None else 1000 * odds), (drawn, each)
                assert each.returned == (0 if odds is None else 1000 + 1000 * odds)
                assert each.clause in ("4.1.1", "4.1.2")
        dealt = house.table.shoe
        assert dealt is not None
        assert len(dealt.dealt) == 168


async def test_the_shoe_is_drawn_without_replacement_to_its_last_round(tmp_path: Path) -> None:
    faces = [face for _ in range(16) for face in (1, 2, 3, 4, 5, 6)]
    with cards_house(tmp_path / "books.sqlite") as house:
        for place in range(0, 96, 3):
            await house.settled((faces[place], faces[place + 1], faces[place + 2]))
        shoe = house.table.shoe
        assert shoe is not None
        assert shoe.left == 0
        assert Counter(shoe.dealt) == dict.fromkeys(range(1, 7), 16)
        with pytest.raises(ShoeNotFit, match="0 cards are left in the shoe, a round needs 3"):
            await house.table.open_round(DEALER)
        await house.table.load_shoe("it is empty", MANAGER)
        await house.settled((6, 6, 6))


async def test_the_result_names_who_entered_and_announced_it(tmp_path: Path) -> None:
    with cards_house(tmp_path / "books.sqlite") as house:
        round_id = await house.closed((1, 2))
        await house.card(3, SERVER)
        assert house.books.settlement(round_id) is None, "three cards are shown before they count"
        await house.table.announce(round_id, MANAGER)
        made = house.books.settlement(round_id)
        assert made is not None
        assert (made.sequence, made.decided_by, made.seconded_by) == (None, "Mia", "")
        assert [(each.face, each.entered_by) for each in house.books.cards_of_round(round_id)] == [
            (1, "Ada"),
            (2, "Ada"),
            (3, "the server"),
        ]
        notice = house.books.notices(NAME)[-1]
        assert notice.topic == "round-settled"
        assert json.loads(notice.body)["manual"] is True


# --- irregularities ---

CLAUSES = {
    "exposed-early": "5.1",
    "foreign-card": "5.2.1",
    "card-shortage": "5.3",
    "card-excess": "5.3",
    "shoe-exhausted": "5.4",
}


@pytest.mark.parametrize("drawn", [0, 1, 3])
@pytest.mark.parametrize("fact", CLAUSES)
async def test_each_irregularity_is_void_by_its_clause_and_every_stake_goes_back(
    tmp_path: Path, fact: str, drawn: int
) -> None:
    with cards_house(tmp_path / "books.sqlite") as house:
        before = await house.settled((1, 2, 3), BETS)
        paid = house.books.outcomes(before)
        round_id = await house.closed((4, 5, 6)[:drawn], BETS)
        await house.table.void_round(round_id, fact, "as seen", MANAGER)
        made = house.books.settlement(round_id)
        assert made is not None
        assert (made.verdict, made.fact, made.clause) == ("void", fact, CLAUSES[fact])
        assert (made.decided_by, made.reason) == ("Mia", "as seen")
        for each in house.books.outcomes(round_id):
            assert (each.result, each.returned, each.clause) == ("void", each.wager.stake, CLAUSES[fact])
        assert house.books.outcomes(before) == paid, "the results of rounds before it stand (5.2.2)"
        assert house.books.round(before).state == "settled"


@pytest.mark.parametrize("fact", ["foreign-card", "card-shortage", "card-excess", "shoe-exhausted"])
async def test_a_shoe_that_is_not_what_it_was_loaded_as_is_not_played_on_with(
    tmp_path: Path, fact: str
) -> None:
    with cards_house(tmp_path / "books.sqlite") as house:
        round_id = await house.closed((4,))
        await house.table.void_round(round_id, fact, "as seen", MANAGER)
        with pytest.raises(ShoeNotFit, match=f"ended with {fact}; load a new one"):
            await house.table.open_round(DEALER)
        await house.table.load_shoe("counted and shuffled", MANAGER)
        await house.settled((4, 4, 4))


async def test_a_card_before_no_more_bets_voids_the_round_and_is_out_of_the_shoe(tmp_path: Path) -> None:
    with cards_house(tmp_path / "books.sqlite") as house:
        round_id = await house.betting()
        await house.table.place(round_id, BETS, SERVER)
        await house.card(5, SERVER)
        made = house.books.settlement(round_id)
        assert made is not None
        assert (made.fact, made.clause) == ("exposed-early", "5.1")
        assert all(each.returned == each.wager.stake for each in house.books.outcomes(round_id))
        shoe = house.table.shoe
        assert shoe is not None
        assert (shoe.left, shoe.dealt) == (95, (5,))
        await house.settled((1, 2, 3))  # the same shoe goes on


async def test_a_fact_of_dice_rules_no_round_of_cards(tmp_path: Path) -> None:
    with cards_house(tmp_path / "books.sqlite") as house:
        round_id = await house.closed((4,))
        for fact in ("not-flat", "host-lost", "nonsense", ""):
            with pytest.raises(UnknownFactError):
                await house.table.void_round(round_id, fact, "as seen", MANAGER)
        assert house.books.round(round_id).state == "closed"


async def test_what_no_clause_covers_waits_for_people(tmp_path: Path) -> None:
    with cards_house(tmp_path / "books.sqlite") as house:
        first = await house.closed((4, 4, 5), BETS)
        await house.table.refer(first, DEALER)
        referral = house.books.referral(first)
        assert referral is not None
        assert (referral.fact, referral.clause) == (
            "beyond-the-rules",
            "not stated",
        )
        second = await house.settled((1, 1, 2), BETS)
        await house.table.desk.void_referred(first, "Mia", "four cards were drawn", MANAGER)
        assert house.books.round(first).state == "void"
        third = await house.closed((6, 6, 6), BETS)
        await house.table.refer(third, DEALER)
        await house.table.desk.settle_referred(third, (6, 6, 5), TWO_PEOPLE, MANAGER)
        made = house.books.settlement(third)
        assert made is not None
        assert (made.faces, made.seconded_by) == ((6, 6, 5), "Mia")
        fourth = await house.closed((1,), BETS)
        await house.table.refer(fourth, DEALER)
        with pytest.raises(WrongStep, match="1 of 3 cards are entered"):
            await house.table.desk.settle_referred(fourth, (1, 2, 3), TWO_PEOPLE, MANAGER)
        assert house.books.round(second).state == "settled"


# --- cards, once and in their order ---


async def test_a_card_that_is_sent_again_counts_once(tmp_path: Path) -> None:
    with cards_house(tmp_path / "books.sqlite") as house:
        round_id = await house.closed((4, 2))
        loaded = house.table.loaded
        assert loaded is not None
        entries = len(house.books.entries(NAME))
        noted = house.books.newest_access(NAME)
        for _ in range(3):
            assert await house.table.enter_card(loaded.id, 1, 4, SERVER) == round_id
        assert len(house.books.entries(NAME)) == entries
        assert house.books.newest_access(NAME) == noted
        with pytest.raises(CardConflict, match="card 1 of the shoe is entered as 4"):
            await house.table.enter_card(loaded.id, 1, 5, SERVER)
        with pytest.raises(CardOutOfOrder, match="number 3, not 4"):
            await house.table.enter_card(loaded.id, 4, 5, SERVER)
        await house.card(1)
        with pytest.raises(TooManyCards):
            await house.card(1)
        await house.table.announce(round_id, DEALER)
        assert await house.table.enter_card(loaded.id, 1, 4, SERVER) == round_id, "after the round, too"
        with pytest.raises(WrongStep, match="open one first"):
            await house.card(1)
        await house.table.load_shoe("a new one", MANAGER)
        with pytest.raises(ShoeChanged, match="is not on the table"):
            await house.table.enter_card(loaded.id, 1, 4, SERVER)


async def test_a_card_that_the_shoe_cannot_have_is_not_entered(tmp_path: Path) -> None:
    with cards_house(tmp_path / "books.sqlite") as house:
        for _ in range(5):
            await house.settled((6, 6, 6))
        round_id = await house.closed((6,))
        for face in (6, 0, 7):
            with pytest.raises(CardImpossible):
                await house.card(face)
        assert [each.face for each in house.books.cards_of_round(round_id)] == [6]
        await house.table.void_round(round_id, "card-excess", "a seventeenth six", MANAGER)


async def test_no_round_without_a_shoe_and_no_new_shoe_in_a_round(tmp_path: Path) -> None:
    with cards_house(tmp_path / "books.sqlite") as house:
        with pytest.raises(ShoeMissing):
            await house.table.open_round(DEALER)
        with pytest.raises(ShoeMissing):
            await house.table.enter_card(bytes(16), 1, 1, DEALER)
        await house.closed((1,))
        with pytest.raises(WrongStep, match="between rounds"):
            await house.table.load_shoe("too early", MANAGER)


async def test_steps_out_of_order_change_nothing(tmp_path: Path) -> None:
    with cards_house(tmp_path / "books.sqlite") as house:
        table = house.table
        round_id = await house.betting()
        with pytest.raises(WrongStep, match="goes on"):
            await table.open_round(DEALER)
        with pytest.raises(WrongStep):
            await table.announce(round_id, DEALER)
        await table.no_more_bets(round_id, DEALER)
        await table.no_more_bets(round_id, DEALER)
        late = await table.place(round_id, BETS[:1], SERVER)
        assert late[0].reason == "no more bets (clause 5.5)"
        with pytest.raises(WrongStep, match="0 of 3"):
            await table.announce(round_id, DEALER)
        for face in (1, 2, 3):
            await house.card(face)
        await table.announce(round_id, DEALER)
        await table.announce(round_id, DEALER)
        assert len(house.books.settlements(round_id)) == 1
        for step in (
            lambda: table.no_more_bets(round_id, DEALER),
            lambda: table.void_round(round_id, "foreign-card", "too late", MANAGER),
            lambda: table.refer(round_id, DEALER),
        ):
            with pytest.raises(RoundEnded):
                await step()


async def test_wagers_withdrawn_before_no_more_bets_take_no_part_and_none_after(tmp_path: Path) -> None:
    with cards_house(tmp_path / "books.sqlite") as house:
        round_id = await house.betting()
        await house.table.place(round_id, BETS[:2], SERVER)
        assert (await house.table.withdraw(round_id, ["w0"], SERVER))[0].withdrawn
        await house.table.no_more_bets(round_id, DEALER)
        refused = await house.table.withdraw(round_id, ["w1"], SERVER)
        assert refused[0].reason.endswith("(clause 5.6)")
        for face in (6, 6, 5):
            await house.card(face)
        await house.table.announce(round_id, DEALER)
        assert [each.wager.id for each in house.books.outcomes(round_id)] == ["w1"]


# --- mistyped cards ---


async def test_two_people_correct_a_mistyped_card_before_it_counts(tmp_path: Path) -> None:
    with cards_house(tmp_path / "books.sqlite") as house:
        round_id = await house.closed((1, 2, 3), BETS)
        desk = house.table.desk
        for people in (("Ada", "Ada"), ("Ada", " ada "), ("Ada", ""), ("", "Sue")):
            with pytest.raises(DecisionIncomplete):
                await desk.correct_cards(round_id, (1, 2, 4), people, "mistyped", DEALER)
        with pytest.raises(DecisionIncomplete):
            await desk.correct_cards(round_id, (1, 2, 4), ("Ada", "Sue"), " ", DEALER)
        with pytest.raises(NothingToCorrect):
            await desk.correct_cards(round_id, (1, 2, 3), ("Ada", "Sue"), "mistyped", DEALER)
        await desk.correct_cards(round_id, (1, 2, 4), ("Ada", "Sue"), "mistyped", DEALER)
        await desk.correct_cards(round_id, (1, 2, 5), ("Sue", "Mia"), "once more", DEALER)
        third = house.books.cards_of_round(round_id)[2]
        assert (third.face, third.revision, third.entered_by, third.seconded_by) == (5, 3, "Sue", "Mia")
        shoe = house.table.shoe
        assert shoe is not None
        assert shoe.dealt == (1, 2, 5)
        await house.table.announce(round_id, DEALER)
        made = house.books.settlement(round_id)
        assert made is not None
        assert made.faces == (1, 2, 5)
        with pytest.raises(RoundEnded):
            await desk.correct_cards(round_id, (1, 2, 4), ("Ada", "Sue"), "mistyped", DEALER)


async def test_a_result_that_was_announced_is_corrected_by_two_people_with_its_differences(
    tmp_path: Path,
) -> None:
    with cards_house(tmp_path / "books.sqlite") as house:
        round_id = await house.settled((1, 2, 3), BETS)
        later = await house.settled((5, 5, 5), BETS)
        paid = house.books.outcomes(later)
        correction = await house.table.desk.correct(round_id, (1, 2, 2), TWO_PEOPLE, MANAGER)
        assert correction.outcome.faces == (1, 2, 2)
        assert correction.outcome.clause == "not stated"
        expected = {}
        for bet in BETS:
            before = odds_by_the_document(bet.wager, (1, 2, 3))
            after = odds_by_the_document(bet.wager, (1, 2, 2))
            change = returned(after) - returned(before)
            if change:
                expected[bet.id] = Fraction(change)
        assert {each.id: Fraction(each.amount) for each in correction.differences} == expected
        assert house.books.outcomes(later) == paid, "later rounds stay as they are"
        notice = json.loads(house.books.notices(NAME)[-1].body)
        assert notice["manual"] is True
        assert notice["evidence"] == PICTURE.hex()
        with pytest.raises(DecisionIncomplete):
            Decision("Sue", "sue", "mistyped", PICTURE)


async def test_a_correction_gives_no_shoe_a_card_that_it_does_not_have(tmp_path: Path) -> None:
    with cards_house(tmp_path / "books.sqlite") as house:
        for _ in range(5):
            await house.settled((6, 6, 6))
        round_id = await house.settled((6, 5, 4))
        with pytest.raises(CardImpossible):
            await house.table.desk.correct(round_id, (6, 6, 4), TWO_PEOPLE, MANAGER)
        made = house.books.settlement(round_id)
        assert made is not None
        assert made.faces == (6, 5, 4)


async def test_a_correction_of_a_round_of_an_older_shoe_leaves_the_new_one_alone(tmp_path: Path) -> None:
    with cards_house(tmp_path / "books.sqlite") as house:
        round_id = await house.settled((6, 5, 4), BETS)
        await house.table.load_shoe("a new one", MANAGER)
        await house.table.desk.correct(round_id, (6, 5, 5), TWO_PEOPLE, MANAGER)
        shoe = house.table.shoe
        assert shoe is not None
        assert shoe.dealt == ()


# --- the books ---


async def test_the_access_log_says_who_did_each_step(tmp_path: Path) -> None:
    with cards_house(tmp_path / "books.sqlite") as house:
        round_id = await house.closed((1, 2, 3), BETS[:1])
        await house.table.desk.correct_cards(round_id, (1, 2, 4), ("Ada", "Sue"), "mistyped", By("Sue", "x"))
        await house.table.announce(round_id, DEALER)
        told = [(each.who, each.action) for each in house.books.accesses(NAME)]
        assert told == [
            ("Mia", "load-shoe"),
            ("Ada", "open-round"),
            ("the server", "place-wagers"),
            ("Ada", "no-more-bets"),
            ("Ada", "enter-card"),
            ("Ada", "enter-card"),
            ("Ada", "enter-card"),
            ("Sue", "correct-cards"),
            ("Ada", "announce"),
        ]
        card = json.loads(house.books.accesses(NAME)[6].after)
        assert (card["card"], card["face"], card["round"]) == (3, 3, round_id.hex())


async def test_the_database_itself_takes_no_card_out_of_order_and_no_result_without_its_cards(
    tmp_path: Path,
) -> None:
    with cards_house(tmp_path / "books.sqlite") as house:
        round_id = await house.closed((1, 2), BETS)
        store, card = house.books.store, house.books.cards_of_round(round_id)[1]
        refused = [
            card._replace(position=4),  # a gap
            card._replace(face=5),  # a second card at one place
            card._replace(revision=2, face=5),  # anew, by one person alone
            card._replace(position=3, face=7),
        ]
        for each in refused:
            with pytest.raises(StoreRefusal), house.books.transaction():
                house.books.enter_cards([each], 1)
        with pytest.raises(StoreRefusal, match="rests on"), house.books.transaction():
            store.write(
                "INSERT INTO settlements (entry, round, verdict, faces, fact, action, clause, device,"
                " decided_by, seconded_by, reason)"
                " VALUES (1, ?, 'settled', '1-2-3', '', 'settle', '', ?, 'Ada', '', '')",
                (round_id, house.table.device),
            )
        for change in ("UPDATE cards SET face = 6", "DELETE FROM cards", "DELETE FROM shoes"):
            with pytest.raises(StoreRefusal, match="append-only"), house.books.transaction():
                store.write(change)


async def test_the_check_finds_a_card_that_was_changed_behind_the_walls(tmp_path: Path) -> None:
    where = tmp_path / "books.sqlite"
    with open_ledger(where) as books:
        house = CardsHouse(books, Clock(), count(1))
        await house.settled((1, 2, 3), BETS)
        with books.transaction():
            books.store.write("DROP TRIGGER cards_no_update")
            books.store.write("UPDATE cards SET face = 6 WHERE position = 2")
        with pytest.raises(LedgerDamaged) as found:
            books.check()
        assert any("its cards are 1-6-3" in each for each in found.value.findings)
        assert any("not what was sealed" in each for each in found.value.findings)


@pytest.mark.parametrize("decks", [0, 1, 7])
def test_a_table_has_as_many_decks_as_the_rules_allow(decks: int) -> None:
    with pytest.raises(DecksRefused):
        CardsConfig(NAME, TERMS, decks)


def test_a_table_of_dice_has_no_shoe() -> None:

    dice = settlement.open_table(load_rulebook("mbs-electronic-sic-bo-v4"), "alfastreet", chip_unit="2")
    with pytest.raises(DecksRefused, match="not played with cards"):
        CardsConfig(NAME, dice, 2)


def test_two_tables_of_cards_share_one_ledger(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "books.sqlite") as books:
        ids = count(1)
        made = [
            CardsTable(
                CardsConfig(name, TERMS, 2),
                books,
                Clock(),
                load_rulebook,
                lambda: next(ids).to_bytes(16, "big"),
            )
            for name in ("One", "Two")
        ]
        assert made[0].device != made[1].device
        assert {each.id for each in books.devices()} == {each.device for each in made}
        books.check_everything()
