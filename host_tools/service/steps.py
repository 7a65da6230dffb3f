"""What comes next at a table, and what is said aloud: pure, from the round and the tumbler's word."""

from collections.abc import Mapping, Sequence
from typing import Any

# Keys of the console's texts, in the order of a round; what cannot go on comes first.
STEPS = (
    "recover",  # the service finds out what an earlier run left
    "quarantined",  # the tumbler is not believed: take it out of service
    "connect",  # the tumbler is away: check its power and its line
    "clear-fault",  # put right what the fault says, then have it cleared
    "check-evidence",  # the reading waits until its picture was looked at
    "wait",  # the shortest time between rounds is not over, or the service stops
    "close-cover",
    "open-round",
    "opening",  # the tumbler is told
    "tumble",
    "tumbling",
    "place-bets",
    "closing",  # no more bets: the tumbler is told
    "uncover",
    "reading",
)
# At a table of cards, beside those that it shares.
CARD_STEPS = (
    "load-shoe",  # there is none, or it cannot be played on with
    "draw-cards",
    "announce",  # three cards are entered and shown; they count when the result is announced
)

# What a person puts right before a fault can be cleared; the tumbler checks again by itself.
REMEDIES = {
    "die-damaged": "change the dice and register the new set",
    "dome-broken": "replace the dome",
    "dome-open": "close the dome",
    "door-open": "close and lock the door",
    "tilted": "level the tumbler",
    "drive-fault": "free the platform and check the drive",
    "sensor-fault": "check camera, lamps and stroke sensor",
    "memory-fault": "keep the device as evidence and take it out of service",
    "program-fault": "restart the device; if it comes again, take it out of service",
}

PLACE_YOUR_BETS = "Place your bets"
NO_MORE_BETS = "No more bets"


def next_step(  # noqa: PLR0911, PLR0913 - one answer a state, and what it hangs on
    *,
    play_mode: str,
    recovered: bool,
    quarantined: bool,
    status: Mapping[str, Any] | None,
    latest: tuple[str, str] | None,
    waiting: bool,
) -> str:
    """One of STEPS. `status`: the connected tumbler's, None while it is away; `latest`: mode and state of the
    table's newest round; `play_mode`: the table's now; `waiting`: the next round may not open yet."""
    if quarantined:
        return "quarantined"
    if status is None:
        return "connect"
    if not recovered:
        return "recover"
    mode, state = latest or ("", "")
    if state == "held":
        return "check-evidence"
    if state in ("opening", "opened", "betting", "closing", "closed"):
        return _in_round(mode, state, status["state"])
    if status["faults"]:
        return "clear-fault"
    if waiting:
        return "wait"
    return "open-round" if play_mode == "open" or status.get("covered", True) else "close-cover"


def _in_round(mode: str, state: str, device: str) -> str:
    if device in ("tumbling", "settling"):
        return "tumbling"
    if device == "reading":
        return "reading"
    if state == "closed":
        return "uncover" if mode == "covered" else "tumble"
    return {"opening": "opening", "opened": "tumble", "betting": "place-bets", "closing": "closing"}[state]


def announcement(latest: tuple[str, str] | None, faces: Sequence[int] | None) -> str:
    """What the dealer announces now, in the rulebooks' words; empty when nothing is."""
    state = latest[1] if latest else ""
    if state == "betting":
        return PLACE_YOUR_BETS
    if state in ("closing", "closed"):
        return NO_MORE_BETS
    return " ".join(map(str, faces)) if state == "settled" and faces else ""


def remedy_of(fact: str) -> str:
    """What to put right for a fault."""
    return REMEDIES.get(fact, "ask a technician")
