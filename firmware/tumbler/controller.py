"""The only place that knows all parts: sensors, round, scene, journal, chain and link, one step at a time.

A step reads the clock once, turns what came in into events, lets the round decide, carries out its effects.
Nothing blocks but the camera and the reader, and those only between a round's close and its end.
"""

from tumbler import round as play
from tumbler.definitions import CHANNELS, FACTS, name_of
from tumbler.enclosure import Enclosure
from tumbler.hal import ReadingFault
from tumbler.journal import KEEP, JournalDamaged, JournalFull
from tumbler.records.values import short_detail
from tumbler.rest import RestDetector
from tumbler.strokes import StrokeCounter

_RECEIVE_BYTES = 256
_READS = 8  # in one step at the most: a line that never falls silent must not keep the sensors waiting
# What a running round needs for its end, faults, and what follows a boot may use the journal's reserve.
_URGENT = ("tumble", "no-more-bets", "reading", "void", "fault", "fault-cleared", "configuration-change")


class Identity:
    """What the controller tells of itself: firmware and profile digests (32 bytes each)."""

    def __init__(self, firmware, profile):
        self.firmware = firmware
        self.profile = profile


class Controller:
    """Runs one tumbler.

    board: a hal board; limits: config.Limits; identity: Identity; journal: mounted;
    scene: scene.Scene or sensor_scene.SensorScene (step() -> event or None, stop(), works() -> bool);
    chain: records.Chain at the journal's end; link: link.DeviceSession; proven: replay.Proven; lost: None, or
    why nothing is proven (assembly.prove): then the controller serves the link alone.
    """

    def __init__(self, board, limits, identity, scene, journal, chain, link, proven, lost=None):
        self._board = board
        self._limits = limits
        self._identity = identity
        self._journal = journal
        self._chain = chain
        self._link = link
        self._proven = proven
        self._strokes = StrokeCounter(limits)
        self._enclosure = Enclosure(limits)
        self._rest = RestDetector(limits)
        self._scene = scene
        self._lost = lost
        faults = ("memory-fault",) if lost else tuple(sorted(proven.faults))
        self._state = play.initial(faults, proven.last_round)
        self._received = bytearray(_RECEIVE_BYTES)
        self._status = None
        self._told_last = None  # the journal's end at the newest notice
        self._scene_failed = "sensor-fault" in proven.faults
        self._senses = (self._sense_strokes, self._sense_enclosure, self._sense_rest)
        self._senses_failed = False  # in the newest step
        self._late = []  # (kind, values, ms) of records that wait until strokes are no longer counted
        self._forked = False
        self._booted = False  # the boot is in the journal

    @property
    def state(self):
        """The round's state (round.State), for displays and tests."""
        return self._state

    def power_on(self):
        """Journal the boot and what became of a round that it interrupted; call once, before any step.

        A full journal makes that wait: until the host has taken records, steps serve the link alone.
        """
        self._link.keep = self._proven.wanted
        self._board.release_cover(False)
        self._boot()

    def _boot(self):
        if self._lost:
            return
        try:
            self._record_boot()
        except JournalFull:
            pass  # tried again in the next step
        except (JournalDamaged, OSError) as error:
            # The flash keeps nothing any more: what is in it can be recalled all the same.
            self._lost = str(error)
            self._booted = False
            self._state = play.initial(("memory-fault",), self._proven.last_round)

    def _record_boot(self):
        identity, proven = self._identity, self._proven
        now = self._board.now()
        values = {"firmware": identity.firmware, "profile": identity.profile}
        interrupted = proven.round
        if interrupted is not None:
            values["round"] = interrupted
        earlier = proven.profile
        self._record("boot", values, now)
        self._booted = True
        if earlier is not None and earlier != identity.profile:
            self._record("configuration-change", {"profile": identity.profile}, now)
        if interrupted is not None:
            # Without a reading in the journal no outcome is established: void (MBS 5.8.1, RWS 5.1.2).
            self._record("void", {"round": interrupted, "fact": "power-interruption"}, now)
            self._state = play.initial(self._state.faults, interrupted)

    def step(self):
        """Serve every part once."""
        now = self._board.now()
        if self._booted:
            self._sense(now)  # before commands, which must find the enclosure as it is
        else:
            self._look()
        self._serve_link(now)
        if self._booted:
            self._read_scene()
            self._handle(("tick",), now)
            self._repeat_old_faults(now)
        else:
            self._boot()
        self._link.keep = self._proven.wanted
        self._notify(now)
        self._link.poll(now)

    def _repeat_old_faults(self, now):
        """The record of a latched fault stays, and the journal would fill behind it: repeat it in time."""
        for fact, sequence in list(self._proven.faults.items()):
            if self._journal.last - sequence >= KEEP:
                self._record("fault", {"fact": fact, "detail": "still latched"}, now)

    def fail(self, error):
        """A program error reached the top: journal it as a fault. The board must restart after that."""
        if not self._booted:
            return  # nothing of a boot may stand in the journal before the boot itself
        detail = "%s: %s" % (type(error).__name__, error)
        self._record("fault", {"fact": "program-fault", "detail": detail}, self._board.now())

    # --- what comes in --------------------------------------------------------------------------------------

    def _serve_link(self, now):
        for _ in range(_READS):
            count = self._board.receive(self._received)
            if not count:
                break
            self._notify(now)  # what was said until now must not answer what is asked now
            # By the clock: it may have waited while a record was written, and a turn to speak be over.
            for command in self._link.feed(memoryview(self._received)[:count], self._board.now()):
                self._obey(command, now)
        if not self._booted:
            return
        if self._link.forked and not self._forked:
            self._forked = True
            self._handle(("fault", "memory-fault", self._link.forked), now)
        if self._link.heard is not None and now - self._link.heard > self._limits.host_ms:
            self._handle(("host-lost",), now)

    def _sense(self, now):
        self._senses_failed = False
        for sense in self._senses:
            try:
                sense(now)
            except ReadingFault as error:
                self._senses_failed = True
                self._handle(_sensor_fault(error), now)

    def _look(self):
        """Nothing can be journalled, so nothing that the sensors tell counts yet. But every part must come
        round for the watchdog, which would restart the board again and again."""
        for look in (self._follow_gates, self._board.vibration, lambda: self._board.level("dome-closed")):
            try:
                look()
            except ReadingFault:
                pass  # it is told once a boot is journalled

    def _follow_gates(self):
        for channel, level, t_us in self._board.edges():
            self._strokes.feed(channel, level, t_us)

    def _sense_strokes(self, now):
        for channel, level, t_us in self._board.edges():
            self._handle_all(self._strokes.feed(channel, level, t_us), now)
        self._handle_all(self._strokes.poll(now * 1000), now)

    def _sense_enclosure(self, now):
        self._handle_all(self._enclosure.sample(self._board.level, now), now)

    def _sense_rest(self, now):
        self._handle_all(self._rest.sample(self._board.vibration(), now), now)

    def _read_scene(self):
        if not play.wants_scene(self._state):
            self._scene.stop()
            return
        try:
            event = self._scene.step()
        except ReadingFault as error:
            self._scene_failed = True
            self._scene.stop()
            event = _sensor_fault(error)
        if event is not None:
            self._handle(event, self._board.now())

    # --- commands -------------------------------------------------------------------------------------------

    def _obey(self, command, now):
        try:
            if self._lost:
                self._link.reply(command["id"], "faulted", "faulted", self._lost, now)
                return
            if not self._booted:
                raise JournalFull("the boot waits for room")
            status, detail = self._command(command["command"], command, now)
        except JournalFull:
            status, detail = "journal-full", "records wait for the host"
        self._notify(now)  # before anything else is said: no status is of before the command
        self._link.reply(command["id"], status, play.device_state(self._state), detail, now)

    def _command(self, name, command, now):
        """Carry out one command; returns (status, detail)."""
        if name == "open-round":
            return self._handle(("open", command["round"], command["mode"]), now)
        if name == "clear-fault":
            fact = name_of(FACTS, command["fact"])
            present = fact in self._state.faults and self._still_present(fact)
            return self._handle(("clear-fault", fact, present), now)
        if name == "attest" and self._state.phase == "tumbling":
            return "wrong-state", "strokes are being counted: ask again"
        if name == "attest":
            values = {"firmware": self._identity.firmware, "profile": self._identity.profile}
            self._record("attestation", dict(values, nonce=command["nonce"]), now)
            return "done", ""
        if name == "change-dice-set":
            if play.in_round(self._state):
                return "wrong-state", "a round is open"
            self._record("dice-set-change", {"dice_set": command["dice_set"]}, now)
            return "done", ""
        return self._handle((name, command["round"]), now)

    def _still_present(self, fact):
        """Re-check a fault before it is cleared."""
        if fact == "memory-fault":
            return bool(self._link.forked)
        if fact == "sensor-fault":
            present = self._senses_failed or self._strokes.stuck or self._enclosure.present(fact)
            return present or not self._scene_works()
        return self._enclosure.present(fact)

    def _scene_works(self):
        """Only what failed is tried, and no round is open while its fault is latched."""
        if self._scene_failed:
            self._scene_failed = not self._scene.works()
        return not self._scene_failed

    # --- events and effects ---------------------------------------------------------------------------------

    def _handle_all(self, events, now):
        for event in events:
            self._handle(event, now)

    def _handle(self, event, now):
        """Let the round decide; its state counts once its records are in the journal.

        Returns (status, detail): what to answer when the event was a command.
        """
        state, effects = play.advance(self._state, event, now, self._limits)
        answer = "done", ""
        counting = state.phase == "tumbling"
        self._journal.quiet = counting
        for effect in effects:
            if effect[0] == "record":
                self._late.append((effect[1], effect[2], now))
                if not counting:
                    self._record_late()
            elif effect[0] == "drive":
                self._board.start_strokes(effect[1])
            elif effect[0] == "stop-drive":
                self._board.stop_drive()
            elif effect[0] == "release-cover":
                self._board.release_cover(effect[1])
            elif effect[0] == "refuse":
                answer = effect[1], effect[2]
        if not counting:
            self._record_late()
        self._state = state
        return answer

    def _record_late(self):
        """While strokes are counted no flash is written: their interrupts would have to wait (hal.gates)."""
        while self._late:
            self._record_effect(*self._late.pop(0))

    def _record_effect(self, kind, values, now):
        try:
            self._record(kind, values, now)
        except JournalFull:
            # A door swings for days without a host: the fault that it means is on record, the swings end.
            if kind != "enclosure":
                raise

    def _record(self, kind, values, now):
        """Sign a record once and journal it; it goes out, and counts, only after that."""
        values = _numbers(values)
        if "frames" in values:
            values["profile"] = self._identity.profile
        if self._link.wall_offset is not None:
            values["wall_ms"] = now + self._link.wall_offset
        reserve = kind not in _URGENT
        self._journal.require_room(reserve)  # before the long work of signing
        record = self._chain.seal(kind, now, values)
        self._journal.append(self._chain.sequence + 1, record, reserve)
        self._chain.advance(record)
        self._proven.apply(kind, dict(values, sequence=self._chain.sequence, boot=self._chain.boot))
        # No host is needed to know what the next power-on has to replay.
        self._journal.acknowledge(self._journal.acknowledged, self._proven.wanted)

    def _notify(self, now):
        """Tell the host what the display should show, and where the journal ends, when it changed."""
        if not self._booted and not self._lost:
            return  # a boot that waits has not told yet what became of the round it interrupted
        state = self._state
        values = {
            "state": play.device_state(state),
            "strokes": len(state.strokes),
            "at_rest": state.at_rest,
            "faults": state.faults,
            "covered": play.is_covered(state),
        }
        if state.round is not None:
            values["round"] = state.round
        if values != self._status or self._journal.last != self._told_last:
            self._status, self._told_last = values, self._journal.last
            self._link.notify(values, now)


def _sensor_fault(error):
    return "fault", "sensor-fault", "%s: %s" % (error.part, error)


def _numbers(values):
    """Record values with the names of facts and channels turned into their numbers, texts kept short."""
    values = dict(values)
    if "fact" in values:
        values["fact"] = FACTS[values["fact"]]
    if "channel" in values:
        values["channel"] = CHANNELS[values["channel"]]
    if "detail" in values:
        values["detail"] = short_detail(values["detail"])
    for name in ("strokes", "faces", "tilts", "confidences"):
        if name in values:
            values[name] = [list(item) if isinstance(item, tuple) else item for item in values[name]]
    return values
