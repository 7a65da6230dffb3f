"""Whole rounds at the service's doors: played, void, referred and decided, corrected, by the right people."""

import asyncio
import json
from typing import Any

import pytest

from host_tools.bridge.deciding import Decision
from host_tools.bridge.errors import NotAffected, RoundEnded, WrongStep
from host_tools.bridge.events import EvidenceAlarm
from host_tools.bridge.wagering import Wager
from host_tools.ledger import LedgerUnavailable
from host_tools.ledger.schema import ALARM
from host_tools.people import NotAllowed, Role
from host_tools.service.actions import CORRECTION, MANUAL, RESOLUTION
from host_tools.service.deciding import Case
from host_tools.service.errors import (
    Asked,
    EvidenceMissing,
    EvidenceUnknown,
    NotNow,
    ProposalUnknown,
    RoundNotHere,
    RulesForbid,
    TableUnknown,
)
from tests.host_tools.service.service_rig import BY_HAND, COVERED, OPEN, PASSWORD, house

SMALL, BIG = Wager("1", "Mei", "small", "10"), Wager("2", "Arun", "big", "10")


@pytest.mark.parametrize("table", [COVERED, OPEN])
async def test_a_round_is_settled_with_every_wagers_payout_and_clause(tmp_path, table):
    async with house(tmp_path, {table: {}}) as at:
        playing = at.playing()
        round_id = await at.betting(table)
        assert all(each.registered for each in await playing.place(table, round_id, [SMALL, BIG]))
        ended = await at.ended(table, round_id)
        assert (ended.state, ended.faces) == ("settled", (1, 2, 4))
        assert [(each.result, each.payout, each.returned) for each in ended.wagers] == [
            ("won", "10.00", "20.00"),
            ("lost", "0.00", "0.00"),
        ]
        assert all(each.clause for each in ended.wagers)
        assert ended.settlements[0].record == len(at.tumblers[table].tumbler.journal)
        assert "small" in ended.winning
        assert "big" not in ended.winning
        at.service.books.check_everything()


async def test_the_same_wager_id_gets_the_same_answer_also_after_no_more_bets(tmp_path):
    async with house(tmp_path) as at:
        playing = at.playing()
        round_id = await at.betting()
        first = await playing.place(COVERED, round_id, [SMALL])
        assert await playing.place(COVERED, round_id, [SMALL]) == first
        await at.ended(COVERED, round_id)
        assert await playing.place(COVERED, round_id, [SMALL]) == first
        assert len(await playing.wagers(COVERED, round_id)) == 1
        other = Wager("1", "Mei", "big", "10")
        assert not (await playing.place(COVERED, round_id, [other]))[0].registered


async def test_the_list_of_tables_stays_small_however_many_wagers_there_are(tmp_path):
    async with house(tmp_path) as at:
        round_id = await at.betting()
        await at.playing().place(COVERED, round_id, [Wager("1", "Mei", "small", "10")])
        (listed,) = await at.playing().tables()
        shown = await at.playing().table(COVERED)
        assert listed.round is not None
        assert shown.round is not None
        assert (listed.round.wagers, len(shown.round.wagers)) == ((), 1)
        assert listed.round.id == round_id == shown.round.id


async def test_a_batch_is_taken_whole_or_not_at_all(tmp_path):
    async with house(tmp_path) as at:
        playing = at.playing()
        round_id = await at.betting()
        answers = await playing.place(COVERED, round_id, [SMALL, Wager("9", "Mei", "total:99", "10")])
        assert [each.registered for each in answers] == [False, False]
        assert await playing.wagers(COVERED, round_id) == []


async def test_a_wager_is_withdrawn_before_no_more_bets_and_not_after(tmp_path):
    async with house(tmp_path) as at:
        playing = at.playing()
        round_id = await at.betting()
        await playing.place(COVERED, round_id, [SMALL, BIG])
        assert (await playing.withdraw(COVERED, round_id, ["1"]))[0].withdrawn
        ended = await at.ended(COVERED, round_id)
        assert [(each.id, each.withdrawn) for each in ended.wagers] == [("2", False), ("1", True)]
        late = await playing.withdraw(COVERED, round_id, ["2"])
        assert not late[0].withdrawn
        assert "no more bets" in late[0].reason


async def test_a_wager_late_by_a_millisecond_is_refused_by_the_clause(tmp_path):
    async with house(tmp_path, {COVERED: {"betting_s": 0.3}}) as at:
        round_id = await at.betting()
        running = at.service.tables[COVERED]
        until = running._betting[1]  # type: ignore[index]
        await asyncio.sleep(until - at.service.clock.now())
        answers = await at.playing().place(COVERED, round_id, [SMALL])
        assert not answers[0].registered
        assert "no more bets (clause" in answers[0].reason


async def test_bets_close_by_themselves_and_the_next_round_waits_its_time(tmp_path):
    async with house(tmp_path, {COVERED: {"betting_s": 0.2, "between_s": 0.5}}) as at:
        round_id = await at.betting()
        view = await at.playing().table(COVERED)
        assert view.bets_close_ms is not None
        assert 0 <= view.bets_close_ms - view.now_ms <= 200
        running = at.service.tables[COVERED]
        await at.until(lambda: running.round(bytes.fromhex(round_id)).state == "settled")
        await at.step(COVERED, "wait")
        with pytest.raises(NotNow, match="may open in"):
            await at.playing().open_round(COVERED)
        await at.betting()


@pytest.mark.parametrize("table", [COVERED, OPEN])
async def test_automatic_rounds_follow_each_other(tmp_path, table):
    automatic = {"rounds": "automatic", "betting_s": 0.05, "between_s": 0.05}
    async with house(tmp_path, {table: automatic}) as at:
        await at.until(lambda: len(at.service.books.latest_rounds(table, 5)) >= 4)
        rounds = await at.playing().rounds(table)
        assert {each.state for each in rounds[1:]} == {"settled"}


async def test_a_step_for_another_round_or_out_of_order_changes_nothing(tmp_path):
    async with house(tmp_path) as at:
        playing = at.playing()
        first = await at.betting()
        with pytest.raises(WrongStep):
            await playing.open_round(COVERED)
        await at.ended(COVERED, first)
        second = await at.betting()
        for step in (playing.tumble, playing.no_more_bets):
            with pytest.raises(WrongStep):
                await step(COVERED, first)
        with pytest.raises(RoundNotHere):
            await playing.no_more_bets(COVERED, "ab" * 16)
        with pytest.raises(TableUnknown):
            await playing.no_more_bets("Nowhere", second)
        assert (await playing.round(COVERED, second)).state == "betting"


VOID_BY_THE_RULES, REFERRED_BY_THE_RULES = "exposed-early", "host-void"


@pytest.mark.parametrize(
    ("role", "fact"),
    [(Role.SUPERVISOR, VOID_BY_THE_RULES), (Role.SHIFT_MANAGER, REFERRED_BY_THE_RULES)],
)
async def test_a_round_is_voided_as_the_rulebook_says_and_every_stake_goes_back(tmp_path, role, fact):
    async with house(tmp_path) as at:
        round_id = await at.betting()
        await at.playing().place(COVERED, round_id, [SMALL])
        voided = await at.deciding(role).void(COVERED, round_id, fact, "spilt drink")
        assert voided.state == "void"
        assert voided.wagers[0].returned == "10.00"
        assert voided.settlements[0].decided_by == str(role)
        with pytest.raises(RoundEnded):
            await at.playing().no_more_bets(COVERED, round_id)


async def test_what_the_rulebook_refers_a_supervisor_refers_and_voids_nothing(tmp_path):
    async with house(tmp_path) as at:
        round_id = await at.betting()
        supervisor = at.deciding(Role.SUPERVISOR)
        with pytest.raises(NotAllowed, match="resolve"):
            await supervisor.void(COVERED, round_id, REFERRED_BY_THE_RULES, "spilt drink")
        assert (await at.playing().round(COVERED, round_id)).state == "betting"
        referred = await supervisor.refer(COVERED, round_id, REFERRED_BY_THE_RULES, "spilt drink")
        assert referred.state == "referred"


async def test_only_a_shift_manager_decides_a_referred_round(tmp_path):
    async with house(tmp_path, {BY_HAND: {}}) as at:
        round_id = await referred(at, BY_HAND)
        case = Case((1, 1, 2), "seen")
        one, other = at.deciding(Role.SUPERVISOR, "Ada"), at.deciding(Role.SUPERVISOR, "Bo")
        for refused in (
            one.void_referred(BY_HAND, round_id, "steamed up"),
            one.propose(RESOLUTION, BY_HAND, round_id, case),
            at.deciding(Role.DEALER).propose(RESOLUTION, BY_HAND, round_id, case),
        ):
            with pytest.raises(NotAllowed, match="resolve"):
                await refused
        proposal = await one.propose(MANUAL, BY_HAND, round_id, case)
        with pytest.raises(NotAllowed, match="resolve"):
            await other.confirm(proposal.id)
        assert (await at.playing().round(BY_HAND, round_id)).state == "referred"
        (ended,) = await at.deciding(Role.SHIFT_MANAGER).confirm(proposal.id)
        assert (ended.state, ended.faces) == ("settled", (1, 1, 2))


async def test_a_supervisor_is_the_second_person_to_a_shift_manager(tmp_path):
    async with house(tmp_path) as at:
        round_id = await referred(at)
        manager, supervisor = at.deciding(Role.SHIFT_MANAGER), at.deciding(Role.SUPERVISOR)
        proposal = await manager.propose(RESOLUTION, COVERED, round_id, Case((1, 1, 2), "seen"))
        (ended,) = await supervisor.confirm(proposal.id)
        assert ended.settlements[-1].decided_by == "shift-manager"


async def test_only_what_the_rulebook_refers_can_be_referred(tmp_path):
    async with house(tmp_path) as at:
        round_id = await at.betting()
        dealer = at.deciding(Role.DEALER)
        with pytest.raises(RulesForbid, match="refers"):
            await dealer.refer(COVERED, round_id, "too-few-tumbles", "it looked weak")
        assert (await dealer.refer(COVERED, round_id, "unreadable", "steamed up")).state == "referred"


async def referred(at, table: str = COVERED) -> str:
    """A round with two wagers that waits for people."""
    at.tumblers[table].tumbler.refusal = "tilted"
    round_id = await at.betting(table)
    await at.playing().place(table, round_id, [SMALL, BIG])
    assert (await at.ended(table, round_id)).state == "referred"
    at.tumblers[table].tumbler.refusal = ""
    return round_id


async def test_a_referred_round_waits_with_its_wagers_frozen_until_it_is_void(tmp_path):
    async with house(tmp_path) as at:
        round_id = await referred(at)
        waiting = await at.playing().round(COVERED, round_id)
        assert waiting.settlements[0].verdict == "referred"
        assert waiting.wagers[0].result is None
        with pytest.raises(NotAllowed):
            await at.deciding(Role.DEALER).void_referred(COVERED, round_id, "no")
        ended = await at.deciding(Role.SHIFT_MANAGER).void_referred(COVERED, round_id, "steamed up")
        assert (ended.state, ended.settlements[-1].decided_by) == ("void", "shift-manager")
        assert ended.settlements[-1].reason == "steamed up"


@pytest.mark.parametrize("deed", [RESOLUTION, MANUAL])
async def test_dice_that_people_state_count_when_a_second_person_confirms(tmp_path, deed):
    async with house(tmp_path, {BY_HAND: {}}) as at:
        round_id = await referred(at, BY_HAND)
        role = Role.SHIFT_MANAGER if deed == RESOLUTION else Role.DEALER
        proposer = at.deciding(role, "Ada")
        proposal = await proposer.propose(deed, BY_HAND, round_id, Case((1, 1, 2), "seen"))
        assert (await at.playing().round(BY_HAND, round_id)).state == "referred"
        with pytest.raises(NotNow):
            await proposer.propose(deed, BY_HAND, round_id, Case((1, 1, 2), "again"))
        with pytest.raises(NotAllowed):
            await at.deciding(Role.SHIFT_MANAGER, "ada").confirm(proposal.id)
        (ended,) = await at.deciding(Role.SHIFT_MANAGER, "Bo").confirm(proposal.id)
        made = ended.settlements[-1]
        assert ended.manual
        assert (await at.playing().events())[-1].body["manual"] is True
        assert (ended.state, made.faces, made.decided_by, made.seconded_by) == (
            "settled",
            (1, 1, 2),
            "Ada",
            "Bo",
        )
        with pytest.raises(ProposalUnknown):
            await at.deciding(Role.SHIFT_MANAGER, "Bo").confirm(proposal.id)
        at.service.books.check_everything()


@pytest.mark.parametrize("table", [COVERED, OPEN])
async def test_a_dealer_enters_dice_by_hand_where_the_rulebook_says_so_and_nowhere_else(tmp_path, table):
    async with house(tmp_path, {table: {}, BY_HAND: {}}) as at:
        tables = {each.name: each.manual_entry for each in await at.playing().tables()}
        assert tables == {table: False, BY_HAND: True}
        round_id = await referred(at, table)
        with pytest.raises(RulesForbid, match=r"Shift Manager or above decides the round \(clause 5.10\)"):
            await at.deciding(Role.DEALER).propose(MANUAL, table, round_id, Case((1, 1, 2), "seen"))


async def test_what_a_tumbler_has_read_is_not_manual_until_people_correct_it(tmp_path):
    async with house(tmp_path) as at:
        round_id = await a_settled_round(at, COVERED)
        assert not (await at.playing().round(COVERED, round_id)).manual
        assert (await at.playing().events())[-1].body["manual"] is False
        case = Case((5, 5, 4), "the picture shows it")
        proposal = await at.deciding(Role.SUPERVISOR).propose(CORRECTION, COVERED, round_id, case)
        (corrected,) = await at.deciding(Role.SHIFT_MANAGER).confirm(proposal.id)
        assert corrected.manual
        assert (await at.playing().events())[-1].body["manual"] is True


async def test_a_wrong_result_is_corrected_by_two_people_with_the_differences_listed(tmp_path):
    async with house(tmp_path) as at:
        round_id = await at.betting()
        await at.playing().place(COVERED, round_id, [SMALL, BIG])
        await at.ended(COVERED, round_id)
        case = Case((5, 5, 4), "the picture shows it")
        proposal = await at.deciding(Role.SUPERVISOR, "Ada").propose(CORRECTION, COVERED, round_id, case)
        (reading,) = [
            each for each in at.service.records_of(bytes.fromhex(round_id)) if each.kind == "reading"
        ]
        assert proposal.evidence == reading.fields["frames"].hex()
        (ended,) = await at.deciding(Role.SHIFT_MANAGER, "Bo").confirm(proposal.id)
        assert ended.faces == (5, 5, 4)
        assert [(each.id, each.amount) for each in ended.differences] == [("1", "-20.00"), ("2", "20.00")]
        assert len(ended.settlements) == 2
        assert ended.settlements[1].corrects == ended.settlements[0].number


async def test_a_proposal_lapses_and_can_be_withdrawn(tmp_path):
    async with house(tmp_path) as at:
        round_id = await referred(at)
        manager = at.deciding(Role.SHIFT_MANAGER, "Ada")
        case = Case((1, 1, 2), "seen")
        first = await manager.propose(RESOLUTION, COVERED, round_id, case)
        await manager.withdraw_proposal(first.id)
        with pytest.raises(ProposalUnknown):
            await at.deciding(Role.SHIFT_MANAGER, "Bo").confirm(first.id)
        second = await manager.propose(RESOLUTION, COVERED, round_id, case)
        now = at.service.clock.now()
        at.service.proposals._now = lambda: now + 601.0
        with pytest.raises(ProposalUnknown):
            await at.deciding(Role.SHIFT_MANAGER, "Bo").confirm(second.id)
        assert await manager.proposals() == []
        assert (await at.playing().round(COVERED, round_id)).state == "referred"


async def test_a_decision_without_a_reason_or_a_picture_is_refused(tmp_path):
    async with house(tmp_path) as at:
        settled = await a_settled_round(at, COVERED)
        at.tumblers[COVERED].tumbler.frames = b"another scene"
        round_id = await referred(at)
        own = at.service.frames_of(bytes.fromhex(round_id)).hex()
        manager = at.deciding(Role.SHIFT_MANAGER)
        with pytest.raises(Asked):
            await manager.void_referred(COVERED, round_id, "  ")
        for invented in ("abcd", "00" * 32, "ab" * 32, "AB", "no hex"):
            with pytest.raises(EvidenceUnknown):
                await manager.propose(RESOLUTION, COVERED, round_id, Case((1, 2, 3), "seen", invented))
        with pytest.raises(EvidenceUnknown):  # of another round
            await manager.propose(CORRECTION, COVERED, settled, Case((1, 2, 3), "seen", own))
        await manager.propose(RESOLUTION, COVERED, round_id, Case((1, 2, 3), "seen", own))
        with pytest.raises(Asked):
            await manager.propose(RESOLUTION, COVERED, round_id, Case(None, "seen"))


async def test_everything_that_changes_state_is_in_the_access_log(tmp_path):
    async with house(tmp_path) as at:
        round_id = await referred(at)
        await at.deciding(Role.SHIFT_MANAGER).void_referred(COVERED, round_id, "steamed up")
        configured, *log = await at.auditing(Role.AUDITOR).log(COVERED)
        assert (configured.who, configured.action, configured.before) == ("service", "configure", "{}")
        assert [(each.who, each.action) for each in log] == [
            ("table-server", "open-round"),
            ("table-server", "tumble"),
            ("table-server", "place-wagers"),
            ("table-server", "no-more-bets"),
            ("shift-manager", "void-referred"),
        ]
        assert {each.origin for each in log} == {"10.0.0.9"}
        last = log[-1]
        assert json.loads(last.before) == {"round": round_id, "state": "referred"}
        assert json.loads(last.after) == {"round": round_id, "state": "void", "reason": "steamed up"}


async def test_an_alarm_is_seen_by_all_and_answered_for_by_a_supervisor(tmp_path):
    async with house(tmp_path) as at:
        round_id = await at.betting()
        ended = await at.ended(COVERED, round_id)
        running, books = at.service.dice_table(COVERED), at.service.books
        body = {"fact": "second-reader-differs", "device": [1, 2, 4], "second": [1, 2, 5]}
        await books.durably(lambda: books.notify(COVERED, ALARM, bytes.fromhex(round_id), body, 7))
        found = EvidenceAlarm(bytes.fromhex(round_id), ended.settlements[0].record or 0, body["fact"])
        running._sink.announce(running.tumbler.id, found)
        await at.until(lambda: running.alarms != ())
        (alarm,) = (await at.playing(Role.DEALER).table(COVERED)).alarms
        assert (alarm.round, alarm.device, alarm.second) == (round_id, (1, 2, 4), (1, 2, 5))
        assert alarm.number == (await at.playing().events())[-1].sequence
        with pytest.raises(NotAllowed):
            await at.deciding(Role.DEALER).answer_alarm(COVERED, alarm.number, "glare")
        with pytest.raises(Asked):
            await at.deciding(Role.SUPERVISOR).answer_alarm(COVERED, alarm.number, " ")
        await at.deciding(Role.SUPERVISOR).answer_alarm(COVERED, alarm.number, "glare")
        await at.until(lambda: running.alarms == ())
        assert [each.kind for each in await at.playing().events()][-2:] == [ALARM, "alarm-answered"]


async def test_the_look_back_for_a_damaged_die_ends_where_the_dice_were_changed(tmp_path):
    async with house(tmp_path) as at:
        await at.ended(COVERED, await at.betting())
        boss, technician = at.deciding(Role.SHIFT_MANAGER), at.playing(Role.TECHNICIAN)
        inspected_ms = at.service.clock.wall_ms() - 3_600_000
        going = await at.betting()
        with pytest.raises(WrongStep):
            await technician.change_dice(COVERED, "box 17")
        await at.ended(COVERED, going)
        assert len(await boss.affected(COVERED)) == 2
        with pytest.raises(Asked):
            await technician.change_dice(COVERED, "box 17", at.service.clock.wall_ms() + 60_000)
        assert len(await boss.affected(COVERED)) == 2
        await technician.change_dice(COVERED, "box 17", inspected_ms)
        changed = at.service.books.newest_record(at.tumblers[COVERED].id, "dice-set-change")
        assert changed is not None
        later = await at.betting()
        await at.ended(COVERED, later)
        assert [each.id for each in await boss.affected(COVERED)] == [later]
        entry = next(each for each in at.service.books.accesses(COVERED) if each.action == "change-dice")
        assert entry.who == "technician"
        assert json.loads(entry.after) == {"dice_set": "box 17", "inspected_ms": inspected_ms}
        with pytest.raises(NotAllowed):
            await at.playing(Role.DEALER).change_dice(COVERED, "box 18")


@pytest.mark.parametrize("when", [None, "after", "before-settlement"])
async def test_a_table_says_whether_pictures_of_its_readings_are_kept(tmp_path, when):
    async with house(tmp_path, {COVERED: {"evidence": when or "none"}}) as at:
        assert (await at.playing().table(COVERED)).evidence == when


async def test_a_round_without_pictures_is_only_void(tmp_path):
    async with house(tmp_path) as at:
        round_id = await at.betting()
        manager = at.deciding(Role.SHIFT_MANAGER)
        await manager.refer(COVERED, round_id, "host-void", "a coin fell in")
        with pytest.raises(EvidenceMissing):
            await manager.propose(RESOLUTION, COVERED, round_id, Case((1, 2, 3), "seen"))
        assert (await manager.void_referred(COVERED, round_id, "a coin fell in")).state == "void"


async def test_only_rounds_of_these_dice_are_voided_for_a_damaged_one(tmp_path):
    async with house(tmp_path, {OPEN: {}}) as at:
        old, new = [await a_settled_round(at, OPEN) for _ in range(2)]
        manager, supervisor = at.deciding(Role.SHIFT_MANAGER), at.deciding(Role.SUPERVISOR)
        proposal = await supervisor.propose_affected(OPEN, [new], Case(None, "a crack"))
        await at.playing(Role.TECHNICIAN).change_dice(OPEN, "box 17")
        later = await a_settled_round(at, OPEN)
        assert [each.id for each in await manager.affected(OPEN)] == [later]
        for rounds in ([old], [old, later]):
            with pytest.raises(NotAffected):
                await supervisor.propose_affected(OPEN, rounds, Case(None, "a crack"))
        with pytest.raises(NotAffected):  # of these dice when it was proposed, and no longer
            await manager.confirm(proposal.id)
        assert {each.state for each in await at.playing().rounds(OPEN)} == {"settled"}
        again = await supervisor.propose_affected(OPEN, [later], Case(None, "a crack"))
        (void,) = await manager.confirm(again.id)
        assert (void.state, void.settlements[-1].clause) == ("void", "5.4")


async def test_the_picture_of_a_damaged_die_is_of_any_round_with_these_dice(tmp_path):
    async with house(tmp_path, {OPEN: {}}) as at:
        touched = await a_settled_round(at, OPEN)
        at.tumblers[OPEN].tumbler.frames = b"the crack is seen"
        other = await a_settled_round(at, OPEN)
        seen = at.service.frames_of(bytes.fromhex(other)).hex()
        supervisor = at.deciding(Role.SUPERVISOR)
        with pytest.raises(EvidenceUnknown):
            await supervisor.propose_affected(OPEN, [touched], Case(None, "a crack", "ab" * 32))
        assert (
            await supervisor.propose_affected(OPEN, [touched], Case(None, "a crack", seen))
        ).evidence == seen


async def a_settled_round(at, table: str) -> str:
    round_id = await at.betting(table)
    await at.playing().place(table, round_id, [SMALL, BIG])
    assert (await at.ended(table, round_id)).state == "settled"
    return round_id


async def test_what_can_never_be_done_is_not_proposed(tmp_path):
    async with house(tmp_path, {OPEN: {}}) as at:
        settled = await a_settled_round(at, OPEN)
        void = await at.betting(OPEN)
        manager = at.deciding(Role.SHIFT_MANAGER)
        await manager.void(OPEN, void, "host-void", "spilt drink")
        before = at.service.books.entries(OPEN, limit=1000), await at.playing().events()
        for refused in (
            manager.propose(CORRECTION, OPEN, settled, Case((1, 2, 4), "as it is")),
            manager.propose_affected(OPEN, [void, settled], Case(None, "one of them is void")),
        ):
            with pytest.raises(WrongStep):
                await refused
        assert await manager.proposals() == []
        await manager.propose(CORRECTION, OPEN, settled, Case((4, 5, 6), "tried, and undone"))
        assert (at.service.books.entries(OPEN, limit=1000), await at.playing().events()) == before
        assert "correct" not in {each.action for each in at.service.books.accesses(OPEN)}
        at.service.books.check_everything()


async def test_one_result_of_a_round_is_proposed_at_a_time(tmp_path):
    async with house(tmp_path, {OPEN: {}}) as at:
        round_id = await a_settled_round(at, OPEN)
        manager, supervisor = at.deciding(Role.SHIFT_MANAGER), at.deciding(Role.SUPERVISOR)
        first = await supervisor.propose(CORRECTION, OPEN, round_id, Case((4, 5, 6), "seen"))
        for faces in ((4, 5, 6), (4, 5, 5)):
            with pytest.raises(NotNow, match="waits for its second person"):
                await manager.propose(CORRECTION, OPEN, round_id, Case(faces, "seen better"))
        (corrected,) = await manager.confirm(first.id)
        second = await manager.propose(CORRECTION, OPEN, round_id, Case((4, 5, 5), "seen better"))
        assert corrected.faces == (4, 5, 6)
        (corrected,) = await supervisor.confirm(second.id)
        assert corrected.faces == (4, 5, 5)


async def test_a_round_is_proposed_as_affected_once_at_a_time_with_whichever_others(tmp_path):
    async with house(tmp_path, {OPEN: {}}) as at:
        one, two, three = [await a_settled_round(at, OPEN) for _ in range(3)]
        supervisor, case = at.deciding(Role.SUPERVISOR), Case(None, "a crack")
        await supervisor.propose_affected(OPEN, [one, two], case)
        for rounds in ([one], [three, one], [two]):
            with pytest.raises(NotNow, match="waits for its second person"):
                await supervisor.propose_affected(OPEN, rounds, case)
        await supervisor.propose_affected(OPEN, [three], case)


async def test_a_proposal_that_is_refused_at_the_end_is_in_the_log_and_gone(tmp_path):
    async with house(tmp_path, {OPEN: {}}) as at:
        round_id = await a_settled_round(at, OPEN)
        manager, supervisor = at.deciding(Role.SHIFT_MANAGER), at.deciding(Role.SUPERVISOR)
        first = await supervisor.propose(CORRECTION, OPEN, round_id, Case((4, 5, 6), "seen"))
        second = await supervisor.propose_affected(OPEN, [round_id], Case(None, "a crack"))
        await manager.confirm(second.id)
        told = []
        at.service.tell = lambda kind, table="", round_id=None: told.append((kind, table))
        with pytest.raises(WrongStep, match="only a settled round"):
            await manager.confirm(first.id)
        assert told == [("proposals-changed", OPEN)]
        assert await manager.proposals() == []
        last = at.service.books.newest_access(OPEN)
        assert last is not None
        assert (last.who, last.action) == ("shift-manager", "refuse-proposal")
        entry = json.loads(last.after)
        assert (entry["proposal"], entry["round"]) == (first.id, round_id)
        assert "only a settled round" in entry["refused"]


async def test_a_proposal_stays_while_the_store_is_away(tmp_path):
    async with house(tmp_path) as at:
        round_id = await referred(at)
        manager, supervisor = at.deciding(Role.SHIFT_MANAGER), at.deciding(Role.SUPERVISOR)
        proposal = await manager.propose(RESOLUTION, COVERED, round_id, Case((1, 1, 2), "seen"))
        books, durably = at.service.books, at.service.books.durably

        async def away(work: Any) -> Any:
            raise LedgerUnavailable("the disk is full")

        books.durably = away  # type: ignore[method-assign]
        desk = at.service.dice_table(COVERED).table.desk
        desk._durably = away
        for deed in (supervisor.confirm, supervisor.withdraw_proposal):
            with pytest.raises(LedgerUnavailable):
                await deed(proposal.id)
            assert [each.id for each in await manager.proposals()] == [proposal.id]
        books.durably, desk._durably = durably, durably  # type: ignore[method-assign]
        (ended,) = await supervisor.confirm(proposal.id)
        assert ended.state == "settled"


async def test_a_proposal_of_a_closed_account_is_nobodys_to_confirm(tmp_path):
    async with house(tmp_path, {BY_HAND: {}}) as at:
        boss = at.person(Role.SHIFT_MANAGER)
        await at.service.accounts.add_person("Ada", Role.DEALER, PASSWORD, boss)
        round_id = await referred(at, BY_HAND)
        proposal = await at.deciding(Role.DEALER, "Ada").propose(
            MANUAL, BY_HAND, round_id, Case((1, 1, 2), "seen")
        )
        await at.service.accounts.close("Ada", boss)
        with pytest.raises(NotAllowed, match="Ada"):
            await at.deciding(Role.SHIFT_MANAGER).confirm(proposal.id)
        assert (await at.playing().round(BY_HAND, round_id)).state == "referred"
        assert await at.deciding(Role.SHIFT_MANAGER).proposals() == []
        last = at.service.books.newest_access(BY_HAND)
        assert last is not None
        assert last.action == "refuse-proposal"


async def test_a_referred_round_is_shown_until_it_is_decided_however_long_ago_it_was(tmp_path):
    async with house(tmp_path, {OPEN: {}}) as at:
        referred = await at.betting(OPEN)
        await at.playing().place(OPEN, referred, [Wager("1", "Mei", "small", "10")])
        await at.deciding(Role.DEALER).refer(OPEN, referred, "tilted", "somebody leant on it")
        for _ in range(3):
            assert (await at.ended(OPEN, await at.betting(OPEN))).state == "settled"
        view = await at.playing().table(OPEN)
        assert (view.referred, view.step) == ((referred,), "open-round")
        assert b'tumbler_rounds_referred{table="Open 1"} 1.0' in at.service.figures()
        await at.deciding(Role.SHIFT_MANAGER).void_referred(OPEN, referred, "nobody saw the dice")
        assert (await at.playing().table(OPEN)).referred == ()


async def test_what_was_settled_anew_meanwhile_is_undone_by_nobody_who_has_not_seen_it(tmp_path):
    """The table may have run at another service between a proposal and its second person."""
    async with house(tmp_path, {OPEN: {}}) as at:
        round_id = await a_settled_round(at, OPEN)
        manager, supervisor = at.deciding(Role.SHIFT_MANAGER), at.deciding(Role.SUPERVISOR)
        correction = await supervisor.propose(CORRECTION, OPEN, round_id, Case((4, 5, 6), "seen"))
        affected = await supervisor.propose_affected(OPEN, [round_id], Case(None, "a crack"))
        elsewhere = Decision("Ida", "Jo", "seen better", b"e" * 32)
        await at.service.table(OPEN).table.desk.correct(bytes.fromhex(round_id), (4, 5, 5), elsewhere)
        for proposal in (correction, affected):
            with pytest.raises(WrongStep, match="settled anew meanwhile"):
                await manager.confirm(proposal.id)
        shown = await at.playing().round(OPEN, round_id)
        assert (shown.state, shown.faces) == ("settled", (4, 5, 5))
        assert await manager.proposals() == []
        again = await supervisor.propose(CORRECTION, OPEN, round_id, Case((4, 5, 6), "seen"))
        (corrected,) = await manager.confirm(again.id)
        assert corrected.faces == (4, 5, 6)
