"""The plant: platform, dice, cover, dealer and camera around a virtual board, in the board's own time.

A plant has no clock. Its owner hands it the board's messages and asks for answers; each answer grants at most
`STEP_US` of board time, in which everything due happens at its exact microsecond. The same scenario and the
same messages give the same answers.

What the drive makes of the dice is theirs to say (virtual_board.dice), or else the plant plays strong
strokes: pulses of 14 to 17 ms above the upper gate at about 0.95 m/s, one every 340 ms while the drive runs,
and rest 600 ms after the last one (measured on a simulated platform).
"""

import heapq
import itertools
import json
import math
import random
from collections.abc import Callable

from host_tools.virtual_board.dice import Dice, Motion
from host_tools.virtual_board.scenario import GATES, Event, Round, Scenario, Stroke

STEP_US = 5_000
TICK_PERIOD_US = 1 << 30

FIRST_STROKE_US = 150_000
STROKE_PERIOD_US = 340_000
REST_US = 600_000
GATE_GAP_UM = 1_000
BOUNCE_US = 120

QUIET_MG = 5
STROKE_MG = 2_500
DECAY_US = 145_000  # time constant: from STROKE_MG to 40 mg in REST_US

COVER_DELAY_US = 400_000  # the dealer's hand
COVER_TRAVEL_US = 150_000
EXPOSURE_US = 30_000
DARK = 4  # grey level without a lamp

SOUND = {"dome-closed": True, "dome-intact": True, "door-closed": True, "tilted": False}
CLOSED = {"cover-closed": True, "cover-open": False}
OPENED = {"cover-closed": False, "cover-open": True}
BETWEEN = {"cover-closed": False, "cover-open": False}


class Plant:
    """The world around one board; `dice` are on its platform."""

    def __init__(self, scenario: Scenario, dice: Dice) -> None:
        self.scenario = scenario
        self.dice = dice
        self._random = random.Random(scenario.seed)
        self.time_us = 0  # since the plant was made; goes on over power cuts
        self.power_off_ms: int | None = None  # set when the scenario cuts the power: the owner does it
        self.log: list[tuple[int, str]] = []  # what happened, with time_us, for people
        self._queue: list[tuple[int, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._covered = scenario.mode == "covered"
        self._tick_at_zero = scenario.tick_us
        self._powered_us = 0
        self._starting = False
        self.levels = {**SOUND, **(CLOSED if self._covered else OPENED)}
        self._gates: dict[str, bool] = dict.fromkeys(GATES, False)
        self._stuck: set[str] = set()
        self._last_stroke_us = -60_000_000
        self._shaken = (0, 0)  # (milli-g, until)
        self._camera = "working"
        self._kept_frame = b""
        # a new number makes what was scheduled under the old one void
        self._drive_run = self._cover_move = self._session = self._motion = 0
        self._first_stroke_us = 0
        self._changed: dict[str, bool] = {}
        self._edges: list[tuple[str, bool, int]] = []
        self._peak = 0
        self._lamp: int | None = None
        self._wanted = 0  # bytes of the frame that the board waits for
        self._frame: bytes | None = None
        self._round_index = 0
        self._begun = False
        self._added: list[Event] = []
        self._begin(scenario.rounds[0])

    def uptime_ms(self, at_us: int) -> int:
        """The board's uptime when it was `at_us` for the plant; negative before its power-on."""
        return (at_us - self._powered_us) // 1000

    # --- rounds and cues

    @property
    def round(self) -> Round:
        """The round being played."""
        return self.scenario.rounds[self._round_index]

    def next_round(self) -> Round:
        """Begin the next round: the first one at the first call."""
        if self._begun:
            self._round_index = (self._round_index + 1) % len(self.scenario.rounds)
            self._begin(self.round)
        self._begun = True
        self._waiting += self._added
        self._added = []
        return self.round

    def expect(self, event: Event) -> None:
        """`event` waits in the next round to begin, as if the scenario had it there."""
        self._added.append(event)

    def happen(self, event: Event) -> None:
        """What `event` says happens, `after_ms` from now; it waits for nothing else."""
        self._after(event.after_ms * 1000, lambda: self._happen(event))

    def _begin(self, played: Round) -> None:
        self.dice.lay(played.scene)
        self._waiting = list(played.events)
        self._seen: dict[str, int] = {}
        self._driven = False

    def cue(self, name: str) -> None:
        """`name` (a trigger of the scenario) has happened: events that wait for it are scheduled."""
        self._note(name)
        self._seen[name] = self._seen.get(name, 0) + 1
        due = [event for event in self._waiting if event.when == name and event.nth == self._seen[name]]
        for event in due:
            self._waiting.remove(event)
            self._after(event.after_ms * 1000, lambda event=event: self._happen(event))

    def _happen(self, event: Event) -> None:
        if event.levels:
            self._set(event.levels)
        for gate, level in event.stick.items():
            self._stuck.discard(gate)
            self._gate(gate, level)
            self._stuck.add(gate)
        if event.free:
            self._free()
        if event.vibration_mg:
            self._shaken = (event.vibration_mg, self.time_us + event.for_ms * 1000)
        self._camera = event.camera or self._camera
        if event.scene:
            self.dice.lay(event.scene)
        for i, stroke in enumerate(event.strokes):
            self._after(i * STROKE_PERIOD_US, lambda stroke=stroke: self._stroke(stroke))
        if event.power_off_ms is not None:
            self.power_off_ms = event.power_off_ms

    def _free(self) -> None:
        self._stuck.clear()
        for gate in reversed(GATES):
            self._gate(gate, False)

    # --- what the board does

    def power_on(self) -> None:
        """The board has power: its tick starts, nothing is driven, the lock is engaged."""
        self.power_off_ms = None
        self._session += 1
        self._powered_us = self.time_us
        if self._covered and not self.levels["cover-closed"]:
            self._close_cover()
        self.cue("power-on")

    def power_off(self) -> None:
        """Power is gone: drive, lamps and camera stop; the lock holds without power."""
        self._stop_drive()
        self._cover_move += 1
        self._lamp = None
        self._wanted = 0
        self._frame = None

    def receive(self, message: dict) -> bool:
        """Take one message of the board; True when it is now the plant's turn to answer."""
        if "start" in message:
            self._wanted = 0
            self._frame = None
            self._starting = True
        elif "capture" in message:
            self._want_frame(message["capture"])
        elif "strokes" in message:
            self._drive(message["strokes"])
        elif "drive" in message:
            self._stop_drive()
        elif "cover" in message:
            self._lock(released=message["cover"])
        elif "lamp" in message:
            self._lamp = message["lamp"]
        return any(message.get(key) for key in ("start", "idle", "capture"))

    def answer(self) -> bytes:
        """What the plant says when it is its turn: a grant of time, or the frame that is wanted.

        Empty when the scenario has cut the power within the step.
        """
        if self._starting:
            self._starting = False
            self._collect()
            return self._grant(start=1, levels=self.levels)
        if self._frame is not None:
            frame, self._frame = self._frame, None
            self._wanted = 0
            return b'{"frame": %d}\n' % len(frame) + frame
        self._peak = max(self._peak, self._vibration())
        self._advance(self.time_us + STEP_US)
        if self.power_off_ms is not None:
            return b""
        return self._grant(levels=self._changed)

    def _grant(self, levels: dict[str, bool], **more: int) -> bytes:
        edges = [(gate, level, self._tick(at_us)) for gate, level, at_us in self._edges]
        grant = {"t": self._tick(self.time_us), "levels": levels, "edges": edges, "vibration": self._peak}
        self._collect()
        return json.dumps(grant | more).encode() + b"\n"

    def _collect(self) -> None:
        self._changed, self._edges, self._peak = {}, [], 0

    def _tick(self, at_us: int) -> int:
        return (self._tick_at_zero + at_us - self._powered_us) % TICK_PERIOD_US

    # --- time

    def _after(self, delay_us: int, action: Callable[[], None]) -> None:
        heapq.heappush(self._queue, (self.time_us + delay_us, next(self._order), action))

    def _advance(self, until_us: int) -> None:
        while self._queue and self._queue[0][0] <= until_us and self.power_off_ms is None:
            self.time_us, _, action = heapq.heappop(self._queue)
            action()
        if self.power_off_ms is None:
            self.time_us = until_us

    def _note(self, what: str) -> None:
        self.log.append((self.time_us, what))

    # --- levels, strokes and vibration

    def _set(self, levels: dict[str, bool]) -> None:
        self.levels.update(levels)
        self._changed.update(levels)

    def _gate(self, gate: str, level: bool) -> None:
        if gate not in self._stuck and self._gates[gate] != level:
            self._gates[gate] = level
            self._edges.append((gate, level, self.time_us))

    def _drive(self, commanded: int) -> None:
        if self._driven:
            self.next_round()  # nobody announces rounds: a second tumble is another round's
        self._driven = self._begun = True
        self._drive_run += 1
        run = self._drive_run
        self.cue("drive")
        count = commanded if self.round.stroke_count is None else self.round.stroke_count
        self._first_stroke_us = self.time_us + FIRST_STROKE_US
        motion = self.dice.drive(count)
        if motion is not None:
            self._follow(motion)
            return
        for i in range(count):
            self._after(FIRST_STROKE_US + i * STROKE_PERIOD_US, lambda i=i: self._driven_stroke(run, i))

    def _stop_drive(self) -> None:
        self._drive_run += 1
        motion = self.dice.stop(self.time_us - self._first_stroke_us)
        if motion is not None:
            self._follow(motion)

    def _follow(self, motion: Motion) -> None:
        """What `motion` says from now on happens, in place of what another one said."""
        self._motion += 1
        for at_us, gate, level in motion.edges:
            self._then(at_us, lambda gate=gate, level=level: self._gate(gate, level))
        for at_us in motion.strokes:
            self._then(at_us, lambda: self.cue("stroke"))
        for at_us, milli_g in motion.shakes:
            self._then(at_us, lambda milli_g=milli_g: self._shake(milli_g))
        if motion.rest_us is not None:
            self._then(motion.rest_us, lambda: self.cue("rest"))

    def _then(self, at_us: int, action: Callable[[], None]) -> None:
        followed, delay_us = self._motion, self._first_stroke_us + at_us - self.time_us

        def act() -> None:
            if followed == self._motion:
                action()

        if delay_us >= 0:
            self._after(delay_us, act)

    def _driven_stroke(self, run: int, index: int) -> None:
        if run != self._drive_run:
            return
        given = self.round.strokes
        self._stroke(given[index] if index < len(given) else self._strong_stroke())

    def _strong_stroke(self) -> Stroke:
        return Stroke(self._random.randint(14_200, 16_800), self._random.randint(880, 1_020))

    def _shake(self, milli_g: int) -> None:
        self._peak = max(self._peak, milli_g)

    def _stroke(self, stroke: Stroke) -> None:
        rise_us = GATE_GAP_UM * 1000 // stroke.speed_mm_s
        ends_us = stroke.width_us + 2 * rise_us
        self._pulse("stroke-gate", 0, ends_us, stroke.bounces)
        if not stroke.width_us:
            return
        self._last_stroke_us = self.time_us
        self._peak = max(self._peak, STROKE_MG)
        self._pulse("stroke-top", rise_us, ends_us - rise_us, stroke.bounces)
        self._after(ends_us, lambda: self.cue("stroke"))
        self._after(REST_US, self._maybe_rest)

    def _pulse(self, gate: str, rise_us: int, fall_us: int, bounces: int) -> None:
        for edge_us, level in ((rise_us, True), (fall_us, False)):
            for i in range(2 * bounces + 1):
                at_us = edge_us + i * BOUNCE_US
                self._after(at_us, lambda level=level ^ bool(i % 2): self._gate(gate, level))

    def _maybe_rest(self) -> None:
        if self.time_us - self._last_stroke_us >= REST_US:
            self.cue("rest")

    def _vibration(self) -> int:
        """Milli-g now; it falls until the next stroke, so a step's peak is at its start or at a stroke."""
        decayed = STROKE_MG * math.exp(-(self.time_us - self._last_stroke_us) / DECAY_US)
        shaken, until_us = self._shaken
        return max(QUIET_MG, int(decayed), shaken if self.time_us < until_us else 0)

    # --- the cover and its dealer

    def _lock(self, released: bool) -> None:
        if released:
            self.cue("cover-released")
        if not (self._covered and self.scenario.dealer):
            return
        self._cover_move += 1  # a hand on its way finds the lock changed
        if released and self.levels["cover-closed"]:
            self._move_cover(OPENED, "cover-opened")
        elif not released and not self.levels["cover-closed"]:
            self._close_cover()

    def _close_cover(self) -> None:
        self._move_cover(CLOSED, "cover-closed")

    def _move_cover(self, end: dict[str, bool], name: str) -> None:
        move = self._cover_move

        def arrive() -> None:
            if move == self._cover_move:
                self._set(end)
                self.cue(name)

        def leave() -> None:
            if move == self._cover_move:
                self._set(BETWEEN)
                self._after(COVER_TRAVEL_US, arrive)

        self._after(COVER_DELAY_US, leave)

    # --- the camera

    def _want_frame(self, size: int) -> None:
        self._wanted = size
        self._frame = None
        if not size:
            return
        self.cue("capture")
        session = self._session
        self._after(EXPOSURE_US, lambda: self._expose(session))

    def _expose(self, session: int) -> None:
        if session != self._session or not self._wanted or self._camera == "dead":
            return
        frame = self._picture()
        if self._camera == "stuck":
            frame = self._kept_frame or frame
        self._kept_frame = frame
        self._frame = frame[: len(frame) // 2] if self._camera == "short" else frame

    def _picture(self) -> bytes:
        if self._lamp is None or self._camera == "dark":
            return bytes([DARK]) * self._wanted
        return self.dice.picture(self._lamp)
