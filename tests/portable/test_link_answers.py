"""What anyone on the line may ask of a device: kept records, counters, the frames of its newest scene."""

import unittest
from hashlib import sha256

from test_link_session import IDENTITY, KEY, ROUND, SESSION, SessionCase, command, frame

from tumbler.definitions import EVIDENCE_CHUNK, MESSAGES
from tumbler.evidence import Evidence
from tumbler.journal import JournalDamaged
from tumbler.link.framing import encode_frame
from tumbler.link.session import DeviceSession

FRAME = 1300  # bytes: no multiple of a chunk


def filled(evidence, seed):
    """A scene in `evidence`; its bytes."""
    evidence.begin()
    whole = b""
    for index in range(4):
        buffer = evidence.frame(index)
        for at in range(FRAME):
            buffer[at] = (at * 7 + index * 31 + seed) & 0xFF
        whole += bytes(buffer)
    evidence.complete(sha256(whole).digest())
    return whole


class Recall(SessionCase):
    records = 9

    def recall(self, sequence):
        self.session.feed(frame("recall", {"sequence": sequence}), 10)
        return [values for name, values in self.line.taken() if name == "recalled"]

    def test_a_kept_record_without_a_welcome_and_nothing_is_acknowledged(self):
        for sequence in (9, 1, 5, 5):
            (told,) = self.recall(sequence)
            self.assertEqual(told["record"], self.journal.read(sequence))
            self.assertEqual((told["sequence"], told["first"], told["last"]), (sequence, 1, 9))
        self.assertEqual((self.journal.keeps, self.session.committed), ([], 0))
        self.welcome(0)
        self.assertEqual(self.line.records(), [1, 2, 3, 4])

    def test_between_records_that_wait_for_their_acknowledgement(self):
        self.welcome(0)
        self.line.taken()
        self.assertEqual(len(self.recall(3)), 1)
        self.ack(4, 20)
        self.assertEqual(self.line.records(), [5, 6, 7, 8])

    def test_while_the_records_are_forked(self):
        self.welcome(10, digest=bytes(32))
        self.line.taken()
        (told,) = self.recall(7)
        self.assertEqual(told["record"], self.journal.read(7))

    def test_a_record_that_is_not_here_or_damaged_is_no_answer_but_no_fault(self):
        class Rotten:
            def __init__(self, journal):
                self.first, self.last, self.acknowledged = journal.first, journal.last, 0

            def read(self, sequence):
                raise JournalDamaged(sequence, "its checksum is wrong")

        for sequence in (0, 10, 2**64 - 1):
            (told,) = self.recall(sequence)
            self.assertEqual(sorted(told), ["first", "last", "sequence"])
        self.session = DeviceSession(Rotten(self.journal), KEY, IDENTITY, SESSION, self.line.write)
        (told,) = self.recall(4)
        self.assertFalse("record" in told)

    def test_the_newest_question_counts(self):
        self.line.room = 0
        self.session.poll(0)
        for sequence in range(1, 9):
            self.recall(sequence)
        self.line.room = 10000
        self.session.poll(10)
        self.assertEqual([values["sequence"] for name, values in self.line.taken()[1:]], [8])


class Statistics(SessionCase):
    records = 9

    def inspect(self):
        self.session.feed(frame("inspect", {}), 5000)
        (told,) = [values for name, values in self.line.taken() if name == "statistics"]
        return told

    def test_every_counter_of_the_definition_is_told_and_starts_at_zero(self):
        told = self.inspect()
        self.assertEqual(sorted(told), sorted(MESSAGES["statistics"][2]))
        self.assertEqual({value for name, value in told.items() if name != "timeout_ms"}, {0})
        self.assertEqual(told["timeout_ms"], 1000)

    def test_each_error_is_counted_where_it_belongs(self):
        def feed(data):
            self.session.feed(data, 100)

        good = command(5, round=ROUND)
        damaged = bytearray(good)
        damaged[9] ^= 4
        feed(command(1, round=ROUND))  # before the welcome
        self.welcome(0)
        feed(damaged)
        feed(b"\x00\x03ab\x00")
        feed(b"\x00" + b"\x01" * 1200 + b"\x00")
        feed(encode_frame(0x02, SESSION, bytes(20)))  # its own record, come back
        feed(frame("ping", {}, 77))
        feed(encode_frame(0x7F, SESSION, b""))
        feed(encode_frame(0x17, SESSION, b"\xa0"))
        feed(good)
        feed(good)
        feed(command(4, round=ROUND))
        feed(command(6, round=ROUND, key=bytes(32)))
        feed(command(6, round=ROUND, mode=1))
        self.nak(2, 200)
        self.ack(9, 200)
        self.session.poll(4000)
        told = self.inspect()
        expected = {
            "stale": 2,
            "crc_errors": 1,
            "noise": 1,
            "overruns": 1,
            "echoes": 1,
            "malformed": 3,
            "repeated": 1,
            "replays": 1,
            "bad_macs": 1,
            "naks": 1,
            "stray_acks": 1,
            "timeouts": 1,
            "resends": 2,
            "welcomes": 1,
            "timeout_ms": 2000,
        }
        for name, count in expected.items():
            self.assertEqual((name, told[name]), (name, count))

    def test_replies_that_found_no_room_and_refused_commands(self):
        self.welcome(9)
        self.line.room = 0
        for id in range(12):
            self.session.feed(command(id, round=ROUND), 5)
            self.session.reply(id, "done", "idle", None, 5)
        self.line.room = 100000
        self.assertTrue(self.inspect()["dropped"] >= 3)


class Frames(SessionCase):
    records = 2

    def setUp(self):
        super().setUp()
        self.evidence = Evidence(4, FRAME, spare=0)
        self.session = DeviceSession(self.journal, KEY, IDENTITY, SESSION, self.line.write, self.evidence)
        self.whole = filled(self.evidence, 1)

    def fetch(self, offset, size=100000, digest=None):
        digest = digest or sha256(self.whole).digest()
        self.session.feed(frame("fetch", {"frames": digest, "offset": offset, "size": size}), 10)
        for now in range(50):
            self.session.poll(now)
        return [values for name, values in self.line.taken() if name == "evidence"]

    def test_hello_says_how_much_is_kept(self):
        self.session.poll(0)
        ((_, hello),) = self.line.taken()
        self.assertEqual(hello["evidence"], 4 * FRAME)
        self.evidence.capacity = 0
        self.greet(5)
        ((_, hello),) = self.line.taken()
        self.assertFalse("evidence" in hello)

    def test_the_whole_in_chunks_is_what_the_digest_says(self):
        pieces = self.fetch(0)
        self.assertEqual(b"".join([piece["data"] for piece in pieces]), self.whole)
        self.assertEqual({piece["total"] for piece in pieces}, {4 * FRAME})
        self.assertTrue(max([len(piece["data"]) for piece in pieces]) <= EVIDENCE_CHUNK)

    def test_from_any_offset_and_no_more_than_asked_for(self):
        for offset in (0, 1, 511, 512, 1299, 1300, 2600, 4 * FRAME - 1):
            for size in (1, 512, 700):
                data = b"".join([piece["data"] for piece in self.fetch(offset, size)])
                self.assertEqual(data, self.whole[offset : offset + size])

    def test_the_end_and_beyond_give_no_data(self):
        for offset in (4 * FRAME, 4 * FRAME + 1, 2**64 - 1):
            (piece,) = self.fetch(offset)
            self.assertEqual((piece["total"], "data" in piece), (4 * FRAME, False))

    def test_other_frames_than_the_kept_ones_are_not_there(self):
        (piece,) = self.fetch(0, digest=bytes(32))
        self.assertEqual((piece["total"], "data" in piece), (0, False))

    def test_a_new_scene_ends_the_transfer_and_never_mixes(self):
        self.line.room = 3000
        pieces = self.fetch(0)
        self.assertTrue(0 < len(pieces) < 6)
        old = sha256(self.whole).digest()
        self.evidence.begin()
        self.evidence.frame(0)[0] ^= 1
        self.line.room = 100000
        rest = self.fetch(2000, digest=old)
        self.assertEqual(rest[-1]["total"], 0)
        self.assertFalse(any("data" in piece for piece in rest[1:]))

    def test_records_and_replies_go_first(self):
        self.welcome(2)
        self.line.taken()
        self.line.room = 700  # one piece under way, and part of the next
        digest = sha256(self.whole).digest()
        self.session.feed(frame("fetch", {"frames": digest, "offset": 0, "size": 9999}), 10)
        self.journal.append()
        self.session.feed(command(1, round=ROUND), 12)
        self.session.reply(1, "done", "idle", None, 12)
        self.line.room = 100000
        self.session.poll(13)
        names = self.line.names()
        self.assertTrue(names.index("reply") <= 2)
        self.assertEqual(names.index("record"), names.index("reply") + 1)
        self.assertEqual(names.count("evidence"), 12)

    def test_a_board_without_room_or_camera_says_that_it_keeps_none(self):
        without = Evidence(4, FRAME, spare=10**12)
        if without.capacity:  # this interpreter does not tell how much memory it has
            without = None
        else:
            self.assertTrue(without.frame(0) is without.frame(3))
            filled(without, 1)
        self.session = DeviceSession(self.journal, KEY, IDENTITY, SESSION, self.line.write, without)
        self.session.poll(0)
        self.assertFalse("evidence" in self.line.taken()[0][1])
        (piece,) = self.fetch(0)
        self.assertEqual(piece["total"], 0)


if __name__ == "__main__":
    unittest.main()
