"""Every order of events: the round's state space explored until nothing new is found.

Not to a depth but to closure (4,236 states, closed at depth 19): from power-on, each event of the alphabet is
applied in each reachable state, with two round ids, both play modes, up to four strokes, and time that stands
still or passes a deadline. Beside the state walks an onlooker that knows only events and effects; the
invariants are asserted on what it has seen.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from tumbler import round as play
from tumbler.round import COVERED, OPEN

ROUNDS = (b"1" * 16, b"2" * 16)
FRAMES = b"f" * 32


class Limits:
    min_tumbles = 3
    drive_strokes = 3
    max_tumbles = 4
    tumble_ms = 5000
    stroke_gap_ms = 600
    settle_ms = 6000
    read_ms = 15000
    agree_scenes = 2
    refuse_scenes = 2


EVENTS = (
    *[("open", round_id, mode) for round_id in ROUNDS for mode in (COVERED, OPEN)],
    *[(name, ROUNDS[0]) for name in ("tumble", "no-more-bets", "void-round")],
    *[(name, ROUNDS[1]) for name in ("tumble", "no-more-bets", "void-round")],
    ("clear-fault", "drive-fault", False),
    ("clear-fault", "tilted", False),
    ("clear-fault", "tilted", True),
    ("clear-fault", "die-damaged", False),
    ("stroke", 15000, 500),
    ("weak-stroke", 100, 10),
    ("rest",),
    ("moving",),
    *[("channel", name, level) for name in ("cover-closed", "cover-open") for level in (False, True)],
    ("fault", "tilted", ""),
    ("host-lost",),
    ("read", (1, 2, 3), (0, 0, 0), (9, 9, 9), FRAMES),
    ("read", (6, 6, 6), (0, 0, 0), (9, 9, 9), FRAMES),
    ("refused", "not-flat", "", FRAMES),
    ("refused", "die-damaged", "", FRAMES),
)


@dataclass(frozen=True)
class Seen:
    """What an onlooker knows of the open round, from events and effects alone."""

    round: bytes | None = None
    mode: int = OPEN
    closed: bool = False
    driven: bool = False
    strong: int = 0
    stopped: bool = False  # the drive was stopped: the tumble is over
    still: bool = False  # at rest since the last stroke
    uncovered: bool = False
    scenes: tuple = ()  # faces of the scenes in a row without movement
    faulted: frozenset = frozenset()
    last: bytes | None = None


def watch(seen: Seen, state: play.State, event: tuple, effects: list) -> Seen:
    """Assert the invariants of one step and return what the onlooker knows after it."""
    name = event[0]
    if name in ("stroke", "weak-stroke"):
        seen = replace(seen, still=False, scenes=())
        if name == "stroke" and seen.driven and not seen.stopped:
            seen = replace(seen, strong=seen.strong + 1)
    elif name == "moving":
        seen = replace(seen, still=False, scenes=())
    elif name == "rest":
        seen = replace(seen, still=True)
    elif name == "channel" and event[1] == "cover-open":
        seen = replace(seen, uncovered=event[2])
    elif name in ("read", "refused") and play.wants_scene(state):
        seen = replace(seen, scenes=(*seen.scenes, event[1])[-2:])
    for effect in effects:
        seen = _effect(seen, effect)
    return seen


def _effect(seen: Seen, effect: tuple) -> Seen:
    if effect[0] == "drive":
        assert seen.round is not None
        assert not seen.driven, "a round is tumbled once"
        assert not seen.faulted, "no drive under a fault"
        assert seen.mode == COVERED or seen.closed, "open play tumbles after no more bets"
        return replace(seen, driven=True, still=False)
    if effect[0] == "stop-drive":
        return replace(seen, stopped=True)
    if effect[0] != "record":
        return seen
    _, kind, values = effect
    if kind == "round-opened":
        assert seen.round is None, "one round at a time"
        assert not seen.faulted, "no round under a fault"
        assert values["round"] != seen.last, "a round is played once"
        return Seen(
            round=values["round"],
            mode=values["mode"],
            still=seen.still,
            uncovered=seen.uncovered,
            faulted=seen.faulted,
        )
    if kind == "no-more-bets":
        assert values["round"] == seen.round
        assert not seen.closed
        return replace(seen, closed=True)
    if kind in ("reading", "void"):
        assert values["round"] == seen.round, "a round ends once, and only an open one"
        if kind == "reading":
            _assert_established(seen, values)
        return Seen(uncovered=seen.uncovered, still=seen.still, faulted=seen.faulted, last=seen.round)
    if kind == "fault":
        return replace(seen, faulted=seen.faulted | {values["fact"]})
    if kind == "fault-cleared":
        return replace(seen, faulted=seen.faulted - {values["fact"]})
    return seen


def _assert_established(seen: Seen, values: dict) -> None:
    assert seen.closed, "a result only after no more bets"
    assert seen.strong >= 3, "a result only after three tumbles"
    assert seen.still, "a result only at rest"
    assert seen.mode == OPEN or seen.uncovered, "covered dice cannot be read"
    assert len(seen.scenes) == 2, "two scenes"
    assert set(seen.scenes) == {values["faces"]}, "consecutive scenes agree with the result"
    assert len(values["strokes"]) == seen.strong


def check_state(seen: Seen, state: play.State) -> None:
    assert state.round == seen.round
    assert frozenset(state.faults) == seen.faulted
    if play.wants_scene(state):
        assert seen.closed, "no frame before no more bets"
        assert seen.strong >= 3
        assert seen.still
        assert seen.mode == OPEN or seen.uncovered


def step(state: play.State, event: tuple, now: int) -> tuple[play.State, list]:
    stepped: Any = play.advance(state, event, now, Limits)
    return stepped


def successors(state: play.State) -> Iterator[tuple[tuple, play.State, list]]:
    """(event, next state, effects); time is relative: deadlines are kept as what is left of them."""
    for event in EVENTS:
        yield event, *step(state, event, 0)
    due = [each for each in (state.deadline, state.coasting) if each is not None]
    if due:
        at = min(due)
        before, nothing = step(state, ("tick",), at - 1)
        assert (before, nothing) == (state, []), "nothing happens before a deadline"
        after, effects = step(state, ("tick",), at)
        yield ("tick",), later(after, at), effects


def later(state: play.State, passed: int) -> play.State:
    """The state `passed` ms on; what a deadline was that is past does not matter, only that it is."""
    fields: dict[str, Any] = dict(zip(play.State._fields, state, strict=True))
    for name in ("deadline", "coasting"):
        if fields[name] is not None:
            fields[name] = max(0, fields[name] - passed)
    return play.State(**fields)


def test_invariants_hold_in_every_reachable_state() -> None:
    start = (play.initial(), Seen())
    known = {start}
    frontier = [start]
    depth = 0
    ends = set()
    while frontier:
        found = []
        for state, seen in frontier:
            for event, following, effects in successors(state):
                watched = watch(seen, state, event, effects)
                check_state(watched, following)
                ends.update((effect[1], effect[2].get("fact")) for effect in effects if effect[0] == "record")
                node = (following, watched)
                if node not in known:
                    known.add(node)
                    found.append(node)
        frontier = found
        depth += 1
    print(f"{len(known)} states, closed at depth {depth}")
    assert len(known) > 2000, "the exploration died early"
    facts = {fact for kind, fact in ends if kind == "void"}
    assert {"too-few-tumbles", "exposed-early", "activated-early", "not-flat", "die-damaged"} <= facts
    assert {"drive-fault", "host-lost", "host-void", "unreadable", "tilted"} <= facts
    assert ("reading", None) in ends


def test_advance_is_pure() -> None:
    state, _ = step(play.initial(), ("open", ROUNDS[0], OPEN), 0)
    for event in EVENTS:
        assert step(state, event, 5) == step(state, event, 5)
