"""Whether a table may rely on its device: what is proved against it, and what it claims and does not show.

Greetings, statuses and replies are not signed. So what they say against the device holds only while it goes
on saying so; what its records prove holds for good.
"""

from typing import Any, NamedTuple

from host_tools import link

_FORKED_S = 5.0  # how long a device with a memory fault may keep its records to itself
_WITHHELD_S = 60.0  # how long any device may claim records of which none comes
_BELIED_S = 5.0  # how long statuses must contradict a reply: a delayed one may be older than it


class _Moment(NamedTuple):
    """Of a status, in seconds: by this clock and by the device's."""

    heard: float
    sent: float


class Trust:
    """What speaks against one device. `stored`: whether the ledger's store takes what comes."""

    def __init__(self) -> None:
        self.stored = True
        self._proved = ""
        self._greeted_behind = ""  # what a greeting said, which may have been on its way for long
        self._behind = ""
        self._withheld = ""
        self._dropped = ""  # why a record was not taken
        self._missing: tuple[int, float] | None = None  # the ledger's head, and since when more is claimed
        self._complete: tuple[_Moment, _Moment] | None = None  # since when, and until when, no more was

    @property
    def reason(self) -> str:
        """Why the device is not to be believed; empty when nothing is wrong."""
        return self._proved or self._behind or self._withheld

    def on_link(self, event: link.Event) -> None:
        """Take what befell the connection."""
        if event.kind in ("connected", "restarted"):
            self._greeted_behind = self._behind = self._withheld = self._dropped = ""
            self._missing = self._complete = None
        elif event.kind == "renewed":
            self._complete = None
        elif event.kind == "behind":
            self._greeted_behind = event.reason
        elif event.kind == "doubted":
            self._dropped = event.reason
        elif event.kind == "quarantined":
            self._proved = event.reason

    def on_status(self, status: dict[str, Any], head: int, now: float) -> None:
        """Take a status heard `now` (seconds) while the ledger's newest record of the device is `head`."""
        if head > status["last"]:
            self._behind = self._greeted_behind
        else:
            self._greeted_behind = self._behind = ""
        if head >= status["last"]:
            heard = _Moment(now, status["uptime_ms"] / 1000)
            since = self._complete[0] if self._complete else heard
            self._missing, self._complete, self._withheld, self._dropped = None, (since, heard), "", ""
            return
        self._complete = None
        if self._missing is None or self._missing[0] != head or not self.stored:
            self._missing, self._withheld = (head, now), ""
            return
        forked = "memory-fault" in status["faults"]
        if now - self._missing[1] >= (_FORKED_S if forked else _WITHHELD_S):
            self._withheld = _withheld(forked, status["last"], head, self._dropped)

    def on_reply(self) -> None:
        """A reply has come: only what is heard from now on speaks for or against it."""
        self._complete = None

    @property
    def belies(self) -> bool:
        """Whether the statuses since the reply say, and go on saying, that no record is on its way.

        Both clocks must have gone on: a status may be older than the reply though it came later."""
        if self._complete is None:
            return False
        since, until = self._complete
        return min(until.heard - since.heard, until.sent - since.sent) >= _BELIED_S


def _withheld(forked: bool, last: int, head: int, dropped: str) -> str:
    if forked:
        return (
            f"memory-fault: the device's records do not follow record {head} of this ledger;"
            " keep both as evidence and take the device out of service"
        )
    cause = f" ({dropped})" if dropped else ""
    return (
        f"the device claims to have records up to {last} and none came after {head} for {_WITHHELD_S:g} s"
        f"{cause}: look at the line and at its journal, and restart it"
    )
