"""The door for those who decide: void, refer, the end of referred and held rounds, corrections, dice by hand.

What takes two people is proposed here and done when another person confirms it. The money itself is decided
by the rulebook in the bridge; here the right people ask for it, for a reason, with a picture.
"""

from dataclasses import dataclass, replace

from host_tools import ledger
from host_tools.bridge.deciding import Decision
from host_tools.bridge.desk import Desk
from host_tools.bridge.terms import terms_of
from host_tools.cards.desk import CardsDesk
from host_tools.ledger import LeaseLost, LedgerClosed, LedgerUnavailable
from host_tools.people import Deed, NotAllowed, Person, may
from host_tools.service.actions import AFFECTED, CARDS, CORRECTION, MANUAL, RESOLUTION
from host_tools.service.errors import Asked, EvidenceUnknown, NotNow, RulesForbid
from host_tools.service.playing import Playing, require_reason, round_bytes
from host_tools.service.running import RunningTable
from host_tools.service.running_cards import RunningCards
from host_tools.service.service import Service
from host_tools.service.views import ProposalView, RoundView

DOUBTED = "referred-by-people"  # the fact of a reading that people did not believe
SOMEBODY = "?"  # nobody's name: the second person while a proposal is tried, before there is one

# After these a deed can be done later: the proposal stays.
LATER = (LedgerUnavailable, LedgerClosed, LeaseLost, NotNow)

# Whose proposals they are. One of two people who end a referred round is a shift manager: who proposes it,
# or, where the dealer enters the dice, who confirms it.
_PROPOSED_UNDER = {
    RESOLUTION: Deed.RESOLVE,
    MANUAL: Deed.ENTER,
    CORRECTION: Deed.DECIDE,
    AFFECTED: Deed.DECIDE,
    CARDS: Deed.ENTER,
}


@dataclass(frozen=True, slots=True)
class Case:
    """What is proposed for a round: the dice as people saw them, why, and the SHA-256 in hex of a picture
    that a record of the round names (None: the newest that one does). At a table of cards, which no camera
    sees, there is none: what the two people state is the evidence."""

    faces: ledger.Faces | None
    reason: str
    evidence: str | None = None


class Deciding:
    """What `person` may decide. Methods raise NotAllowed, TableUnknown, RoundNotHere, and the bridge's
    WrongStep where the round is in another state, TermsLost where its rules are not known any more."""

    def __init__(self, service: Service, person: Person) -> None:
        self._service = service
        self._person = person
        self._playing = Playing(service, person)

    # --- by one person ---

    async def void(self, table: str, round_id: str, fact: str, reason: str) -> RoundView:
        """End the round without a result, because of `fact`, which the rulebook rules on. What it refers is
        the shift manager's to void: others refer the round."""
        running, round_ = self._at(Deed.VOID, table, round_id)
        require_reason(reason)
        terms = terms_of(round_, self._service.find_rulebook)
        if terms.rulebook.ruling(fact).action == "refer":
            self._person.require(Deed.RESOLVE)
        if isinstance(running, RunningCards):
            await running.take(lambda: running.table.void_round(round_.id, fact, reason, self._playing.by()))
            return self._shown(running, round_.id)

        async def work() -> None:
            by = self._playing.by(reason=reason)
            await running.in_round(round_.id, lambda: running.table.void_round(fact, self._person.name, by))

        await running.take(work)
        return self._shown(running, round_.id)

    async def refer(self, table: str, round_id: str, fact: str, reason: str) -> RoundView:
        """Leave the round to the people whom the rulebook names: a held one, or one that goes on, because of
        a `fact` that the rulebook refers. Raises RulesForbid where it does not."""
        running, round_ = self._at(Deed.REFER, table, round_id)
        require_reason(reason)
        by = self._playing.by(reason=reason)
        if isinstance(running, RunningCards):
            await running.take(lambda: running.table.refer(round_.id, by))
            return self._shown(running, round_.id)
        if round_.state == "held":
            await running.table.desk.refer(round_.id, DOUBTED, by)
            return self._shown(running, round_.id)
        _require_referred(running, fact)

        async def work() -> None:
            await running.in_round(round_.id, lambda: running.table.void_round(fact, by=by))

        await running.take(work)
        return self._shown(running, round_.id)

    async def void_referred(self, table: str, round_id: str, reason: str) -> RoundView:
        """Void a round that was referred: every stake goes back."""
        running, round_ = self._at(Deed.RESOLVE, table, round_id)
        require_reason(reason)
        by = self._playing.by(reason=reason)
        await running.table.desk.void_referred(round_.id, self._person.name, reason, by)
        return self._shown(running, round_.id)

    async def release(self, table: str, round_id: str, reason: str) -> RoundView:
        """Settle a held round by its reading: the person has looked at the evidence."""
        running, round_ = self._at(Deed.DECIDE, table, round_id)
        require_reason(reason)
        await self._service.dice_table(table).table.desk.release(round_.id, self._playing.by(reason=reason))
        return self._shown(running, round_.id)

    async def answer_alarm(self, table: str, number: int, reason: str) -> None:
        """Say what was found about a round that its evidence speaks against; the alarm stands no more."""
        self._person.require(Deed.DECIDE)
        require_reason(reason)
        running = self._service.dice_table(table)
        await running.table.desk.answer_alarm(number, reason, self._playing.by())

    async def clear_fault(self, table: str, fact: str) -> None:
        """Have the tumbler check again and clear a fault."""
        self._person.require(Deed.CLEAR_FAULT)
        running = self._service.dice_table(table)

        async def work() -> None:
            running.tumbler.cue("repair")
            await running.table.clear_fault(fact, self._playing.by())

        await running.take(work)

    # --- by two people ---

    async def propose(self, deed: str, table: str, round_id: str, case: Case) -> ProposalView:
        """Propose the dice of a referred round (RESOLUTION, or MANUAL by the dealer), or a CORRECTION."""
        running, round_ = self._at(_PROPOSED_UNDER[deed], table, round_id)
        wanted = "settled" if deed == CORRECTION else "referred"
        if round_.state != wanted:
            raise NotNow(f"the round is {round_.state}; a {deed} is for one that is {wanted}")
        if case.faces is None:
            raise Asked("give the three faces as the dice show them")
        if deed == MANUAL:
            self._require_manual_entry(round_)
        return await self._add(running, deed, round_.id, case)

    async def propose_affected(self, table: str, rounds: list[str], case: Case) -> ProposalView:
        """Propose to void settled rounds that a damaged die touched."""
        self._person.require(Deed.DECIDE)
        running = self._service.dice_table(table)
        affected = [running.round(round_bytes(each)).id for each in rounds]
        if not affected or len(set(affected)) != len(affected):
            raise Asked("name the rounds that the damaged die touched, each once")
        return await self._add(running, AFFECTED, affected[-1], case, tuple(each.hex() for each in affected))

    async def propose_cards(
        self, table: str, round_id: str, faces: ledger.Faces, reason: str
    ) -> ProposalView:
        """Propose the three cards of a closed round anew, before its result is announced: one is mistyped."""
        self._person.require(Deed.ENTER)
        running = self._service.cards_table(table)
        round_ = running.round(round_bytes(round_id))
        if running.step != "announce" or round_.state != "closed":
            raise NotNow(f"cards are entered anew once all three lie; the round is {round_.state}")
        return await self._add(running, CARDS, round_.id, Case(faces, reason))

    async def affected(self, table: str) -> list[RoundView]:
        """The rounds since the dice were last changed, oldest first: a damaged die may have touched them."""
        self._person.require(Deed.DECIDE)
        running = self._service.dice_table(table)
        return [self._playing.shown(each) for each in running.table.desk.rounds_with_these_dice()]

    async def proposals(self) -> list[ProposalView]:
        """What waits for its second person."""
        self._person.require(Deed.WATCH)
        return self._service.proposals.waiting()

    async def withdraw_proposal(self, proposal_id: str) -> ProposalView:
        """Take a proposal back, or turn it down. Raises ProposalUnknown."""
        self._person.require(Deed.WATCH)
        proposals = self._service.proposals
        if not any(each.id == proposal_id and self._is_mine(each) for each in proposals.waiting()):
            self._person.require(Deed.CONFIRM)
        with proposals.held(proposal_id) as withdrawn:
            await self._log_proposal("withdraw-proposal", withdrawn)
        return withdrawn

    async def confirm(self, proposal_id: str) -> list[RoundView]:
        """Be the second person: it is done now. Returns the rounds it changed. What is refused for good ends
        the proposal; while the store or the table is away it stays."""
        self._person.require(Deed.CONFIRM)
        proposals = self._service.proposals
        self._require_second(proposals.find(proposal_id))
        with proposals.held(proposal_id) as proposal:
            views = await self._carried_out(proposal)
        self._service.tell("proposals-changed", proposal.table)
        return views

    # --- inside ---

    def _require_manual_entry(self, round_: ledger.Round) -> None:
        """Raise RulesForbid unless the round's rulebook has dealers enter the dice."""
        rulebook = terms_of(round_, self._service.find_rulebook).rulebook
        if not rulebook.manual_entry:
            raise RulesForbid(
                f"{rulebook.id} has no dice entered by hand; the {rulebook.referral} decides the round"
                f" (clause {rulebook.referral_clause})"
            )

    def _is_mine(self, proposal: ProposalView) -> bool:
        return self._person.name.casefold() == proposal.proposed_by.casefold()

    def _require_second(self, proposal: ProposalView) -> None:
        """Raise NotAllowed unless this person may stand by the proposal beside the one who made it."""
        if self._person.program or self._is_mine(proposal):
            raise NotAllowed("it takes a second person: not the one who proposed it, and no program")
        if proposal.deed == MANUAL:
            self._person.require(Deed.RESOLVE)

    async def _carried_out(self, proposal: ProposalView) -> list[RoundView]:
        """Do it. What is refused for good ends the proposal, and the log says so; what may be done later
        leaves it."""
        try:
            self._require_proposer(proposal)
            await self._carry_out(proposal, self._desk(proposal), self._person.name)
        except LATER:
            raise
        except Exception as refused:
            await self._log_proposal("refuse-proposal", proposal, refused=str(refused))
            self._service.proposals.done(proposal.id)
            raise
        running = self._service.table(proposal.table)
        changed = proposal.affected or (proposal.round,)
        return [self._shown(running, bytes.fromhex(each)) for each in changed]

    def _require_proposer(self, proposal: ProposalView) -> None:
        """Raise NotAllowed when who proposed it may not any more."""
        account = self._service.accounts.find(proposal.proposed_by)
        if account and (account.closed or not may(account.role, _PROPOSED_UNDER[proposal.deed])):
            raise NotAllowed(f"{proposal.proposed_by} may not propose it any more: propose it anew")

    def _desk(self, proposal: ProposalView) -> Desk | CardsDesk:
        return self._service.table(proposal.table).table.desk

    async def _carry_out(self, proposal: ProposalView, desk: Desk | CardsDesk, second: str) -> None:
        round_id, faces = bytes.fromhex(proposal.round), proposal.faces
        by = self._playing.by(**_told(proposal), proposed_by=proposal.proposed_by)
        people = (proposal.proposed_by, second)
        if faces is not None and isinstance(desk, CardsDesk) and proposal.deed == CARDS:
            await desk.correct_cards(round_id, faces, people, proposal.reason, by)
            return
        if proposal.evidence is None:
            decision = Decision.stated(*people, proposal.reason)
        else:
            decision = Decision(*people, proposal.reason, bytes.fromhex(proposal.evidence))
        decision = replace(decision, replaces=proposal.replaces)
        if isinstance(desk, Desk) and proposal.deed == AFFECTED:
            await desk.void_affected([bytes.fromhex(each) for each in proposal.affected], decision, by)
            return
        if faces is None:
            raise Asked("the proposal has no faces")
        work = desk.correct if proposal.deed == CORRECTION else desk.settle_referred
        await work(round_id, faces, decision, by)

    def _shown(self, running: RunningTable | RunningCards, round_id: bytes) -> RoundView:
        return self._playing.shown(running.round(round_id))

    async def _add(
        self,
        running: RunningTable | RunningCards,
        deed: str,
        round_id: bytes,
        case: Case,
        affected: tuple[str, ...] = (),
    ) -> ProposalView:
        require_reason(case.reason)
        evidence = self._evidence(running, deed, round_id, case)
        now_ms = self._service.clock.wall_ms()
        proposal = ProposalView(
            id=self._service.new_id().hex(),
            table=running.name,
            round=round_id.hex(),
            deed=deed,
            faces=case.faces,
            reason=case.reason,
            evidence=evidence,
            proposed_by=self._person.name,
            proposed_ms=now_ms,
            lapses_ms=now_ms + round(1000 * self._service.proposals.lapse_s),
            affected=affected,
            replaces=self._standing(affected or (round_id.hex(),)),
        )
        self._service.proposals.add(proposal)
        try:
            await self._carry_out(proposal, self._desk(proposal).rehearsal(), SOMEBODY)
            await self._log_proposal("propose", proposal)
        except BaseException:
            self._service.proposals.done(proposal.id)  # what can never be done, or is not in the log
            raise
        return proposal

    def _standing(self, rounds: tuple[str, ...]) -> tuple[int, ...]:
        """Entries of the settlements that stand for rounds."""
        made = [self._service.books.settlement(bytes.fromhex(each)) for each in rounds]
        return tuple(each.entry for each in made if each)

    def _evidence(
        self, running: RunningTable | RunningCards, deed: str, round_id: bytes, case: Case
    ) -> str | None:
        """The SHA-256 of a picture that a record of the round names, or for affected rounds one of any round
        with these dice; None at a table of cards, where no camera looks. Raises EvidenceUnknown,
        EvidenceMissing."""
        if isinstance(running, RunningCards):
            if case.evidence is not None:
                raise EvidenceUnknown("no camera sees cards: give no evidence; the reason you write is it")
            return None
        if case.evidence is None:
            return self._service.frames_of(round_id).hex()
        rounds = [round_id]
        if isinstance(desk := running.table.desk, Desk) and deed == AFFECTED:
            rounds = [each.id for each in desk.rounds_with_these_dice()]
        if not any(self._service.names_frames(each, case.evidence) for each in reversed(rounds)):
            raise EvidenceUnknown(
                "no record here names a picture of that digest; without one, the round's own frames are it"
            )
        return case.evidence

    async def _log_proposal(self, action: str, proposal: ProposalView, **more: object) -> None:
        told = {**_told(proposal), "round": proposal.round, "affected": proposal.affected, **more}
        await self._service.log(proposal.table, self._playing.by(**told), action)
        self._service.tell("proposals-changed", proposal.table)

    def _at(self, deed: Deed, table: str, round_id: str) -> tuple[RunningTable | RunningCards, ledger.Round]:
        self._person.require(deed)
        running = self._service.table(table)
        return running, running.round(round_bytes(round_id))


def _told(proposal: ProposalView) -> dict[str, object]:
    """A proposal as the access log has it."""
    return {
        "proposal": proposal.id,
        "deed": proposal.deed,
        "faces": proposal.faces,
        "reason": proposal.reason,
        "evidence": proposal.evidence,
    }


def _require_referred(running: RunningTable | RunningCards, fact: str) -> None:
    rulebook = running.settings.terms.rulebook
    if rulebook.ruling(fact).action != "refer":
        referred = [each.fact for each in rulebook.irregularities.values() if each.action == "refer"]
        raise RulesForbid(
            f"{rulebook.id} decides {fact} itself (clause {rulebook.ruling(fact).clause});"
            f" it refers {', '.join(referred)}"
        )
