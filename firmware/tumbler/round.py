"""A round as a pure state machine: state, event and time in; new state and effects out.

Covered play: open, tumble (cover closed), rest, no more bets, cover opened, read.
Open play: open, no more bets, tumble, rest, read.

Nothing here reads a clock, touches hardware or keeps anything between calls. Clauses in comments are those of
the MBS v4 (covered) and RWS Open Cover (open) rules; the device names the facts, the host's rulebook decides.

Events (tuples, name first):
  ("open", round, mode) ("tumble", round) ("no-more-bets", round) ("void-round", round)    commands
  ("clear-fault", fact, still_present)
  ("stroke", width_us, speed) ("weak-stroke", width_us, speed) ("rest",) ("moving",)       sensors
  ("channel", name, level) ("fault", fact, detail) ("host-lost",) ("tick",)
  ("read", faces, tilts, confidences, frames) ("refused", fact, detail, frames)            one scene's reading
Effects (tuples, name first), to be carried out in order:
  ("record", kind, {field: value}) ("drive", count) ("stop-drive",) ("release-cover", bool)
  ("accept",) ("refuse", status, detail)                                                   answer to a command
"""

from collections import namedtuple

from tumbler.definitions import LATCHING_FACTS, PLAY_MODES

COVERED = PLAY_MODES["covered"]
OPEN = PLAY_MODES["open"]

_FIELDS = (
    "phase",  # a name of DEVICE_STATES, but "faulted", which is idle with faults
    "round",  # bytes:16, or None when idle
    "mode",
    "last_round",  # the round before, whose id cannot be opened again
    "strokes",  # tuple of (width_us, speed) that count as tumbles
    "weak",  # pulses that do not
    "tumbled",  # a tumble record exists: no second tumble in this round
    "at_rest",
    "cover_closed",
    "cover_open",
    "deadline",  # of the phase, or None
    "reading",  # the newest scene's reading, or None
    "agreeing",  # how many scenes in a row gave it
    "faults",  # latched, as a sorted tuple of names
    "coasting",  # until then a stroke may be the last of a drive that was stopped in mid-tumble, or None
)
State = namedtuple("State", _FIELDS)


def initial(faults=(), last_round=None):
    """The state after power-on: no round, the latched `faults` the journal proves."""
    none_seen = ((), 0, False, False)  # strokes, weak, tumbled, at_rest
    return State("idle", None, OPEN, last_round, *none_seen, False, False, None, None, 0, tuple(faults), None)


def _with(state, **changes):
    return State(*[changes.get(name, getattr(state, name)) for name in _FIELDS])


def device_state(state):
    """The name of DEVICE_STATES to show for `state`."""
    return "faulted" if state.phase == "idle" and state.faults else state.phase


def in_round(state):
    """True while a round is open."""
    return state.round is not None


def is_covered(state):
    """True while both channels of the cover say that it is closed."""
    return state.cover_closed and not state.cover_open


def bets_closed(state):
    """True once no-more-bets is in the journal for the open round."""
    if state.mode == OPEN:
        return state.phase in ("closed", "tumbling", "settling", "reading")
    return state.phase in ("closed", "reading")


def wants_scene(state):
    """True when frames may be captured now.

    Only then: bets closed, dice at rest, and in covered play the cover opened: nobody knows the result early.
    """
    return state.phase == "reading" and state.at_rest and (state.mode == OPEN or state.cover_open)


def advance(state, event, now, limits):
    """Apply `event` at `now` (ms since boot).

    `limits`: min_tumbles, max_tumbles, drive_strokes, tumble_ms, stroke_gap_ms, settle_ms, read_ms,
    agree_scenes, refuse_scenes. Returns (state, effects).
    """
    following, effects = _HANDLERS[event[0]](state, event, now, limits)
    if state.phase == "tumbling" and following.phase == "idle":
        # A stroke that the drive had begun comes all the same.
        following = _with(following, coasting=now + limits.stroke_gap_ms)
    # The drive stops before any record: journalling may keep interrupts waiting, those of its timer too.
    stops = [effect for effect in effects if effect[0] == "stop-drive"]
    effects = stops + [effect for effect in effects if effect[0] != "stop-drive"]
    return following, effects


# --- commands -----------------------------------------------------------------------------------------------


def _refuse(state, status, detail):
    return state, [("refuse", status, detail)]


def _open(state, event, now, limits):
    _, round_id, mode = event
    if state.phase != "idle":
        return _refuse(state, "wrong-state", "a round is open: conclude or void it first")
    if state.faults:
        return _refuse(state, "faulted", state.faults[0])
    if round_id == state.last_round:
        return _refuse(state, "wrong-round", "this round has been played: open one with a new id")
    if mode == COVERED and not is_covered(state):
        return _refuse(state, "wrong-state", "the cover is not closed")
    opened = _with(
        state, phase="opened", round=round_id, mode=mode, strokes=(), weak=0, tumbled=False, deadline=None
    )
    return opened, [("record", "round-opened", {"round": round_id, "mode": mode}), ("accept",)]


def _wrong_round(state, event):
    """The refusal of a command that does not name the open round; None when it does."""
    if state.round is None:
        return _refuse(state, "wrong-state", "no round is open")
    if event[1] != state.round:
        return _refuse(state, "wrong-round", "another round is open")
    return None


def _tumble(state, event, now, limits):
    refusal = _wrong_round(state, event)
    if refusal:
        return refusal
    if state.tumbled:
        return _refuse(state, "wrong-state", "the round has been tumbled: void it to tumble again")
    if state.phase == "tumbling":
        return _refuse(state, "wrong-state", "the tumble is running")
    if state.mode == OPEN and state.phase != "closed":
        return _refuse(state, "wrong-state", "no more bets comes before the tumble")
    tumbling = _with(state, phase="tumbling", at_rest=False, deadline=now + limits.tumble_ms)
    return tumbling, [("accept",), ("drive", limits.drive_strokes)]


def _no_more_bets(state, event, now, limits):
    refusal = _wrong_round(state, event)
    if refusal:
        return refusal
    if bets_closed(state):
        return _refuse(state, "wrong-state", "bets are closed")
    if state.phase != ("concealed" if state.mode == COVERED else "opened"):
        return _refuse(state, "wrong-state", "the tumble is not finished")
    # How long the cover may then stay closed no rule says: the dice have fallen, nothing can change them, and
    # whoever voided by a clock might void an outcome that is about to be seen. The host sees "closed" and may
    # void; a person decides (MBS 6.1, RWS 5.10).
    effects = [("record", "no-more-bets", {"round": state.round}), ("accept",)]
    if state.mode == COVERED:
        effects.append(("release-cover", True))
    return _with(state, phase="closed"), effects


def _void_round(state, event, now, limits):
    refusal = _wrong_round(state, event)
    if refusal:
        return refusal
    state, effects = _void(state, "host-void", "")
    return state, effects + [("accept",)]


def _clear_fault(state, event, now, limits):
    _, fact, still_present = event
    if fact not in state.faults:
        return _refuse(state, "wrong-state", "this fault is not latched")
    if still_present:
        return _refuse(state, "still-present", fact)
    faults = tuple(name for name in state.faults if name != fact)
    return _with(state, faults=faults), [("record", "fault-cleared", {"fact": fact}), ("accept",)]


# --- how a round ends ---------------------------------------------------------------------------------------


def _end(state):
    """The state after a round, and the effects that make the machine safe."""
    ended = _with(
        state,
        phase="idle",
        round=None,
        last_round=state.round,
        strokes=(),
        weak=0,
        tumbled=False,
        deadline=None,
        reading=None,
        agreeing=0,
    )
    effects = []
    if state.phase == "tumbling":
        effects.append(("stop-drive",))
    if state.mode == COVERED:
        effects.append(("release-cover", False))
    return ended, effects


def _void(state, fact, detail, frames=None):
    values = {"round": state.round, "fact": fact}
    if detail:
        values["detail"] = detail
    if state.strokes:
        values["strokes"] = state.strokes
    if frames:
        values["frames"] = frames
    ended, effects = _end(state)
    return ended, [("record", "void", values)] + effects


def _latched(state, fact):
    return tuple(sorted(state.faults + (fact,)))


def _fault(state, event, now, limits):
    _, fact, detail = event
    effects = []
    if fact not in state.faults:
        values = {"fact": fact}
        if detail:
            values["detail"] = detail
        if in_round(state):
            values["round"] = state.round
        effects.append(("record", "fault", values))
        if fact in LATCHING_FACTS:
            state = _with(state, faults=_latched(state, fact))
    if in_round(state):
        # A memory or program fault is the device's own: the round ends as an interruption.
        void_fact = "power-interruption" if fact in ("memory-fault", "program-fault") else fact
        state, more = _void(state, void_fact, detail)
        effects += more
    return state, effects


def _host_lost(state, event, now, limits):
    # Closed bets conclude without the host: the reading waits in the journal (5.8.2, 5.9.1).
    if in_round(state) and not bets_closed(state):
        return _void(state, "host-lost", "")
    return state, []


# --- strokes and rest ---------------------------------------------------------------------------------------


def _stroke(state, event, now, limits):
    if state.phase == "tumbling":
        return _tumbling_stroke(state, event, now, limits)
    if state.coasting is not None and now < state.coasting:
        return state, []
    if state.phase == "opened" and state.mode == OPEN:
        return _void(state, "activated-early", "")  # RWS Open Cover 5.3.3
    return _fault(state, ("fault", "drive-fault", "stroke without a tumble command"), now, limits)


def _tumbling_stroke(state, event, now, limits):
    return _pulse(_with(state, strokes=state.strokes + ((event[1], event[2]),), at_rest=False), now, limits)


def _weak_stroke(state, event, now, limits):
    if state.phase == "tumbling":
        return _pulse(_with(state, weak=state.weak + 1, at_rest=False), now, limits)
    if state.tumbled:
        # Even a weak stroke may move dice that have come to rest.
        return _fault(state, ("fault", "drive-fault", "stroke after the tumble"), now, limits)
    return state, []


def _pulse(state, now, limits):
    """The tumble is over once the drive's strokes are seen and no other follows within a stroke's time."""
    seen = len(state.strokes) + state.weak
    if seen > limits.max_tumbles:
        return _fault(state, ("fault", "drive-fault", "more strokes than the maximum"), now, limits)
    if seen >= limits.drive_strokes:
        state = _with(state, deadline=now + limits.stroke_gap_ms)
    return state, []


def _tumble_done(state, now, limits):
    """All strokes seen, or their time is over: enough of them, or the round is void (5.1, 5.3.1)."""
    if len(state.strokes) < limits.min_tumbles:
        return _void(state, "too-few-tumbles", f"{state.weak} weak" if state.weak else "")
    effects = [("record", "tumble", {"round": state.round, "strokes": state.strokes}), ("stop-drive",)]
    state = _with(state, phase="settling", tumbled=True, deadline=now + limits.settle_ms)
    return (_settled(state, now, limits) if state.at_rest else state), effects


def _settled(state, now, limits):
    if state.mode == COVERED:
        return _with(state, phase="concealed", deadline=None)
    return _start_reading(state, now, limits)


def _rest(state, event, now, limits):
    state = _with(state, at_rest=True)
    return (_settled(state, now, limits) if state.phase == "settling" else state), []


def _moving(state, event, now, limits):
    # Scenes before a movement prove nothing about the dice after it.
    return _with(state, at_rest=False, reading=None, agreeing=0), []


# --- enclosure ----------------------------------------------------------------------------------------------


def _channel(state, event, now, limits):
    _, name, level = event
    if name == "cover-closed":
        state = _with(state, cover_closed=level)
    elif name == "cover-open":
        state = _with(state, cover_open=level)
    effects = []
    if name not in ("cover-closed", "cover-open") or in_round(state):
        values = {"channel": name, "level": level}
        if in_round(state):
            values["round"] = state.round
        effects.append(("record", "enclosure", values))
    if state.mode == OPEN or not in_round(state):
        return state, effects
    if not bets_closed(state):
        # Open and closed at once is no exposure but a sensor fault, which the enclosure tells.
        if not state.cover_closed:
            state, more = _void(state, "exposed-early", "")  # MBS 5.2
            return state, effects + more
    elif state.phase == "closed" and state.cover_open and not state.cover_closed:
        return _start_reading(state, now, limits), effects
    return state, effects


# --- reading ------------------------------------------------------------------------------------------------


def _start_reading(state, now, limits):
    return _with(state, phase="reading", deadline=now + limits.read_ms, reading=None, agreeing=0)


def _scene(state, event, now, limits):
    """One scene's reading: consecutive ones must agree before anything is reported."""
    if not wants_scene(state):
        return state, []
    known = state.reading
    same = known is not None and _seen(known) == _seen(event)
    state = _with(state, reading=event, agreeing=state.agreeing + 1 if same else 1)
    if event[0] == "read" and state.agreeing >= limits.agree_scenes:
        return _report(state, event)
    if event[0] == "refused" and state.agreeing >= limits.refuse_scenes:
        return _give_up(state, now, limits)
    return state, []


def _seen(reading):
    """What must agree between scenes: verdict and faces or fact; frames and order differ by noise."""
    return reading[0], sorted(reading[1]) if reading[0] == "read" else reading[1]


def _report(state, event):
    _, faces, tilts, confidences, frames = event
    values = {
        "round": state.round,
        "faces": faces,
        "tilts": tilts,
        "confidences": confidences,
        "frames": frames,
        "strokes": state.strokes,
    }
    ended, effects = _end(state)
    return ended, [("record", "reading", values)] + effects


def _give_up(state, now, limits):
    """No agreement in time, or one refusal again and again: void with the newest refusal's fact."""
    known = state.reading
    if known is None or known[0] != "refused":
        return _void(state, "unreadable", "no agreement in time")
    _, fact, detail, frames = known
    effects = []
    if fact in LATCHING_FACTS and fact not in state.faults:
        # Damaged dice stay out of play until someone has looked (5.4).
        effects.append(("record", "fault", {"fact": fact, "round": state.round}))
        state = _with(state, faults=_latched(state, fact))
    state, more = _void(state, fact, detail, frames)
    return state, effects + more


# --- time ---------------------------------------------------------------------------------------------------


def _tick(state, event, now, limits):
    if state.coasting is not None and now >= state.coasting:
        state = _with(state, coasting=None)
    if state.deadline is None or now < state.deadline:
        return state, []
    if state.phase == "tumbling":
        return _tumble_done(state, now, limits)
    if state.phase == "settling":
        return _void(state, "unreadable", "the dice never came to rest")
    return _give_up(state, now, limits)


_HANDLERS = {
    "open": _open,
    "tumble": _tumble,
    "no-more-bets": _no_more_bets,
    "void-round": _void_round,
    "clear-fault": _clear_fault,
    "stroke": _stroke,
    "weak-stroke": _weak_stroke,
    "rest": _rest,
    "moving": _moving,
    "channel": _channel,
    "fault": _fault,
    "host-lost": _host_lost,
    "tick": _tick,
    "read": _scene,
    "refused": _scene,
}
