"""The order of facts: what the signed records of one round prove together, and when they prove nothing.

Pure: the same records always give the same standing. A round whose records contradict its play mode is
broken, which means referred to people, never settled.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from tumbler.definitions import CHANNELS, FACTS, PLAY_MODES, name_of


class RoundFact(Protocol):
    """What the fold reads of a record: kind, fields by name, and the boot and sequence it was signed in."""

    @property
    def kind(self) -> str: ...
    @property
    def fields(self) -> Mapping[str, Any]: ...
    @property
    def boot(self) -> int: ...
    @property
    def sequence(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Standing:
    """What a round has come to. `state` is one of

    `opening`, `opened`, `betting` (wagers may be placed), `closed` (no more bets): the round goes on;
    `read`: `faces` are established; `no-result`: `fact` ended it; `broken`: `fact` says how the records
    contradict each other. The last three are final: later records change nothing.
    `sequence` is the record that brought it here, 0 while opening; `tumbled`: the strokes are done.
    """

    state: str = "opening"
    sequence: int = 0
    boot: int = 0
    tumbled: bool = False
    disturbed: str = ""
    fact: str = ""
    faces: tuple[int, int, int] | None = None

    @property
    def is_final(self) -> bool:
        """Whether the round needs a settlement, a void or a referral now."""
        return self.state in ("read", "no-result", "broken")


def standing(mode: str, minimum_tumbles: int, records: Sequence[RoundFact]) -> Standing:
    """Fold a round's records, in the order of the device's chain. `mode` is the play mode the host asked for;
    fewer than `minimum_tumbles` strokes end the round as `too-few-tumbles` (as MBS 5.1, RWS 5.3.1)."""
    now = Standing()
    for record in records:
        if now.is_final:
            break
        now = _after(now, mode, minimum_tumbles, record)
    return now


def _after(now: Standing, mode: str, minimum_tumbles: int, record: RoundFact) -> Standing:
    step = {
        "round-opened": _opened,
        "tumble": _tumbled,
        "no-more-bets": _closed,
        "reading": _read,
        "void": _void,
        "fault": _fault,
        "enclosure": _enclosure,
    }.get(record.kind)
    if step is None:
        return now
    after = step(now, mode, minimum_tumbles, record)
    return after if after is now else replace(after, sequence=record.sequence)


def _broken(now: Standing, why: str) -> Standing:
    return replace(now, state="broken", fact=why)


def _opened(now: Standing, mode: str, _minimum: int, record: RoundFact) -> Standing:
    if now.state != "opening":
        return _broken(now, "opened-twice")
    if record.fields["mode"] != PLAY_MODES[mode]:
        return _broken(now, "opened-in-another-play-mode")
    return replace(now, state="betting" if mode == "open" else "opened", boot=record.boot)


def _tumbled(now: Standing, mode: str, minimum: int, record: RoundFact) -> Standing:
    before = "opened" if mode == "covered" else "closed"
    if now.tumbled:
        return _broken(now, "tumbled-twice")
    if now.state != before or record.boot != now.boot:
        return _broken(now, "tumbled-out-of-order")
    if len(record.fields["strokes"]) < minimum:
        return replace(now, state="no-result", fact="too-few-tumbles")
    return replace(now, state="betting" if mode == "covered" else "closed", tumbled=True)


def _closed(now: Standing, _mode: str, _minimum: int, record: RoundFact) -> Standing:
    if now.state != "betting" or record.boot != now.boot:
        return _broken(now, "bets-closed-out-of-order")
    return replace(now, state="closed")


def _read(now: Standing, _mode: str, _minimum: int, record: RoundFact) -> Standing:
    if now.state != "closed" or not now.tumbled or record.boot != now.boot:
        return _broken(now, "read-out-of-order")
    if now.disturbed:
        return _broken(now, now.disturbed)
    faces = tuple(record.fields["faces"])
    if len(faces) != 3 or not all(type(face) is int and 1 <= face <= 6 for face in faces):
        return _broken(now, "impossible-faces")
    return replace(now, state="read", faces=faces)


def _void(now: Standing, _mode: str, _minimum: int, record: RoundFact) -> Standing:
    fact = name_of(FACTS, record.fields["fact"])
    return replace(now, state="no-result", fact=fact) if fact else _broken(now, "unknown-fact")


def _fault(now: Standing, _mode: str, _minimum: int, _record: RoundFact) -> Standing:
    """A void follows a fault in a round; a reading after it would be a device that contradicts itself."""
    return replace(now, disturbed="read-after-a-fault")


def _enclosure(now: Standing, mode: str, _minimum: int, record: RoundFact) -> Standing:
    exposed = record.fields["channel"] == CHANNELS["cover-open"] and record.fields["level"]
    if mode == "covered" and now.state in ("opened", "betting") and exposed:
        return replace(now, disturbed="read-after-early-exposure")
    return now
