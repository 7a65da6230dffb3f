"""The controller over a real journal, chain and round, with a hand-made board, host and reader."""

# heap: 640k

import hashlib
import os
import unittest

from tumbler import journal as journals
from tumbler.config import LIMITS, Limits
from tumbler.controller import Controller, Identity
from tumbler.definitions import FACTS
from tumbler.hal import CameraError, SensorError
from tumbler.journal import RESERVE, Journal, JournalDamaged
from tumbler.records import cose, fields
from tumbler.records.chain import Chain
from tumbler.replay import replay
from tumbler.scene import Scene

# Another file of tests plays with this rig too, perhaps at the same time.
FOLDER = "controller-test-journal-%d" % getattr(os, "getpid", int)()
ROUND = b"r" * 16
COVERED, OPEN = 0, 1
VALUES = {
    "debounce_us": 500,
    "gate_gap_um": 1000,
    "min_width_us": 8000,
    "min_speed_mm_s": 250,
    "max_width_us": 250000,
    "min_tumbles": 3,
    "drive_strokes": 4,
    "max_tumbles": 6,
    "tumble_ms": 5000,
    "stroke_gap_ms": 600,
    "settle_ms": 6000,
    "read_ms": 15000,
    "agree_scenes": 2,
    "refuse_scenes": 3,
    "channel_debounce_ms": 20,
    "cover_travel_ms": 5000,
    "rest_mg": 60,
    "rest_ms": 400,
    "host_ms": 10000,
}


class Board:
    """A board whose time and levels the test moves."""

    def __init__(self):
        self.ms = 0
        self.levels = {
            "cover-closed": True,
            "cover-open": False,
            "dome-intact": True,
            "dome-closed": True,
            "door-closed": True,
            "tilted": False,
        }
        self.pending = []
        self.edges_lost = False
        self.shaking = 0  # below 0: cannot be measured
        self.driven = []
        self.released = []
        self.captures = []  # what was lit at each capture
        self.lit = None
        self.camera_dead = False
        self.noisy = False  # something comes in on the line all the time

    def now(self):
        return self.ms

    def level(self, name):
        return self.levels[name]

    def edges(self):
        edges, self.pending = self.pending, []
        yield from edges
        if self.edges_lost:
            self.edges_lost = False
            raise SensorError("edges lost")

    def vibration(self):
        if self.shaking < 0:
            raise SensorError("no samples")
        return self.shaking

    def start_strokes(self, count):
        self.driven.append(count)

    def stop_drive(self):
        self.driven.append(0)

    def release_cover(self, released):
        self.released.append(released)

    def lamp(self, index):
        self.lit = index

    def capture(self, buffer):
        if self.camera_dead:
            raise CameraError("silent")
        self.captures.append(self.lit)
        buffer[0] = self.lit

    def receive(self, buffer):
        return len(buffer) if self.noisy else 0

    def entropy(self, n):
        return b"e" * n

    def idle(self):
        self.ms += 5


class Link:
    """A host that has its commands verified already."""

    def __init__(self):
        self.tells(None, None, None)
        self.keep = None
        self.replies = []
        self.statuses = []
        self.waiting = []  # commands that the next bytes complete
        self.polls = 0

    def tells(self, wall_offset, heard, forked):
        self.wall_offset = wall_offset
        self.heard = heard
        self.forked = forked

    def feed(self, data, now):
        commands, self.waiting = self.waiting, []
        return commands

    def reply(self, id, status, state, detail, now):
        self.told_at_reply = self.statuses[-1] if self.statuses else None
        self.replies.append((id, status, state, detail))
        del self.replies[:-50]

    def notify(self, values, now):
        self.statuses.append(values)
        del self.statuses[:-50]

    def poll(self, now):
        self.polls += 1


class Signer:
    key_id = b"k" * 8

    def sign(self, message, entropy):
        return b"s" * 64


class Profile:
    digest = b"d" * 32
    width = 4
    height = 2
    lamps = 4


class Die:
    def __init__(self, face):
        self.face = face
        self.tilt_deg = 0.24
        self.confidence = 0.999


class Reading:
    reason = detail = None

    def __init__(self, *faces):
        self.verdict = "read"
        self.faces = faces
        self.dice = [Die(face) for face in faces]


class Refusal:
    verdict = "refused"

    def __init__(self, reason):
        self.reason = reason
        self.detail = "seen so"


class Reader:
    profile = Profile

    def __init__(self):
        self.lamps = []
        self.shows(Reading(2, 3, 5))

    def shows(self, result):
        self._result = result

    def begin(self):
        self.lamps = []

    def add(self, frame, lamp):
        self.lamps.append(lamp)

    def finish(self):
        return self._result


def clear_folder():
    for folder in (FOLDER, FOLDER + journals.MARKS):
        try:
            for name in os.listdir(folder):
                os.remove(folder + "/" + name)
            os.rmdir(folder)
        except OSError:
            pass


class Rig:
    """One power-on over the journal in FOLDER."""

    def __init__(self, profile=b"p" * 32, scene=None, journal=None):
        """scene(board) makes another scene than the camera's; `journal` stands for that in FOLDER."""
        self.board = Board()
        self.link = Link()
        self.reader = Reader()
        self.journal = journal or Journal(FOLDER)
        self.journal.mount()
        proven = replay(self.journal)
        boot = self.journal.next_boot(proven.boot)
        chain = Chain(b"device01", boot, proven.sequence, proven.digest, Signer(), self.board.entropy)
        self.controller = Controller(
            self.board,
            Limits(VALUES),
            Identity(b"f" * 32, profile),
            scene(self.board) if scene else Scene(self.board, self.reader),
            self.journal,
            chain,
            self.link,
            proven,
        )
        self.controller.power_on()
        self.ids = 0
        self.step()

    def step(self, ms=5):
        self.board.ms += ms
        self.controller.step()

    def wait(self, ms):
        for _ in range(ms // 5):
            self.step()

    def command(self, name, **arguments):
        self.ids += 1
        self.controller._obey(dict(arguments, id=self.ids, command=name), self.board.ms)
        return self.link.replies[-1][1:]

    def strokes(self, count):
        for _ in range(count):
            t_us = self.board.ms * 1000
            self.board.shaking = 900
            for channel, level, after in (
                ("stroke-gate", True, 0),
                ("stroke-top", True, 2000),
                ("stroke-top", False, 17000),
                ("stroke-gate", False, 19000),
            ):
                self.board.pending.append((channel, level, t_us + after))
            self.step(50)
            self.board.shaking = 0
            self.wait(300)

    def swing(self, channel, changes):
        for _ in range(changes):
            self.board.levels[channel] = not self.board.levels[channel]
            self.wait(30)
            self.link.statuses.clear()

    def cover(self, opened):
        self.board.levels["cover-closed"] = not opened
        self.board.levels["cover-open"] = opened
        self.wait(50)

    def records(self, newest=None):
        """All of the journal, or the `newest` ones."""
        first = self.journal.first if newest is None else self.journal.last + 1 - newest
        kinds = []
        for sequence in range(first, self.journal.last + 1):
            kinds.append(fields.unpack(cose.payload_of(self.journal.read(sequence))))
        return kinds

    def kinds(self):
        return [kind for kind, _ in self.records()]

    def newest(self, kind):
        return [values for name, values in self.records() if name == kind][-1]

    def to_reading(self):
        """A covered round up to the moment the cover is to be opened."""
        self.command("open-round", round=ROUND, mode=COVERED)
        self.step()
        self.command("tumble", round=ROUND)
        self.step()
        self.strokes(4)
        self.wait(1500)
        self.command("no-more-bets", round=ROUND)


class ControllerCase(unittest.TestCase):
    def setUp(self):
        clear_folder()
        journals.create(FOLDER)

    def tearDown(self):
        clear_folder()


class WholeRounds(ControllerCase):
    def test_a_covered_round_from_open_to_reading(self):
        rig = Rig()
        rig.to_reading()
        self.assertEqual(rig.board.captures, [])
        self.assertEqual(rig.board.released[-1], True)
        rig.cover(True)
        rig.wait(100)
        expected = ["boot", "round-opened", "tumble", "no-more-bets", "enclosure", "enclosure", "reading"]
        self.assertEqual(rig.kinds(), expected)
        reading = rig.newest("reading")
        self.assertEqual(reading["faces"], [2, 3, 5])
        self.assertEqual(reading["tilts"], [2, 2, 2])
        self.assertEqual(reading["strokes"], [[15000, 500]] * 4)
        self.assertEqual(rig.board.captures, [0, 1, 2, 3] * 2)
        frames = b"".join([bytes([lamp]) + bytes(7) for lamp in range(4)])
        self.assertEqual(reading["frames"], hashlib.sha256(frames).digest())
        self.assertEqual(rig.board.lit, None)
        self.assertEqual(rig.board.released[-1], False)
        self.assertEqual(rig.board.driven, [4, 0])

    def test_every_status_follows_the_round(self):
        rig = Rig()
        rig.to_reading()
        rig.cover(True)
        rig.wait(100)
        states = []
        for status in rig.link.statuses:
            if not states or states[-1] != status["state"]:
                states.append(status["state"])
        expected = ["idle", "opened", "tumbling", "concealed", "closed", "reading", "idle"]
        self.assertEqual(states, expected)
        strokes = [status["strokes"] for status in rig.link.statuses if status["state"] == "tumbling"]
        self.assertEqual(sorted(set(strokes)), [0, 1, 2, 3, 4])

    def test_a_refusal_voids_with_its_fact_and_cause(self):
        rig = Rig()
        rig.reader.shows(Refusal("stacked"))
        rig.to_reading()
        rig.cover(True)
        rig.wait(300)
        void = rig.newest("void")
        self.assertEqual((void["fact"], void["detail"]), (FACTS["stacked"], "seen so"))
        self.assertEqual(len(rig.board.captures), 12)

    def test_wall_time_stands_in_records_once_the_host_has_set_it(self):
        rig = Rig()
        rig.link.tells(1000000, None, None)
        rig.command("open-round", round=ROUND, mode=OPEN)
        values = rig.newest("round-opened")
        self.assertEqual(values["wall_ms"], values["uptime_ms"] + 1000000)

    def test_a_void_in_the_middle_of_a_scene_ends_the_capture(self):
        rig = Rig()
        rig.to_reading()
        rig.board.levels["cover-closed"] = False
        rig.board.levels["cover-open"] = True
        while not rig.board.captures:
            rig.step()
        rig.command("void-round", round=ROUND)
        rig.wait(50)
        self.assertEqual(len(rig.board.captures), 1)
        self.assertEqual(rig.board.lit, None)
        self.assertEqual(rig.kinds()[-1], "void")

    def test_status_names_the_round_and_comes_only_when_it_changes(self):
        rig = Rig()
        rig.wait(1000)
        told = len(rig.link.statuses)
        rig.wait(1000)
        self.assertEqual(len(rig.link.statuses), told)
        self.assertFalse("round" in rig.link.statuses[-1])
        rig.command("open-round", round=ROUND, mode=OPEN)
        rig.step()
        self.assertEqual(len(rig.link.statuses), told + 1)
        self.assertEqual(rig.link.statuses[-1]["round"], ROUND)

    def test_each_step_serves_the_link_both_ways(self):
        rig = Rig()
        rig.board.noisy = True
        rig.link.waiting = [{"id": 9, "command": "open-round", "round": ROUND, "mode": OPEN}]
        polls = rig.link.polls
        rig.step()
        self.assertEqual(rig.link.replies, [(9, "done", "opened", "")])
        self.assertEqual(rig.link.polls, polls + 1)


class Counting(ControllerCase):
    """No flash is written while strokes are counted."""

    def test_what_happens_in_a_tumble_is_journalled_when_the_drive_has_stopped(self):
        rig = Rig()
        rig.command("open-round", round=ROUND, mode=OPEN)
        rig.command("no-more-bets", round=ROUND)
        rig.command("tumble", round=ROUND)
        before = rig.journal.last
        rig.board.levels["cover-closed"] = False
        rig.wait(100)
        rig.board.levels["cover-open"] = True
        rig.wait(100)
        self.assertEqual(rig.command("attest", nonce=b"n" * 16)[0], "wrong-state")
        self.assertTrue(rig.journal.quiet)
        rig.journal.acknowledge(before, 1)
        self.assertEqual((rig.journal.last, rig.journal.acknowledged), (before, 0))
        rig.strokes(4)
        rig.wait(1000)
        kinds = [kind for kind, _ in rig.records()]
        self.assertEqual(kinds[before:], ["enclosure", "enclosure", "tumble", "reading"])
        uptimes = [values["uptime_ms"] for _, values in rig.records()]
        self.assertEqual(uptimes, sorted(uptimes))
        rig.journal.acknowledge(before, 1)
        self.assertEqual(rig.journal.acknowledged, before)

    def test_the_drive_stops_before_a_void_is_journalled(self):
        rig = Rig()
        rig.command("open-round", round=ROUND, mode=COVERED)
        rig.command("tumble", round=ROUND)
        stopped = []
        append = rig.journal.append

        def noting(sequence, record, reserve=True):
            stopped.append(rig.board.driven[-1] == 0)
            append(sequence, record, reserve)

        rig.journal.append = noting
        rig.board.levels["door-closed"] = False
        rig.wait(100)
        self.assertEqual([kind for kind, _ in rig.records()[-3:]], ["enclosure", "fault", "void"])
        self.assertEqual(stopped, [True] * 3)


class Power(ControllerCase):
    def test_power_on_locks_the_cover_and_keeps_what_an_open_round_needs(self):
        rig = Rig()
        self.assertEqual(rig.board.released, [False])
        rig.command("open-round", round=ROUND, mode=OPEN)
        rig.step()
        self.assertEqual(rig.link.keep, 2)
        self.assertEqual(Rig().link.keep, 2)  # the round is over, and kept for recall

    def test_a_cut_round_is_void_and_cannot_be_opened_again(self):
        for stage in ("opened", "tumbled", "closed"):
            clear_folder()
            journals.create(FOLDER)
            rig = Rig()
            if stage == "closed":
                rig.to_reading()
            else:
                rig.command("open-round", round=ROUND, mode=COVERED)
            if stage == "tumbled":
                rig.command("tumble", round=ROUND)
                rig.strokes(4)
            again = Rig()
            boot, void = again.records()[-2:]
            self.assertEqual((boot[0], boot[1]["round"], boot[1]["boot"]), ("boot", ROUND, 2))
            self.assertEqual((void[0], void[1]["fact"]), ("void", FACTS["power-interruption"]))
            self.assertEqual(again.command("open-round", round=ROUND, mode=COVERED)[0], "wrong-round")
            self.assertEqual(again.command("tumble", round=ROUND)[0], "wrong-state")

    def test_an_established_result_stands(self):
        rig = Rig()
        rig.to_reading()
        rig.cover(True)
        rig.wait(100)
        again = Rig()
        self.assertEqual(again.kinds()[-2:], ["reading", "boot"])
        self.assertEqual(again.command("open-round", round=ROUND, mode=COVERED)[0], "wrong-round")

    def test_a_latched_fault_survives_and_is_cleared_after_a_re_check(self):
        rig = Rig()
        rig.board.levels["dome-closed"] = False
        rig.wait(50)
        again = Rig()
        self.assertEqual(again.controller.state.faults, ("dome-open",))
        self.assertEqual(
            again.command("open-round", round=ROUND, mode=OPEN), ("faulted", "faulted", "dome-open")
        )
        again.board.levels["dome-closed"] = False
        again.wait(50)
        self.assertEqual(again.command("clear-fault", fact=FACTS["dome-open"])[0], "still-present")
        again.board.levels["dome-closed"] = True
        again.wait(50)
        self.assertEqual(again.command("clear-fault", fact=FACTS["dome-open"])[:2], ("done", "idle"))
        self.assertEqual(Rig().controller.state.faults, ())

    def test_a_changed_profile_is_on_record(self):
        Rig()
        Rig()
        self.assertFalse("configuration-change" in Rig().kinds())
        self.assertIn("configuration-change", Rig(profile=b"q" * 32).kinds())

    def test_a_program_error_is_journalled_as_a_fault(self):
        rig = Rig()
        rig.command("open-round", round=ROUND, mode=OPEN)
        rig.controller.fail(MemoryError("no room for \u00e4\u00f6\u00fc " + "\u00df" * 40))
        again = Rig()
        self.assertEqual(again.controller.state.faults, ("program-fault",))
        detail = again.newest("fault")["detail"]
        self.assertTrue(detail.startswith("MemoryError: no room for"))
        self.assertTrue(len(detail.encode()) in (47, 48))
        self.assertEqual(again.newest("void")["fact"], FACTS["power-interruption"])


class Faults(ControllerCase):
    def test_a_silent_camera_is_a_sensor_fault_until_it_delivers(self):
        rig = Rig()
        rig.to_reading()
        rig.board.camera_dead = True
        rig.cover(True)
        rig.wait(50)
        self.assertEqual(rig.newest("void")["fact"], FACTS["sensor-fault"])
        rig.cover(False)
        self.assertEqual(rig.command("clear-fault", fact=FACTS["sensor-fault"])[0], "still-present")
        rig.board.camera_dead = False
        self.assertEqual(rig.command("clear-fault", fact=FACTS["sensor-fault"])[0], "done")
        self.assertEqual(rig.board.lit, None)

    def test_the_camera_is_tried_before_its_fault_is_cleared_after_a_power_cut(self):
        rig = Rig()
        rig.to_reading()
        rig.board.camera_dead = True
        rig.cover(True)
        rig.wait(50)
        again = Rig()
        again.board.camera_dead = True
        self.assertEqual(again.command("clear-fault", fact=FACTS["sensor-fault"])[0], "still-present")
        again.board.camera_dead = False
        self.assertEqual(again.command("clear-fault", fact=FACTS["sensor-fault"])[0], "done")

    def test_vibration_that_cannot_be_measured_is_a_sensor_fault_while_it_lasts(self):
        rig = Rig()
        rig.command("open-round", round=ROUND, mode=COVERED)
        rig.board.shaking = -1
        rig.wait(1000)
        self.assertEqual(rig.newest("void")["fact"], FACTS["sensor-fault"])
        self.assertEqual(rig.kinds().count("fault"), 1)
        self.assertEqual(rig.newest("fault")["detail"], "sensor: no samples")
        self.assertEqual(rig.command("clear-fault", fact=FACTS["sensor-fault"])[0], "still-present")
        rig.board.shaking = 0
        rig.wait(10)
        self.assertEqual(rig.command("clear-fault", fact=FACTS["sensor-fault"])[0], "done")

    def test_lost_edges_are_a_sensor_fault(self):
        rig = Rig()
        rig.command("open-round", round=ROUND, mode=COVERED)
        rig.step()
        rig.command("tumble", round=ROUND)
        rig.strokes(2)
        rig.board.edges_lost = True
        rig.strokes(1)
        void = rig.newest("void")
        self.assertEqual((void["fact"], void["detail"]), (FACTS["sensor-fault"], "sensor: edges lost"))
        self.assertEqual(rig.board.driven[-1], 0)

    def test_a_fork_of_the_host_s_history_is_a_memory_fault(self):
        rig = Rig()
        rig.link.tells(None, None, "record 7 differs from the host's")
        rig.wait(10)
        self.assertEqual(rig.newest("fault")["fact"], FACTS["memory-fault"])
        self.assertEqual(rig.command("clear-fault", fact=FACTS["memory-fault"])[0], "still-present")

    def test_a_silent_host_voids_an_open_round(self):
        rig = Rig()
        rig.wait(11000)
        rig.link.tells(None, rig.board.ms, None)
        rig.command("open-round", round=ROUND, mode=OPEN)
        rig.wait(9990)
        self.assertEqual(rig.kinds()[-1], "round-opened")
        rig.wait(30)
        self.assertEqual(rig.newest("void")["fact"], FACTS["host-lost"])


class Commands(ControllerCase):
    def test_attestation_answers_the_nonce(self):
        rig = Rig()
        self.assertEqual(rig.command("attest", nonce=b"n" * 16)[0], "done")
        self.assertEqual(rig.newest("attestation")["nonce"], b"n" * 16)

    def test_no_status_is_of_before_a_command_that_was_answered(self):
        """Nothing that the host asks after it may be answered by what was told before it."""
        rig = Rig()
        rig.command("open-round", round=ROUND, mode=OPEN)
        self.assertEqual((rig.link.told_at_reply or {})["round"], ROUND)
        rig.command("void-round", round=ROUND)
        self.assertFalse("round" in (rig.link.told_at_reply or {}))
        told = len(rig.link.statuses)
        rig.command("attest", nonce=b"n" * 16)  # which changes nothing but where the journal ends
        self.assertEqual(len(rig.link.statuses), told + 1)

    def test_what_is_asked_in_a_long_step_is_not_answered_by_what_was_told_before_it(self):
        rig = Rig()
        rig.board.noisy = True
        rig.board.levels["tilted"] = True
        rig.link.statuses.clear()
        rig.wait(200)
        known = []
        feed = rig.link.feed

        def asked(data, now):
            known.append(list(rig.link.statuses[-1]["faults"]) == list(rig.controller.state.faults))
            return feed(data, now)

        rig.link.feed = asked
        rig.board.levels["tilted"] = False
        rig.board.levels["door-closed"] = False
        rig.wait(200)
        self.assertTrue("door-open" in rig.controller.state.faults)
        self.assertTrue(all(known))

    def test_dice_are_changed_between_rounds_only(self):
        rig = Rig()
        self.assertEqual(rig.command("change-dice-set", dice_set="set 12")[0], "done")
        rig.command("open-round", round=ROUND, mode=OPEN)
        self.assertEqual(rig.command("change-dice-set", dice_set="set 13")[0], "wrong-state")
        self.assertEqual(rig.newest("dice-set-change")["dice_set"], "set 12")

    def test_an_unknown_fault_cannot_be_cleared(self):
        self.assertEqual(Rig().command("clear-fault", fact=99)[0], "wrong-state")

    def test_a_full_journal_opens_no_round_but_ends_the_running_one(self):
        rig = Rig()
        opened = 0
        answer = ("",)
        for number in range(600):
            answer = rig.command("open-round", round=number.to_bytes(16, "big"), mode=OPEN)
            if answer[0] != "done":
                break
            opened += 1
            self.assertEqual(rig.command("void-round", round=number.to_bytes(16, "big"))[0], "done")
            rig.step()
        self.assertEqual(answer[0], "journal-full")
        self.assertTrue(opened > 100)
        self.assertEqual(rig.controller.state.phase, "idle")
        rig.journal.acknowledge(rig.journal.last, rig.link.keep)
        self.assertEqual(rig.command("open-round", round=ROUND, mode=OPEN)[0], "done")

    def test_a_journal_full_of_enclosure_changes_stops_nothing(self):
        rig = Rig()
        rig.swing("door-closed", 600)
        self.assertEqual(rig.controller.state.faults, ("door-open",))
        self.assertEqual(rig.command("clear-fault", fact=FACTS["door-open"])[0], "done")
        self.assertEqual(rig.command("open-round", round=ROUND, mode=OPEN)[0], "journal-full")
        rig.journal.acknowledge(rig.journal.last, rig.link.keep)
        self.assertEqual(rig.command("open-round", round=ROUND, mode=OPEN)[0], "done")

    def test_a_full_journal_lets_the_board_boot_once_the_host_has_taken_records(self):
        rig = Rig()
        rig.command("open-round", round=ROUND, mode=OPEN)
        rig.swing("door-closed", 600)
        last = rig.journal.last
        again = Rig()
        again.wait(50)
        self.assertEqual(again.journal.last, last)
        self.assertEqual(again.command("attest", nonce=b"n" * 16)[0], "journal-full")
        self.assertEqual(again.command("clear-fault", fact=FACTS["door-open"])[0], "journal-full")
        again.controller.fail(ValueError("nothing before the boot"))
        self.assertEqual(again.journal.last, last)
        again.journal.acknowledge(last, again.link.keep)
        again.wait(50)
        self.assertEqual(again.records(1)[0][0], "boot")
        self.assertEqual(again.controller.state.faults, ("door-open",))
        self.assertEqual(again.command("clear-fault", fact=FACTS["door-open"])[0], "done")

    def test_a_boot_that_the_flash_does_not_keep_is_a_memory_fault(self):
        rig = Rig()
        rig.command("open-round", round=ROUND, mode=OPEN)
        for kept in (0, 1):  # of the boot's records

            class Worn(Journal):
                left = kept

                def append(self, sequence, record, reserve=True):
                    if not self.left:
                        raise JournalDamaged(sequence, "the flash does not keep what is written")
                    self.left -= 1
                    super().append(sequence, record, reserve)

            again = Rig(journal=Worn(FOLDER))
            again.wait(50)
            self.assertEqual(again.link.statuses[-1]["faults"], ("memory-fault",))
            self.assertEqual(again.command("open-round", round=b"s" * 16, mode=OPEN)[0], "faulted")
            self.assertEqual(again.records()[1][1]["round"], ROUND)
        self.assertEqual(Rig().newest("void")["fact"], FACTS["power-interruption"])

    def test_what_waited_on_the_line_while_flash_was_written_is_not_taken_for_new(self):
        rig = Rig()
        read_at = []
        append = rig.journal.append

        def slowly(sequence, record, reserve=True):
            rig.board.ms += 400
            append(sequence, record, reserve)

        def feed(data, now):
            read_at.append(now)
            return [{"id": 1, "command": "attest", "nonce": b"n" * 16}] if len(read_at) == 1 else []

        rig.journal.append, rig.link.feed = slowly, feed
        rig.board.noisy = True
        rig.step()
        self.assertEqual(read_at[1] - read_at[0], 400)

    def test_a_boot_in_the_last_place_tells_of_a_new_profile_all_the_same(self):
        rig = Rig()
        while rig.command("change-dice-set", dice_set="set")[0] == "done":
            pass
        again = Rig(profile=b"q" * 32, journal=Journal(FOLDER, capacity=rig.journal.last + RESERVE + 1))
        self.assertEqual([kind for kind, _ in again.records(2)], ["boot", "configuration-change"])

    def test_an_interrupted_round_is_void_after_a_boot_that_waited(self):
        rig = Rig()
        for _ in range(600):
            if rig.command("change-dice-set", dice_set="set")[0] != "done":
                break
        rig.step()
        rig.journal.acknowledge(rig.journal.last - 400, rig.link.keep)
        rig.command("open-round", round=ROUND, mode=OPEN)
        rig.swing("cover-closed", 450)
        again = Rig()
        self.assertEqual(again.records(1)[0][1]["boot"], 1)
        again.wait(50)
        self.assertEqual(again.link.statuses, [])  # that it plays no round would pass for a round forgotten
        again.journal.acknowledge(again.journal.last, again.link.keep)
        again.wait(50)
        self.assertFalse("round" in again.link.statuses[0])
        boot, void = again.records(2)
        self.assertEqual((boot[0], boot[1]["round"]), ("boot", ROUND))
        self.assertEqual((void[0], void[1]["fact"]), ("void", FACTS["power-interruption"]))
        self.assertEqual(again.command("open-round", round=b"n" * 16, mode=OPEN)[0], "done")

    def test_a_fault_that_stays_does_not_fill_the_journal_of_a_connected_table(self):
        rig = Rig()
        for _ in range(8):
            rig.swing("door-closed", 100)
            rig.journal.acknowledge(rig.journal.last, rig.link.keep)
        self.assertTrue(rig.journal.last > 750)
        self.assertEqual(Rig().controller.state.faults, ("door-open",))

    def test_a_line_that_never_falls_silent_does_not_keep_the_sensors_waiting(self):
        rig = Rig()
        rig.board.noisy = True
        rig.board.levels["tilted"] = True
        rig.wait(50)
        self.assertEqual(rig.controller.state.faults, ("tilted",))

    def test_the_limits_of_this_test_are_complete(self):
        self.assertEqual(sorted(VALUES), sorted(LIMITS))


if __name__ == "__main__":
    unittest.main()
