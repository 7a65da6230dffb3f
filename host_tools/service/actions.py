"""Deeds that take two people: one proposes, another one confirms before it lapses, and then it is done once.

Proposals live in memory: a restart of the service drops them and nothing was done. That they were made,
confirmed and withdrawn is in the access log all the same.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from host_tools.service.errors import NotNow, ProposalUnknown
from host_tools.service.views import ProposalView

# Deeds of two people.
RESOLUTION, MANUAL, CORRECTION, AFFECTED = "resolution", "manual-result", "correction", "void-affected"
CARDS = "card-correction"

MOST = 100  # that wait at the same time; nobody can fill the memory


@dataclass(slots=True)
class _Waiting:
    view: ProposalView
    lapses_at: float
    taken: bool = False


class Proposals:
    """What waits for a second person. `now` is seconds of a clock that never goes back."""

    def __init__(self, now: Callable[[], float], lapse_s: float) -> None:
        self._now = now
        self._lapse_s = lapse_s
        self._waiting: dict[str, _Waiting] = {}

    @property
    def lapse_s(self) -> float:
        """How long a proposal waits."""
        return self._lapse_s

    def add(self, proposal: ProposalView) -> ProposalView:
        """Have a proposal wait. Raises NotNow, also while the same deed waits for one of its rounds: of two
        that are both confirmed, the second would undo the first, and nobody would have seen it."""
        waiting = self.waiting()
        if len(waiting) >= MOST:
            raise NotNow(f"{MOST} proposals wait already; confirm or withdraw some")
        for round_id in _rounds(proposal):
            self.require_none(proposal.deed, round_id)
        self._waiting[proposal.id] = _Waiting(proposal, self._now() + self._lapse_s)
        return proposal

    def waiting(self) -> list[ProposalView]:
        """All that have not lapsed, oldest first."""
        now = self._now()
        self._waiting = {id: each for id, each in self._waiting.items() if each.taken or each.lapses_at > now}
        return [each.view for each in self._waiting.values()]

    def find(self, proposal_id: str) -> ProposalView:
        """The proposal of that id. Raises ProposalUnknown."""
        return self._find(proposal_id).view

    def require_none(self, deed: str, round_id: str) -> None:
        """Raise NotNow while such a deed is proposed for a round."""
        if any(each.deed == deed and round_id in _rounds(each) for each in self.waiting()):
            raise NotNow(f"a {deed} of this round waits for its second person; confirm or withdraw it first")

    @contextmanager
    def held(self, proposal_id: str) -> Iterator[ProposalView]:
        """The proposal, for one person to confirm or end; nobody else can meanwhile, and it does not lapse.
        It has ended afterwards; after an error it waits again, unless it is `done`. Raises ProposalUnknown,
        NotNow."""
        found = self._find(proposal_id)
        if found.taken:
            raise NotNow("it is being confirmed or withdrawn already")
        found.taken = True
        try:
            yield found.view
        except BaseException:
            found.taken = False
            raise
        self.done(proposal_id)

    def done(self, proposal_id: str) -> None:
        """It has ended: it was carried out, withdrawn, or can never be."""
        self._waiting.pop(proposal_id, None)

    def _find(self, proposal_id: str) -> _Waiting:
        self.waiting()
        if proposal_id not in self._waiting:
            raise ProposalUnknown("no such proposal waits; it was confirmed, withdrawn or has lapsed")
        return self._waiting[proposal_id]


def _rounds(proposal: ProposalView) -> tuple[str, ...]:
    """The rounds that it would change."""
    return proposal.affected or (proposal.round,)
