"""The door for those who decide: void, refer, the end of referred and held rounds, corrections, dice by hand.

What takes two people is proposed here and done when another person confirms it. The money itself is decided
by the rulebook in the bridge; here the right people ask for it, for a reason, with a picture.
"""

from dataclasses import dataclass

from host_tools import ledger
from host_tools.bridge.deciding import Decision
from host_tools.bridge.desk import Desk
from host_tools.bridge.terms import terms_of
from host_tools.cards.desk import CardsDesk
from host_tools.ledger import LedgerUnavailable
from host_tools.people import Deed, Person
from host_tools.service.errors import Asked, NotNow, RulesForbid
from host_tools.service.playing import Playing, require_reason, round_bytes
from host_tools.service.running import RunningTable
from host_tools.service.running_cards import RunningCards
from host_tools.service.service import Service
from host_tools.service.views import ProposalView, RoundView

DOUBTED = "referred-by-people"  # the fact of a reading that people did not believe
RESOLUTION, MANUAL, CORRECTION, AFFECTED = "resolution", "manual-result", "correction", "void-affected"
CARDS = "card-correction"

# Whose proposals they are. One of two people who end a referred round is a shift manager: who proposes it,
# or, where the dealer enters the dice, who confirms it.
_PROPOSED_UNDER = {
    RESOLUTION: Deed.RESOLVE,
    MANUAL: Deed.ENTER,
    CORRECTION: Deed.DECIDE,
    AFFECTED: Deed.DECIDE,
}


@dataclass(frozen=True, slots=True)
class Case:
    """What is proposed for a round: the dice as people saw them, why, and the SHA-256 of the picture in hex
    (None: the frames that the tumbler's own record of the round names)."""

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
        found = next((each for each in await self.proposals() if each.id == proposal_id), None)
        if found is None or found.proposed_by != self._person.name:
            self._person.require(Deed.CONFIRM)
        withdrawn = self._service.proposals.withdraw(proposal_id)
        await self._log_proposal("withdraw-proposal", withdrawn)
        return withdrawn

    async def confirm(self, proposal_id: str) -> list[RoundView]:
        """Be the second person: it is done now. Returns the rounds it changed."""
        self._person.require(Deed.CONFIRM)
        proposals = self._service.proposals
        if proposals.find(proposal_id).deed == MANUAL:
            self._person.require(Deed.RESOLVE)
        proposal = proposals.take(proposal_id, self._person)
        try:
            views = await self._carry_out(proposal)
        except LedgerUnavailable:
            proposals.give_back(proposal_id)
            raise
        except BaseException:
            proposals.done(proposal_id)
            raise
        proposals.done(proposal_id)
        self._service.tell("proposals-changed", proposal.table)
        return views

    # --- inside ---

    async def _carry_out(self, proposal: ProposalView) -> list[RoundView]:
        running = self._service.table(proposal.table)
        desk, round_id = running.table.desk, bytes.fromhex(proposal.round)
        by = self._playing.by(**_told(proposal), proposed_by=proposal.proposed_by)
        faces = proposal.faces
        if faces is not None and isinstance(desk, CardsDesk) and proposal.deed == CARDS:
            people = (proposal.proposed_by, self._person.name)
            await desk.correct_cards(round_id, faces, people, proposal.reason, by)
            return [self._shown(running, round_id)]
        evidence = bytes.fromhex(proposal.evidence or "")
        decision = Decision(proposal.proposed_by, self._person.name, proposal.reason, evidence)
        if isinstance(desk, Desk) and proposal.deed == AFFECTED:
            affected = [bytes.fromhex(each) for each in proposal.affected]
            await desk.void_affected(affected, decision, by)
            return [self._shown(running, each) for each in affected]
        if faces is None:
            raise Asked("the proposal has no faces")
        work = desk.correct if proposal.deed == CORRECTION else desk.settle_referred
        await work(round_id, faces, decision, by)
        return [self._shown(running, round_id)]

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
        evidence = self._evidence(deed, round_id, case)
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
        )
        self._service.proposals.add(proposal)
        try:
            await self._log_proposal("propose", proposal)
        except BaseException:
            self._service.proposals.done(proposal.id)  # what is not in the log was not proposed
            raise
        return proposal

    def _evidence(self, deed: str, round_id: bytes, case: Case) -> str | None:
        """The SHA-256 of the picture; None for cards that lie on the table and have not counted yet."""
        if deed == CARDS:
            return None
        evidence = case.evidence or self._service.frames_of(round_id).hex()
        if len(evidence) != 64:
            raise Asked("the evidence is the SHA-256 of a picture, 64 hex digits")
        return evidence

    async def _log_proposal(self, action: str, proposal: ProposalView) -> None:
        told = {**_told(proposal), "round": proposal.round, "affected": proposal.affected}
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
