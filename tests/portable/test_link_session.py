"""The device's session: greeting, go-back-N, forks, authenticated commands, hostile input."""

import unittest
from hashlib import sha256

from tumbler import definitions
from tumbler.definitions import COMMANDS, DEVICE_STATES, FACTS, HOST_TYPES, PLAY_MODES, SEND_WINDOW
from tumbler.link.framing import FrameParser, encode_frame
from tumbler.link.hmac import equal, hmac_sha256
from tumbler.link.session import DeviceSession
from tumbler.records import cbor
from tumbler.records.messages import mac_input, pack_message, unpack_message

SESSION = 0x8000A001
KEY = bytes(range(32))
ROUND = bytes(range(16))
IDENTITY = {"device": b"tumbler1", "boot": 7, "firmware": b"\x0f" * 32}


class MemoryJournal:
    """A journal that forgets on power loss."""

    def __init__(self, count=0):
        self.records = {}
        self.first = 0
        self.last = 0
        self.acknowledged = 0
        self.keeps = []
        for _ in range(count):
            self.append()

    def append(self):
        self.last += 1
        self.first = self.first or 1
        self.records[self.last] = b"record %d " % self.last + bytes(60)

    def read(self, sequence):
        return self.records[sequence]

    def acknowledge(self, sequence, keep):
        self.acknowledged = sequence
        self.keeps.append(keep)

    def digest(self, sequence):
        return sha256(self.records[sequence]).digest() if sequence else definitions.FIRST_PREVIOUS


class Line:
    """The host's end, by hand: what the device wrote, taken apart; it takes `room` more bytes."""

    def __init__(self):
        self.room = 100000
        self.parser = FrameParser()
        self.frames = []
        self.sessions = [SESSION]  # that the device may be in

    def write(self, data):
        data = bytes(data)[: self.room]
        self.room -= len(data)
        for frame in self.parser.feed(data):
            self.frames.append(frame)
        return len(data) or None

    def taken(self):
        """[(name, values), ...] since the last call."""
        messages = []
        for type_byte, session, body in self.frames:
            if session not in self.sessions:
                raise ValueError(session)
            messages.append(unpack_message(type_byte, body))
        self.frames = []
        return messages

    def names(self):
        return [name for name, _ in self.taken()]

    def records(self):
        return [values["sequence"] for name, values in self.taken() if name == "record"]


def frame(name, values, session=SESSION):
    return encode_frame(HOST_TYPES[name], session, pack_message(name, values))


def greet(greeting, **values):
    return frame("greet", dict(values, greeting=greeting), 0)


def sealed(values, key=KEY, session=SESSION, name="command"):
    """The values of a message with its MAC."""
    values = dict(values)
    values["mac"] = hmac_sha256(key, mac_input(name, session, values))[:16]
    return values


def command(id, name="tumble", key=KEY, session=SESSION, **arguments):
    values = {"id": id, "command": COMMANDS[name][0]}
    values.update(arguments)
    return frame("command", sealed(values, key, session), session)


def seal_of(name, values, key=KEY, session=SESSION):
    """The frame of a sealed message."""
    return frame(name, sealed(values, key, session, name), session)


class SessionCase(unittest.TestCase):
    records = 0

    def setUp(self):
        self.journal = MemoryJournal(self.records)
        self.line = Line()
        self.session = DeviceSession(self.journal, KEY, IDENTITY, SESSION, self.line.write)
        self.greeting = 0  # the newest

    def greet(self, now):
        """Begin a new conversation; returns its session."""
        self.greeting += 1
        if self.greeting > 1:
            self.line.sessions.append(self.line.sessions[-1] + 1)
        self.session.feed(greet(self.greeting), now)
        return self.line.sessions[-1]

    def welcome(self, committed=0, now=0, digest=None, wall_ms=None):
        """Welcome the conversation, the first one if there is none yet."""
        digest = digest or self.journal.digest(committed)
        values = {"protocol": 1, "committed": committed, "committed_hash": digest}
        values["wall_ms"] = 1000000 + now if wall_ms is None else wall_ms
        self.session.poll(now)
        if not self.greeting:
            self.greet(now)
        data = seal_of("welcome", values, session=self.line.sessions[-1])
        self.session.feed(data, now)
        return data

    def ack(self, committed, now, session=None):
        session = self.line.sessions[-1] if session is None else session
        self.session.feed(seal_of("ack", {"committed": committed}, session=session), now)

    def nak(self, expected, now):
        self.session.feed(frame("nak", {"expected": expected}, self.line.sessions[-1]), now)

    def replies(self):
        return [values for name, values in self.line.taken() if name == "reply"]


class Greeting(SessionCase):
    records = 3

    def test_hello_says_who_and_what(self):
        self.session.poll(0)
        ((name, values),) = self.line.taken()
        self.assertEqual(name, "hello")
        self.assertEqual(values["schema"], definitions.schema_digest())
        self.assertEqual((values["device"], values["boot"]), (b"tumbler1", 7))
        self.assertEqual((values["first"], values["last"]), (1, 3))

    def test_hello_is_repeated_each_second_until_the_welcome(self):
        for now in range(0, 3500, 50):
            self.session.poll(now)
        self.assertEqual(self.line.names(), ["hello"] * 4)
        self.assertFalse(self.session.connected)
        self.welcome(3, 3600)
        self.line.taken()
        self.assertTrue(self.session.connected)
        for now in range(3600, 9000, 50):
            self.session.poll(now)
        self.assertEqual(self.line.names(), [])

    def test_a_greeting_is_answered_at_once_and_asks_for_a_new_welcome(self):
        self.welcome(3)
        self.line.taken()
        self.greet(10)
        self.assertEqual(self.line.names(), ["hello"])
        self.assertFalse(self.session.connected)
        self.welcome(1, 20)
        self.assertEqual(self.line.records(), [2, 3])

    def test_nothing_is_sent_before_the_welcome_but_hello(self):
        self.session.poll(0)
        self.session.notify({"state": "idle", "strokes": 0, "at_rest": True, "faults": []}, 1)
        self.ack(3, 2)
        self.assertEqual(self.session.feed(command(1, round=ROUND), 3), [])
        self.assertEqual(self.line.names(), ["hello"])
        self.assertEqual(self.journal.acknowledged, 0)

    def test_wall_time_and_life(self):
        self.assertIsNone(self.session.heard)
        self.assertIsNone(self.session.wall_offset)
        self.welcome(0, 500)
        self.assertEqual(self.session.heard, 500)
        self.assertEqual(self.session.wall_offset, 1000000)
        self.session.feed(frame("ping", {}), 900)
        self.assertEqual(self.session.heard, 900)

    def test_frames_of_another_session_are_no_sign_of_life(self):
        self.welcome(0, 500)
        for data in (frame("ping", {}, 77), frame("greet", {"greeting": 9}, 77)):
            self.session.feed(data, 900)
        self.ack(2, 900, session=77)
        self.assertEqual(self.session.heard, 500)
        self.assertEqual(self.session.committed, 0)
        self.assertTrue(self.session.connected)

    def test_another_protocol_is_not_accepted(self):
        values = {"protocol": 2, "committed": 0, "committed_hash": bytes(32), "wall_ms": 1}
        self.greet(0)
        self.session.feed(seal_of("welcome", values), 0)
        self.assertFalse(self.session.connected)

    def test_session_zero_is_refused(self):
        for session in (0, -1, 2**32):
            with self.assertRaises(ValueError):
                DeviceSession(self.journal, KEY, IDENTITY, session, self.line.write)


class Forks(SessionCase):
    records = 9

    def forked(self, committed, digest=None):
        self.welcome(committed, digest=digest or bytes(31) + b"\x01")
        for now in range(0, 8000, 100):
            self.session.poll(now)
        self.assertEqual(self.line.records(), [])
        self.assertTrue(self.session.connected)
        self.assertEqual(self.journal.keeps, [])
        why = self.session.forked or ""
        self.assertTrue(len(why) <= definitions.MAX_DETAIL)
        return why

    def test_the_same_record_goes_on(self):
        self.welcome(5)
        self.assertIsNone(self.session.forked)
        self.assertEqual(self.journal.acknowledged, 5)
        self.assertEqual(self.line.records(), [6, 7, 8, 9])

    def test_another_record_of_that_number(self):
        self.assertEqual(self.forked(5), "record 5 differs from the host's")

    def test_no_record_but_a_hash(self):
        self.assertEqual(self.forked(0), "record 0 differs from the host's")

    def test_a_host_ahead_of_the_journal(self):
        self.assertEqual(self.forked(10), "host has record 10, journal ends at 9")
        self.ack(10, 9000)
        self.assertEqual(self.journal.acknowledged, 0)

    def test_records_gone_before_the_host_had_them(self):
        self.journal.first = 4
        self.assertEqual(self.forked(2), "host has record 2, journal starts at 4")

    def test_the_record_before_the_oldest_cannot_be_compared_here(self):
        self.journal.first = 4
        self.welcome(3, digest=b"\x01" * 32)
        self.assertIsNone(self.session.forked)
        self.assertEqual(self.line.records(), [4, 5, 6, 7])

    def test_commands_still_work_so_that_the_fault_can_be_seen(self):
        self.forked(10)
        self.assertEqual(len(self.session.feed(command(1, "attest", nonce=ROUND), 0)), 1)

    def test_a_new_welcome_decides_anew(self):
        self.forked(10)
        self.greet(9000)
        self.welcome(9, 9000)
        self.assertIsNone(self.session.forked)


class Window(SessionCase):
    records = 9

    def test_no_more_than_the_window_in_flight(self):
        self.welcome(0)
        self.assertEqual(self.line.records(), [1, 2, 3, 4])
        self.assertEqual(SEND_WINDOW, 4)
        self.ack(1, 10)
        self.assertEqual(self.line.records(), [5])
        self.ack(5, 20)
        self.assertEqual(self.line.records(), [6, 7, 8, 9])
        self.assertEqual(self.session.committed, 5)
        self.assertEqual(self.journal.acknowledged, 5)

    def test_records_go_out_as_stored(self):
        self.welcome(0)
        records = [values for name, values in self.line.taken() if name == "record"]
        self.assertEqual(len(records), 4)
        for values in records:
            self.assertEqual(values["record"], self.journal.read(values["sequence"]))

    def test_a_new_record_is_picked_up(self):
        self.welcome(9)
        self.session.poll(10)
        self.assertEqual(self.line.records(), [])
        self.journal.append()
        self.session.poll(20)
        self.assertEqual(self.line.records(), [10])

    def test_repetition_backs_off_to_five_seconds_and_never_ends(self):
        self.welcome(6)
        times = []
        self.line.taken()
        for now in range(0, 60000, 10):
            self.session.poll(now)
            if self.line.records() == [7, 8, 9]:
                times.append(now)
        self.assertEqual(times[:6], [1000, 3000, 7000, 12000, 17000, 22000])
        self.assertEqual(times[-1], 57000)
        self.ack(7, 60000)
        self.session.poll(64990)
        self.assertEqual(self.line.records(), [])
        self.session.poll(65000)
        self.assertEqual(self.line.records(), [8, 9])

    def waited(self, now):
        """How long after `now` the records in flight are sent again."""
        self.line.taken()
        for ms in range(0, 6000, 10):
            self.session.poll(now + ms)
            if self.line.records():
                return ms
        return None

    def test_the_time_to_repeat_follows_what_the_host_takes(self):
        """Quick hosts are waited for as long as the worst stall takes, slow ones as long as they need."""
        for took, expected in ((5, 600), (900, 2700)):
            self.setUp()
            self.welcome(0)
            self.ack(1, took)
            self.assertEqual(self.waited(took), expected)

    def test_a_slow_host_is_learnt_in_spite_of_repetition(self):
        """Answers to records sent twice measure nothing: the back-off stays until one is sent only once."""
        self.journal.records = {}
        self.journal.first = self.journal.last = 0
        now, resends = 0, []
        self.welcome(0, digest=definitions.FIRST_PREVIOUS)
        for sequence in range(1, 8):
            before = self.session.counters["resends"]
            self.journal.append()
            for _ in range(300):  # the host takes 3 s for each commit
                self.session.poll(now)
                now += 10
            self.ack(sequence, now)
            resends.append(self.session.counters["resends"] - before)
        self.assertEqual(resends[0], 1)
        self.assertEqual(resends[2:], [0] * 5)

    def test_the_time_to_repeat_starts_with_the_last_byte(self):
        self.line.room = 0
        self.welcome(7)
        now = 0
        sent = []
        while 9 not in sent:
            now += 300
            self.line.room = 9
            self.session.poll(now)
            sent += self.line.records()
        self.assertTrue(now > 4000)
        self.assertEqual(sent, [8, 9])
        self.line.room = 1000
        self.session.poll(now + 999)
        self.assertEqual(self.line.records(), [])
        self.session.poll(now + 1000)
        self.assertEqual(self.line.records(), [8, 9])

    def test_a_nak_goes_back_once_in_a_while(self):
        self.welcome(0)
        self.line.taken()
        self.nak(2, 10)
        self.assertEqual(self.line.records(), [2, 3, 4])
        for now in range(11, 200):
            self.nak(2, now)
        self.assertEqual(self.line.records(), [])
        self.nak(3, 300)
        self.assertEqual(self.line.records(), [3, 4])
        self.assertEqual(self.session.committed, 0)

    def test_senseless_numbers_change_nothing(self):
        self.welcome(2)
        self.assertEqual(self.line.records(), [3, 4, 5, 6])
        for sequence in (0, 1, 2, 7, 9, 10, 2**64 - 1):
            self.ack(sequence, 10)
            self.nak(sequence, 10000 * sequence if sequence < 99 else 10)
        self.assertEqual(self.line.records(), [])
        self.assertEqual((self.session.committed, self.journal.acknowledged), (2, 2))

    def test_a_late_copy_of_the_welcome_does_not_turn_back(self):
        self.welcome(0)
        self.ack(4, 10)
        self.line.taken()
        self.journal.first = 4
        self.welcome(0, 20)
        self.assertIsNone(self.session.forked)
        self.assertEqual((self.session.committed, self.line.records()), (4, []))

    def test_what_to_keep_is_passed_on(self):
        self.session.keep = 3
        self.welcome(2)
        self.session.keep = None
        self.ack(4, 10)
        self.assertEqual(self.journal.keeps, [3, 5])

    def test_a_line_that_takes_little_or_nothing(self):
        taken = []
        self.line.room = 0
        self.welcome(0)
        for now in range(400):
            self.line.room = (0, 1, 0, 7, 2)[now % 5]
            self.session.poll(now)
            taken += self.line.taken()
        self.assertEqual([name for name, _ in taken], ["hello", "record", "record", "record", "record"])
        self.assertEqual(self.line.parser.crc_errors + self.line.parser.noise, 0)


class Status(SessionCase):
    records = 2

    def setUp(self):
        super().setUp()
        self.values = {
            "state": "faulted",
            "strokes": 3,
            "at_rest": False,
            "faults": ["tilted"],
            "round": ROUND,
        }

    def test_status_is_sent_and_answers_pings(self):
        self.welcome(2)
        self.line.taken()
        self.session.feed(frame("ping", {}), 5)
        self.assertEqual(self.line.names(), [])
        self.session.notify(self.values, 10)
        self.session.feed(b"\x00\x05garbage\x00" + encode_frame(1, 2)[:-2] + b"\x7f\x00", 15)
        self.session.feed(frame("ping", {}), 20)
        (_, first), (_, second) = self.line.taken()
        self.assertEqual(first["state"], DEVICE_STATES["faulted"])
        self.assertEqual(first["faults"], [FACTS["tilted"]])
        self.assertEqual((first["last"], first["uptime_ms"], first["crc_errors"]), (2, 10, 0))
        self.assertEqual((second["round"], second["uptime_ms"], second["crc_errors"]), (ROUND, 20, 1))

    def test_only_the_newest_status_waits_behind_the_one_being_written(self):
        self.welcome(2)
        self.line.taken()
        self.line.room = 0
        for strokes in range(20):
            self.session.notify(dict(self.values, strokes=strokes), strokes)
        self.line.room = 10000
        self.session.poll(30)
        self.assertEqual([values["strokes"] for _, values in self.line.taken()], [0, 19])


class Commands(SessionCase):
    records = 4

    def setUp(self):
        super().setUp()
        self.welcome(4)
        self.line.taken()

    def refused(self, data, status, now=50):
        """The command in `data` is refused with `status`; returns the reply."""
        self.assertEqual(self.session.feed(data, now), [])
        (reply,) = self.replies()
        self.assertEqual(reply["status"], definitions.REPLY_STATUSES[status])
        return reply

    def test_a_command_by_name_and_its_reply(self):
        mode = PLAY_MODES["open"]
        (given,) = self.session.feed(command(11, "open-round", round=ROUND, mode=mode), 5)
        self.assertEqual(given, {"id": 11, "command": "open-round", "round": ROUND, "mode": mode})
        self.session.reply(11, "wrong-state", "tumbling", "a round is open", 6)
        (reply,) = self.replies()
        self.assertEqual((reply["id"], reply["status"], reply["state"]), (11, 5, 2))
        self.assertEqual((reply["detail"], reply["sequence"]), ("a round is open", 4))

    def test_every_command_of_the_protocol(self):
        arguments = {"round": ROUND, "mode": 0, "fact": FACTS["tilted"], "nonce": ROUND, "dice_set": "set 9"}
        for id, name in enumerate(COMMANDS):
            chosen = {argument: arguments[argument] for argument in COMMANDS[name][1]}
            (given,) = self.session.feed(command(id, name, **chosen), 5)
            self.assertEqual(given["command"], name)
            self.session.reply(id, "done", "idle", None, 5)
            self.assertEqual(self.replies()[0]["status"], 0)
        self.assertEqual(self.session.counters["refused"], 0)

    def test_a_repeated_command_gets_its_reply_again_and_is_not_carried_out_again(self):
        self.assertEqual(len(self.session.feed(command(1, round=ROUND), 5)), 1)
        for now in (6, 7):
            self.assertEqual(self.session.feed(command(1, round=ROUND), now), [])
        self.assertEqual(self.replies(), [])
        self.session.reply(1, "done", "tumbling", None, 8)
        (first,) = self.replies()
        self.journal.append()
        for now in (9, 10):
            self.assertEqual(self.session.feed(command(1, round=ROUND), now), [])
            self.assertEqual(self.replies(), [first])

    def test_the_newest_eight_replies_are_kept(self):
        for id in range(1, 11):
            self.session.feed(command(id, round=ROUND), id)
            self.session.reply(id, "done", "idle", str(id), id)
        self.replies()
        for id in range(3, 11):
            self.assertEqual(self.session.feed(command(id, round=ROUND), 20), [])
            self.assertEqual(self.replies()[0]["detail"], str(id))
        for id in (1, 2):
            reply = self.refused(command(id, round=ROUND), "replayed")
            self.assertEqual((reply["id"], reply["detail"]), (id, "10"))

    def test_an_older_or_reused_id_is_replayed(self):
        self.session.feed(command(9, round=ROUND), 5)
        self.refused(command(8, round=ROUND), "replayed")
        self.refused(command(9, round=bytes(16)), "replayed")
        self.refused(command(9, "void-round", round=ROUND), "replayed")

    def test_a_wrong_mac_changes_nothing(self):
        self.refused(command(20, round=ROUND, key=KEY[:-1] + b"x"), "bad-mac")
        values = sealed({"id": 20, "command": 2, "round": ROUND})
        for index in range(16):
            mac = bytearray(values["mac"])
            mac[index] ^= 1
            self.refused(frame("command", dict(values, mac=bytes(mac))), "bad-mac")
        self.refused(frame("command", dict(values, id=21)), "bad-mac")
        self.assertEqual(len(self.session.feed(command(1, round=ROUND), 5)), 1)

    def test_a_command_of_another_session_is_not_ours(self):
        self.assertEqual(self.session.feed(command(1, round=ROUND, session=5), 5), [])
        self.assertEqual(self.replies(), [])
        stolen = pack_message("command", sealed({"id": 1, "command": 2, "round": ROUND}, session=5))
        self.refused(encode_frame(HOST_TYPES["command"], SESSION, stolen), "bad-mac")

    def test_unknown_and_incomplete_commands(self):
        reply = self.refused(frame("command", sealed({"id": 5, "command": 99})), "unknown-command")
        self.assertEqual((reply["id"], reply["detail"]), (5, "command 99"))
        reply = self.refused(command(5, "open-round", round=ROUND), "malformed")
        self.assertEqual(reply["detail"], "open-round: mode is missing")
        reply = self.refused(command(5, "tumble", round=ROUND, nonce=ROUND), "malformed")
        self.assertEqual(reply["detail"], "tumble has no nonce")
        self.assertEqual(len(self.session.feed(command(5, round=ROUND), 5)), 1)

    def test_malformed_bodies(self):
        bodies = (b"", b"\xa0", b"\xff" * 40, b"\x81" * 900, cbor.encode([1]), cbor.encode({0: "one"}))
        for body in bodies:
            self.assertEqual(self.refused(encode_frame(0x14, SESSION, body), "malformed")["id"], 0)
        bodies = ({0: 7}, {0: 7, 1: 2, 7: b"short"}, {0: 7, 1: 1, 2: ROUND, 3: 9, 7: ROUND}, {0: 7, 30: 1})
        for body in bodies:
            data = encode_frame(0x14, SESSION, cbor.encode(body))
            self.assertEqual(self.refused(data, "malformed")["id"], 7)

    def test_a_long_detail_is_cut_to_what_fits(self):
        self.session.feed(command(1, round=ROUND), 5)
        self.session.reply(1, "faulted", "idle", "\u00e9" * 40, 6)
        self.assertEqual(self.replies()[0]["detail"], "\u00e9" * 24)

    def test_a_reply_that_waits_is_not_queued_twice(self):
        self.session.feed(command(1, round=ROUND), 5)
        self.line.room = 0
        self.session.reply(1, "done", "idle", None, 5)
        for now in range(6, 12):
            self.session.feed(command(1, round=ROUND), now)
        self.line.room = 10000
        self.session.poll(12)
        self.assertEqual([reply["id"] for reply in self.replies()], [1, 1])  # one was being written

    def test_replies_that_find_no_room_are_bounded(self):
        self.line.room = 0
        for id in range(1, 30):
            self.session.feed(command(id, round=ROUND), 5)
            self.session.reply(id, "done", "idle", None, 5)
        self.line.room = 10000
        self.session.poll(6)
        ids = [reply["id"] for reply in self.replies()]
        self.assertEqual(ids, list(range(1, len(ids) + 1)))
        self.assertTrue(8 <= len(ids) <= 9)
        self.assertEqual(self.session.counters["dropped"], 29 - len(ids))
        self.assertEqual(self.session.feed(command(29, round=ROUND), 7), [])
        self.assertEqual(self.replies()[0]["id"], 29)


class Hostile(SessionCase):
    records = 2

    def test_the_link_lives_after_anything(self):
        self.welcome(0)
        self.line.taken()
        state = 99
        for _ in range(250):
            body = bytearray()
            for _ in range(state % 40):
                state = (state * 75 + 74) % 65537
                body.append(state & 0xFF)
            state = (state * 75 + 74) % 65537
            for type_byte in (state & 0xFF, 0x11 + state % 10):
                for session in (SESSION, 0, 5):
                    if (type_byte, session) != (HOST_TYPES["greet"], 0):
                        self.assertEqual(self.session.feed(encode_frame(type_byte, session, body), 10), [])
            self.assertEqual(self.session.feed(body, 10), [])
        self.session.feed(b"\x00" + encode_frame(0x14, SESSION, bytes(3000)), 10)
        self.assertTrue(self.session.parser.overruns >= 1)
        self.line.taken()
        self.assertEqual((self.session.committed, self.journal.acknowledged), (0, 0))
        self.assertTrue(self.session.connected)
        self.assertEqual(len(self.session.feed(command(1, round=ROUND), 11)), 1)
        self.ack(2, 12)
        self.assertEqual(self.journal.acknowledged, 2)

    def test_our_own_echo_is_not_taken_for_the_host(self):
        self.session.poll(0)
        self.welcome(0)
        for type_byte, session, body in list(self.line.frames):
            self.session.feed(encode_frame(type_byte, session, body), 600)
        self.assertEqual(self.session.heard, 0)
        self.assertTrue(self.session.counters["echoes"] >= 3)
        self.assertEqual(self.session.counters["malformed"], 0)


class Forgeries(SessionCase):
    records = 9

    def test_a_welcome_is_good_for_one_greeting(self):
        earlier = [self.welcome(3, 10)]
        for now in (100, 200):
            self.greet(now)
            self.greet(now + 1)  # by anyone, as often as he likes
            for data in earlier:
                self.session.feed(data, now + 2)
            self.assertFalse(self.session.connected)
            self.assertEqual(self.session.wall_offset, 1000000)
            earlier.append(self.welcome(4, now + 3))
            self.assertTrue(self.session.connected)
        self.assertEqual(self.session.counters["stale"], 3)
        self.assertEqual(self.session.heard, 203)

    def test_a_welcome_of_nobody_who_holds_the_key_is_none(self):
        digest = self.journal.digest(9)
        values = {"protocol": 1, "committed": 9, "committed_hash": digest, "wall_ms": 5}
        self.greet(0)
        for data in (
            seal_of("welcome", values, key=bytes(32)),
            frame("welcome", dict(values, mac=bytes(16))),
            frame("welcome", dict(sealed(values, name="welcome"), wall_ms=6)),
            frame("welcome", sealed(values, session=SESSION + 1, name="welcome")),  # of an earlier boot
        ):
            self.session.feed(data, 10)
        self.assertFalse(self.session.connected)
        self.assertIsNone(self.session.wall_offset)
        self.assertIsNone(self.session.heard)
        self.assertEqual(self.session.counters["bad_macs"], 4)

    def test_no_record_is_given_up_for_a_forged_acknowledgement(self):
        self.welcome(0)
        ack = {"committed": 3}
        seal = sealed(ack, name="ack")["mac"]
        for data in (
            seal_of("ack", ack, key=bytes(32)),
            frame("ack", dict(ack, mac=bytes(16))),
            frame("ack", {"committed": 4, "mac": seal}),
            frame("ack", sealed(ack, session=SESSION + 1, name="ack")),
        ):
            self.session.feed(data, 10)
        self.assertEqual((self.session.committed, self.journal.acknowledged), (0, 0))
        self.assertEqual(self.session.counters["bad_macs"], 4)
        self.ack(3, 20)
        self.assertEqual(self.journal.acknowledged, 3)

    def test_a_seal_of_one_message_fits_no_other(self):
        """An ACK's map is the beginning of a COMMAND's: only the type in the MAC tells them apart."""
        self.welcome(0)
        core = {"id": 3, "command": 5}
        mac = sealed(core)["mac"]
        label = definitions.SEAL_LABEL + bytes([0x12]) + SESSION.to_bytes(4, "big")
        forged = hmac_sha256(KEY, label + cbor.encode({0: 3, 1: 5}))[:16]
        self.session.feed(frame("ack", {"committed": 3, "mac": mac}), 10)
        self.session.feed(frame("command", dict(core, mac=forged)), 10)
        self.assertEqual(self.session.counters["bad_macs"], 2)
        self.assertEqual(self.journal.acknowledged, 0)

    def test_a_stranger_s_questions_keep_no_round_waiting(self):
        """Only the welcomed host is the one whose silence means that it is lost."""
        self.greet(10)
        for name, values in (("ping", {}), ("inspect", {}), ("recall", {"sequence": 1})):
            self.session.feed(frame(name, values), 10)
        self.assertIsNone(self.session.heard)

    def test_a_greeting_of_another_device_s_host_changes_nothing(self):
        self.welcome(9)
        self.line.taken()
        self.session.feed(greet(99, device=b"tumbler2"), 10)
        self.assertTrue(self.session.connected)
        self.assertEqual(self.line.names(), [])
        self.line.sessions.append(SESSION + 1)
        self.session.feed(greet(99, device=b"tumbler1"), 20)
        self.assertEqual(self.line.names(), ["hello"])


class Conversations(SessionCase):
    """Whatever was said in an earlier conversation does nothing, and says nothing, in the present one."""

    records = 4

    def setUp(self):
        super().setUp()
        self.session.notify({"state": "idle", "strokes": 0, "at_rest": True, "faults": []}, 0)
        self.line.taken()

    def test_a_hello_says_which_greeting_it_answers_and_no_number_is_used_twice(self):
        self.session.poll(1000)
        for now in (1001, 1002, 1003):
            self.greet(now)
        frames = self.line.frames
        frames = [(session, unpack_message(kind, body)[1]["greeting"]) for kind, session, body in frames]
        self.assertEqual(frames, [(SESSION, 0), (SESSION, 1), (SESSION + 1, 2), (SESSION + 2, 3)])

    def test_the_numbers_go_round_past_zero(self):
        self.session = DeviceSession(self.journal, KEY, IDENTITY, 0xFFFFFFFF, self.line.write)
        for greeting in (5, 6, 7):
            self.session.feed(greet(greeting), 0)
        self.assertEqual([session for _, session, _ in self.line.frames], [0xFFFFFFFF, 1, 2])

    def test_a_late_copy_of_the_greeting_changes_nothing(self):
        self.welcome(4)
        self.line.taken()
        for now in (10, 20):
            self.session.feed(greet(1), now)
        self.assertEqual(self.line.names(), [])
        self.assertTrue(self.session.connected)
        self.assertEqual(len(self.session.feed(command(1, round=ROUND), 30)), 1)

    def test_while_not_welcomed_each_copy_of_the_greeting_is_answered(self):
        self.greet(0)
        self.session.feed(greet(1), 10)
        self.session.feed(greet(1), 20)
        self.assertEqual(self.line.names(), ["hello"] * 3)

    def test_no_number_out_of_range_is_a_greeting(self):
        self.welcome(4)
        self.line.taken()
        for greeting in (0, 2**32, 2**64 - 1):
            self.session.feed(greet(greeting), 10)
        self.assertEqual(self.line.names(), [])
        self.assertTrue(self.session.connected)
        self.assertEqual(self.session.counters["malformed"], 3)

    def test_nobody_is_welcome_before_a_greeting(self):
        values = {"protocol": 1, "committed": 4, "committed_hash": self.journal.digest(4), "wall_ms": 9}
        self.session.poll(0)
        self.session.feed(seal_of("welcome", values), 5)
        self.assertFalse(self.session.connected)

    def test_what_an_earlier_bridge_said_does_nothing(self):
        self.welcome(2)
        late = (
            command(1000, "open-round", round=ROUND, mode=0),
            seal_of("ack", {"committed": 4}),
            frame("nak", {"expected": 3}),
            frame("ping", {}),
            frame("recall", {"sequence": 1}),
            frame("inspect", {}),
        )
        self.greet(100)
        self.welcome(2, 200)
        self.line.taken()
        for data in late:
            self.assertEqual(self.session.feed(data, 5000), [])
        self.assertEqual(self.line.names(), [])
        self.assertEqual((self.session.heard, self.session.committed), (200, 2))
        self.assertEqual(self.session.counters["stale"], len(late))

    def test_a_command_is_known_again_in_the_next_conversation(self):
        self.welcome(4)
        arguments = {"round": ROUND, "mode": 1}
        (given,) = self.session.feed(command(7, "open-round", **arguments), 10)
        self.session.reply(given["id"], "done", "opened", None, 11)
        number = self.greet(20)
        self.welcome(4, 30)
        self.line.taken()
        again = command(7, "open-round", session=number, **arguments)
        self.assertEqual(self.session.feed(again, 40), [])
        (reply,) = self.replies()
        self.assertEqual((reply["id"], reply["status"]), (7, 0))
        for changed in (
            command(7, "open-round", session=number, round=ROUND, mode=0),
            command(7, "void-round", session=number, round=ROUND),
            command(6, "open-round", session=number, **arguments),
        ):
            self.assertEqual(self.session.feed(changed, 50), [])
            (reply,) = self.replies()
            self.assertEqual(reply["status"], definitions.REPLY_STATUSES["replayed"])
            self.assertEqual(reply["detail"], "7")

    def test_a_command_under_way_is_carried_out_once_though_a_greeting_comes(self):
        self.welcome(4)
        given = self.session.feed(command(7, round=ROUND) + greet(2), 10)
        self.assertEqual([each["id"] for each in given], [7])
        self.line.sessions.append(SESSION + 1)
        self.greeting = 2
        self.welcome(4, 20)
        self.assertEqual(self.session.feed(command(7, round=ROUND, session=SESSION + 1), 30), [])
        self.line.taken()
        self.session.reply(7, "done", "tumbling", None, 40)
        self.assertEqual([reply["id"] for reply in self.replies()], [7])

    def test_nothing_that_waited_for_the_line_is_sent_in_the_next_conversation(self):
        self.welcome(4)
        self.line.taken()
        self.line.room = 0
        for id in (1, 2):
            self.session.feed(command(id, round=ROUND), 10)
            self.session.reply(id, "done", "idle", None, 10)
        for name, values in (("ping", {}), ("inspect", {}), ("recall", {"sequence": 1})):
            self.session.feed(frame(name, values), 11)
        number = self.greet(20)
        self.line.room = 100000
        self.session.poll(30)
        kept = [(kind, session) for kind, session, _ in self.line.frames]
        types = definitions.DEVICE_TYPES  # the first one was being written
        self.assertEqual(kept, [(types["reply"], SESSION), (types["hello"], number)])

    def test_a_status_is_of_one_moment(self):
        self.welcome(4)
        self.line.taken()
        self.line.room = 0
        self.session.feed(frame("ping", {}), 10)
        self.journal.append()  # by a command that the controller is carrying out
        self.line.room = 100000
        self.session.poll(11)
        ((name, values),) = [each for each in self.line.taken() if each[0] == "status"]
        self.assertEqual((name, values["last"], values["state"]), ("status", 4, DEVICE_STATES["idle"]))
        self.assertFalse("round" in values)

    def test_no_two_statuses_are_of_the_same_time(self):
        self.welcome(4)
        self.line.taken()
        for _ in range(3):
            self.session.feed(frame("ping", {}), 10)
        times = [values["uptime_ms"] for _, values in self.line.taken()]
        self.assertEqual(times, sorted(set(times)))

    def test_the_wall_clock_is_that_of_the_welcome_that_came_fastest(self):
        self.welcome(4, 30000, wall_ms=1000000)  # 30 s on its way
        self.assertEqual(self.session.wall_offset, 970000)
        self.welcome(4, 30001, wall_ms=1001000)
        self.welcome(4, 30002, wall_ms=1030000)
        self.assertEqual(self.session.wall_offset, 999998)
        self.welcome(4, 40000, wall_ms=1000000)
        self.assertEqual(self.session.wall_offset, 999998)
        self.greet(50000)
        self.welcome(4, 50000, wall_ms=900000)  # the host's clock was set back
        self.assertEqual(self.session.wall_offset, 850000)


class Hmac(unittest.TestCase):
    def test_rfc_4231(self):
        cases = (
            (b"\x0b" * 20, b"Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
            (
                b"Jefe",
                b"what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (b"\xaa" * 20, b"\xdd" * 50, "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
            (
                b"\xaa" * 131,
                b"Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
        )
        for key, message, digest in cases:
            self.assertEqual(hmac_sha256(key, message), bytes.fromhex(digest))

    def test_equal(self):
        self.assertTrue(equal(b"", b""))
        self.assertTrue(equal(b"abc", bytearray(b"abc")))
        for other in (b"abd", b"xbc", b"ab", b"abcd", b""):
            self.assertFalse(equal(b"abc", other))


if __name__ == "__main__":
    unittest.main()
