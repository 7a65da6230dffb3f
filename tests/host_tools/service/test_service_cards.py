"""A table of cards beside one of dice in one service: who may do what, its pace, and a restart anywhere."""

import asyncio
import contextlib
import hashlib
import json

import pytest

from host_tools.bridge.deciding import Decision
from host_tools.bridge.errors import WrongStep
from host_tools.bridge.wagering import Wager
from host_tools.cards.errors import CardConflict, CardImpossible, NothingToCorrect, ShoeNotFit
from host_tools.people import NotAllowed, Role
from host_tools.service.actions import CORRECTION, RESOLUTION
from host_tools.service.deciding import Case
from host_tools.service.errors import Asked, EvidenceUnknown, NotNow, RulesForbid
from tests.host_tools.service.service_rig import CARDS, COVERED, House, house

BETS = [Wager("a", "Ann", "small", "10"), Wager("b", "Ben", "total:9", "20")]
PICTURE = "ab" * 32  # of nothing


async def shoe_of(at: House) -> tuple[str, int]:
    """The shoe on the table, and the place of its next card."""
    view = await at.playing().table(CARDS)
    assert view.shoe is not None
    return view.shoe.id, view.shoe.dealt + 1


async def loaded(at: House) -> None:
    await at.deciding(Role.SUPERVISOR)._playing.load_shoe(CARDS, "the day begins")


async def drawn(at: House, *faces: int, role: Role = Role.DEALER) -> str:
    """Enter cards; their round."""
    round_id = ""
    for face in faces:
        shoe, position = await shoe_of(at)
        round_id = (await at.playing(role).enter_card(CARDS, shoe, position, face)).id
    return round_id


async def closed(at: House, *faces: int) -> str:
    """A round with bets closed and cards entered."""
    round_ = await at.playing(Role.DEALER).open_round(CARDS)
    await at.playing().place(CARDS, round_.id, BETS)
    await at.playing(Role.DEALER).no_more_bets(CARDS, round_.id)
    await drawn(at, *faces)
    return round_.id


async def test_a_round_of_cards_beside_dice_with_each_step_that_comes_next(tmp_path) -> None:
    async with house(tmp_path, {COVERED: {}, CARDS: {"decks": 2}}) as at:
        dealer, server = at.playing(Role.DEALER), at.playing()

        async def step() -> str:
            return (await server.table(CARDS)).step

        assert await step() == "load-shoe"
        await loaded(at)
        assert await step() == "open-round"
        round_ = await dealer.open_round(CARDS)
        assert (round_.mode, round_.state, round_.cards) == ("cards", "betting", ())
        view = await server.table(CARDS)
        assert (view.step, view.announcement, view.device) == ("place-bets", "Place your bets", "")
        assert all(each.registered for each in await server.place(CARDS, round_.id, BETS))
        await dealer.no_more_bets(CARDS, round_.id)
        assert await step() == "draw-cards"
        await drawn(at, 2, 3)
        await drawn(at, 4, role=Role.TABLE_SERVER)
        assert await step() == "announce"
        before = await server.round(CARDS, round_.id)
        assert [(each.position, each.face, each.entered_by) for each in before.cards] == [
            (1, 2, "dealer"),
            (2, 3, "dealer"),
            (3, 4, "table-server"),
        ]
        assert before.faces is None
        after = await dealer.announce(CARDS, round_.id)
        (settlement,) = after.settlements
        assert (after.state, after.faces, settlement.record) == ("settled", (2, 3, 4), None)
        assert (settlement.action, settlement.decided_by) == ("settle-by-cards", "dealer")
        assert [each.returned for each in after.wagers] == ["20.00", "160.00"]
        assert "total:9" in after.winning
        shoe = (await server.table(CARDS)).shoe
        assert shoe is not None
        assert (shoe.decks, shoe.dealt, shoe.left, shoe.unfit) == (2, 3, 93, "")
        assert [each.kind for each in await server.events(table=CARDS)] == [
            "shoe-loaded",
            "round-opened",
            "bets-open",
            "bets-closed",
            "card-entered",
            "card-entered",
            "card-entered",
            "round-settled",
        ]
        assert await at.betting(COVERED)
        at.service.books.check_everything()


async def test_each_deed_is_for_those_whose_it_is(tmp_path) -> None:
    async with house(tmp_path, {CARDS: {}}) as at:
        for role in (Role.TABLE_SERVER, Role.DEALER, Role.TECHNICIAN, Role.AUDITOR):
            with pytest.raises(NotAllowed):
                await at.playing(role).load_shoe(CARDS, "mine")
        with pytest.raises(Asked):
            await at.playing(Role.SUPERVISOR).load_shoe(CARDS, "  ")
        await loaded(at)
        round_id = await closed(at, 1, 2)
        shoe, position = await shoe_of(at)
        for role in (Role.SHIFT_MANAGER, Role.TECHNICIAN, Role.AUDITOR):
            with pytest.raises(NotAllowed):
                await at.playing(role).enter_card(CARDS, shoe, position, 3)
            with pytest.raises(NotAllowed):
                await at.playing(role).announce(CARDS, round_id)
        with pytest.raises(NotAllowed):
            await at.deciding(Role.DEALER).void(CARDS, round_id, "foreign-card", "a joker")


async def test_dice_have_no_shoe_and_cards_no_tumbler(tmp_path) -> None:
    async with house(tmp_path, {COVERED: {}, CARDS: {}}) as at:
        await loaded(at)
        round_id = await closed(at)
        dice = await at.betting(COVERED)
        manager, auditor = at.deciding(Role.SHIFT_MANAGER), at.auditing(Role.AUDITOR)
        for asked in (
            at.playing(Role.SUPERVISOR).load_shoe(COVERED, "no"),
            at.playing(Role.DEALER).enter_card(COVERED, "00" * 16, 1, 1),
            at.playing(Role.DEALER).announce(COVERED, dice),
            at.playing(Role.DEALER).tumble(CARDS, round_id),
            manager.release(CARDS, round_id, "no"),
            manager.clear_fault(CARDS, "dome-open"),
            manager.affected(CARDS),
            manager.answer_alarm(CARDS, 1, "no"),
            auditor.recall(CARDS),
            auditor.picture(CARDS, round_id, 0),
        ):
            with pytest.raises(RulesForbid, match="it has no"):
                await asked
        assert {each.table for each in await auditor.chain()} == {COVERED}
        assert b'tumbler_table_stopped{table="Cards 1"} 0.0' in at.service.figures()


async def test_bets_close_by_themselves_and_late_is_late(tmp_path) -> None:
    async with house(tmp_path, {CARDS: {"betting_s": 0.2, "between_s": 0.2}}) as at:
        await loaded(at)
        round_ = await at.playing(Role.DEALER).open_round(CARDS)
        view = await at.playing().table(CARDS)
        assert view.bets_close_ms is not None
        await at.step(CARDS, "draw-cards")
        (late,) = await at.playing().place(CARDS, round_.id, BETS[:1])
        assert late.reason == "no more bets (clause 5.5)"
        log = [(each.who, each.action) for each in at.service.books.accesses(CARDS)]
        assert ("service", "no-more-bets") in log
        await drawn(at, 1, 2, 3)
        await at.playing(Role.DEALER).announce(CARDS, round_.id)
        await at.step(CARDS, "wait")
        with pytest.raises(NotNow, match="may open in"):
            await at.playing(Role.DEALER).open_round(CARDS)
        await at.step(CARDS, "open-round")


async def test_a_card_after_the_betting_time_is_drawn_not_exposed(tmp_path) -> None:
    async with house(tmp_path, {CARDS: {"betting_s": 0.2}}) as at:
        await loaded(at)
        round_ = await at.playing(Role.DEALER).open_round(CARDS)
        running = at.service.tables[CARDS]
        await asyncio.sleep(0.25)
        assert await drawn(at, 6) == round_.id
        assert running.round(bytes.fromhex(round_.id)).state == "closed"


async def test_an_exposed_card_and_a_foreign_one_are_void_by_their_clauses(tmp_path) -> None:
    async with house(tmp_path, {CARDS: {}}) as at:
        await loaded(at)
        await at.playing(Role.DEALER).open_round(CARDS)
        exposed = await at.playing().round(CARDS, await drawn(at, 6))
        assert (exposed.state, exposed.settlements[0].fact, exposed.settlements[0].clause) == (
            "void",
            "exposed-early",
            "5.1",
        )
        round_id = await closed(at, 1, 2)
        found = await at.deciding(Role.SUPERVISOR).void(CARDS, round_id, "foreign-card", "a joker")
        assert (found.settlements[0].clause, found.settlements[0].decided_by) == ("5.2.1", "supervisor")
        assert [each.returned for each in found.wagers] == ["10.00", "20.00"]
        view = await at.playing().table(CARDS)
        assert view.step == "load-shoe"
        assert view.shoe is not None
        assert "foreign-card" in view.shoe.unfit
        with pytest.raises(ShoeNotFit):
            await at.playing(Role.DEALER).open_round(CARDS)


async def test_a_mistyped_card_takes_a_second_person_before_it_counts(tmp_path) -> None:
    async with house(tmp_path, {CARDS: {}}) as at:
        await loaded(at)
        round_id = await closed(at, 2, 3)
        dealer, supervisor = at.deciding(Role.DEALER), at.deciding(Role.SUPERVISOR)
        with pytest.raises(NotNow, match="once all three lie"):
            await dealer.propose_cards(CARDS, round_id, (2, 3, 4), "mistyped")
        await drawn(at, 5)
        proposal = await dealer.propose_cards(CARDS, round_id, (2, 3, 4), "mistyped")
        assert (proposal.deed, proposal.evidence) == ("card-correction", None)
        with pytest.raises(NotAllowed):
            await dealer.confirm(proposal.id)
        with pytest.raises(NotNow, match="waits for its second person"):
            await supervisor.propose_cards(CARDS, round_id, (2, 4, 4), "mistyped")
        (view,) = await supervisor.confirm(proposal.id)
        third = view.cards[2]
        assert (third.face, third.entered_by, third.seconded_by) == (4, "dealer", "supervisor")
        settled = await at.playing(Role.DEALER).announce(CARDS, round_id)
        assert settled.faces == (2, 3, 4)
        with pytest.raises(NotNow):
            await dealer.propose_cards(CARDS, round_id, (2, 3, 5), "mistyped")


async def test_no_result_is_announced_while_a_card_waits_to_be_entered_anew(tmp_path) -> None:
    async with house(tmp_path, {CARDS: {}}) as at:
        await loaded(at)
        round_id = await closed(at, 2, 3, 5)
        proposal = await at.deciding(Role.DEALER).propose_cards(CARDS, round_id, (2, 3, 4), "mistyped")
        with pytest.raises(NotNow, match="waits for its second person"):
            await at.playing(Role.DEALER).announce(CARDS, round_id)
        assert (await at.playing().round(CARDS, round_id)).state == "closed"
        await at.deciding(Role.DEALER).withdraw_proposal(proposal.id)
        settled = await at.playing(Role.DEALER).announce(CARDS, round_id)
        assert (settled.faces, [each.face for each in settled.cards]) == ((2, 3, 5), [2, 3, 5])


async def test_cards_that_cannot_be_are_not_proposed(tmp_path) -> None:
    async with house(tmp_path, {CARDS: {"decks": 2}}) as at:
        await loaded(at)
        for _ in range(5):
            await at.playing(Role.DEALER).announce(CARDS, await closed(at, 6, 6, 6))
        round_id = await closed(at, 6, 5, 4)
        dealer = at.deciding(Role.DEALER)
        for faces, refusal in (((6, 6, 4), CardImpossible), ((6, 5, 4), NothingToCorrect)):
            with pytest.raises(refusal):
                await dealer.propose_cards(CARDS, round_id, faces, "mistyped")
        assert await dealer.proposals() == []


async def test_a_referred_round_whose_cards_are_not_all_entered_can_only_be_void(tmp_path) -> None:
    async with house(tmp_path, {CARDS: {}}) as at:
        await loaded(at)
        round_id = await closed(at, 2)
        await at.deciding(Role.DEALER).refer(CARDS, round_id, "", "the shoe fell")
        manager = at.deciding(Role.SHIFT_MANAGER)
        with pytest.raises(WrongStep, match="1 of 3 cards"):
            await manager.propose(RESOLUTION, CARDS, round_id, Case((1, 2, 3), "seen"))
        assert (await manager.void_referred(CARDS, round_id, "the shoe fell")).state == "void"


async def test_an_announced_result_is_corrected_by_what_two_people_state(tmp_path) -> None:
    async with house(tmp_path, {CARDS: {}}) as at:
        await loaded(at)
        round_id = await closed(at, 2, 3, 5)
        await at.playing(Role.DEALER).announce(CARDS, round_id)
        manager, supervisor = at.deciding(Role.SHIFT_MANAGER), at.deciding(Role.SUPERVISOR)
        with pytest.raises(EvidenceUnknown):
            await supervisor.propose(CORRECTION, CARDS, round_id, Case((2, 3, 4), "mistyped", PICTURE))
        case = Case((2, 3, 4), " mistyped ")
        proposal = await supervisor.propose(CORRECTION, CARDS, round_id, case)
        (view,) = await manager.confirm(proposal.id)
        assert view.faces == (2, 3, 4)
        assert [(each.id, each.amount) for each in view.differences] == [("b", "160.00")]
        made = view.settlements[-1]
        assert (made.seconded_by, made.reason) == ("shift-manager", "mistyped")
        assert made.evidence == hashlib.sha256(b"mistyped").hexdigest()


async def test_a_result_that_was_corrected_meanwhile_is_corrected_by_nobody_who_has_not_seen_it(tmp_path):
    async with house(tmp_path, {CARDS: {}}) as at:
        await loaded(at)
        round_id = await closed(at, 2, 3, 5)
        await at.playing(Role.DEALER).announce(CARDS, round_id)
        proposal = await at.deciding(Role.SUPERVISOR).propose(
            CORRECTION, CARDS, round_id, Case((2, 3, 4), "mistyped")
        )
        elsewhere = Decision.stated("Ida", "Jo", "mistyped")
        await at.service.table(CARDS).table.desk.correct(bytes.fromhex(round_id), (2, 3, 6), elsewhere)
        with pytest.raises(WrongStep, match="settled anew meanwhile"):
            await at.deciding(Role.SHIFT_MANAGER).confirm(proposal.id)
        assert (await at.playing().round(CARDS, round_id)).faces == (2, 3, 6)


async def test_a_round_that_no_clause_covers_goes_to_people(tmp_path) -> None:
    async with house(tmp_path, {CARDS: {}}) as at:
        await loaded(at)
        round_id = await closed(at, 2, 3, 5)
        referred = await at.deciding(Role.DEALER).refer(CARDS, round_id, "", "a fourth card was drawn")
        assert (referred.state, referred.settlements[0].clause) == ("referred", "not stated")
        assert (await at.playing().table(CARDS)).referred == (round_id,)
        void = await at.deciding(Role.SHIFT_MANAGER).void_referred(CARDS, round_id, "nobody saw which")
        assert void.state == "void"


@pytest.mark.parametrize("at_step", ["betting", "closed", "two cards", "three cards"])
async def test_a_restart_takes_the_round_up_where_it_was(tmp_path, at_step) -> None:
    tables = {CARDS: {"decks": 3, "betting_s": 60}}
    async with house(tmp_path, tables) as at:
        await loaded(at)
        round_ = await at.playing(Role.DEALER).open_round(CARDS)
        await at.playing().place(CARDS, round_.id, BETS)
        if at_step != "betting":
            await at.playing(Role.DEALER).no_more_bets(CARDS, round_.id)
        await drawn(at, *{"two cards": (2, 3), "three cards": (2, 3, 4)}.get(at_step, ()))
        shoe = await shoe_of(at)
    async with house(tmp_path, tables) as at:
        assert await shoe_of(at) == shoe, "the shoe is as it was"
        view = await at.playing().table(CARDS)
        assert view.round is not None
        assert view.round.id == round_.id
        if at_step == "betting":
            assert view.bets_close_ms is not None
            assert all(each.registered for each in await at.playing().place(CARDS, round_.id, BETS))
            await at.playing(Role.DEALER).no_more_bets(CARDS, round_.id)
        await drawn(at, *(2, 3, 4)[shoe[1] - 1 :])
        settled = await at.playing(Role.DEALER).announce(CARDS, round_.id)
        assert settled.faces == (2, 3, 4)
        assert [each.returned for each in settled.wagers] == ["20.00", "160.00"]
        at.service.books.check_everything()


async def test_a_card_that_a_shoe_device_repeats_after_a_restart_counts_once(tmp_path) -> None:
    async with house(tmp_path, {CARDS: {}}) as at:
        await loaded(at)
        round_id = await closed(at, 2)
        shoe, _ = await shoe_of(at)
    async with house(tmp_path, {CARDS: {}}) as at:
        again = await at.playing().enter_card(CARDS, shoe, 1, 2)
        assert (again.id, len(again.cards)) == (round_id, 1)
        with pytest.raises(CardConflict):
            await at.playing().enter_card(CARDS, shoe, 1, 3)


async def test_what_a_table_of_cards_is_configured_as_is_noted(tmp_path) -> None:
    for decks in (2, 2, 4):
        async with house(tmp_path, {CARDS: {"decks": decks}}):
            pass
    async with house(tmp_path, {CARDS: {"decks": 4}}) as at:
        noted = [each for each in at.service.books.accesses(CARDS) if each.action == "configure"]
        assert [json.loads(each.after)["decks"] for each in noted] == [2, 4]


async def test_a_second_service_takes_the_table_over_with_its_shoe_and_its_round(tmp_path, postgres) -> None:
    tables, where = {CARDS: {"decks": 2}}, postgres.new_database()
    async with contextlib.AsyncExitStack() as gone:
        one = await gone.enter_async_context(house(tmp_path / "one", tables, ledger=where))
        await loaded(one)
        round_id = await closed(one, 2, 3)
        async with house(tmp_path / "two", tables, ledger=where) as two:
            view = await two.playing().table(CARDS)
            assert (view.step, view.shoe) == ("quarantined", None)
            assert "in use by" in view.quarantine
            with pytest.raises(NotNow, match="in use by"):
                await two.playing(Role.DEALER).announce(CARDS, round_id)
            await gone.aclose()
            await two.step(CARDS, "draw-cards")
            await drawn(two, 4)
            settled = await two.playing(Role.DEALER).announce(CARDS, round_id)
            assert [each.returned for each in settled.wagers] == ["20.00", "160.00"]
            two.service.books.check_everything()
