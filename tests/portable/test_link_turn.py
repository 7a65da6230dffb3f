"""A device on a shared line: silent until polled, within its turn, and never on a grant that went stale."""

import unittest

from test_link_session import IDENTITY, KEY, ROUND, SESSION, SessionCase, command, frame

from tumbler.link.session import DeviceSession

ME = IDENTITY["device"]


class SharedLine(SessionCase):
    records = 9

    def setUp(self):
        super().setUp()
        self.session = DeviceSession(self.journal, KEY, IDENTITY, SESSION, self.line.write, None, True)
        self.now = 0
        self.step()

    def step(self, ms=1):
        """Let time pass as the controller does: poll it every millisecond or, busy, once after `ms`."""
        self.now += ms
        self.session.poll(self.now)

    def turn(self, count=4, device=ME):
        self.session.feed(frame("poll", {"device": device, "count": count}, 0), self.now)
        for _ in range(20):
            self.step()
        return self.line.names()

    def test_says_nothing_unasked(self):
        self.welcome(0)
        self.session.feed(command(1, round=ROUND), self.now)
        self.session.reply(1, "done", "idle", None, self.now)
        for _ in range(3000):
            self.step()
        self.assertEqual(self.line.names(), [])

    def test_a_turn_has_its_frames_and_ends_with_done(self):
        self.assertEqual(self.turn(), ["hello", "done"])
        self.welcome(0)
        self.assertEqual(self.turn(), ["record", "record", "record", "done"])
        self.assertEqual(self.turn(2), ["record", "done"])
        self.assertEqual(self.turn(), ["done"])
        self.assertEqual(self.turn(1), ["done"])
        self.assertEqual(self.turn(0), [])

    def test_replies_wait_for_the_turn(self):
        self.welcome(9)
        self.session.feed(command(1, round=ROUND), self.now)
        self.session.reply(1, "done", "idle", None, self.now)
        self.assertEqual(self.turn(), ["reply", "done"])

    def test_another_device_s_turn_is_not_its_own(self):
        self.assertEqual(self.turn(device=b"tumbler2"), [])
        self.session.feed(frame("poll", {"device": ME, "count": 4}, 0), self.now)
        self.session.feed(frame("poll", {"device": b"tumbler2", "count": 4}, 0), self.now)
        self.step(10)
        self.assertEqual(self.line.names(), [])

    def test_the_line_is_left_alone_for_a_moment_before_it_speaks(self):
        self.session.feed(frame("poll", {"device": ME, "count": 4}, 0), self.now)
        self.step()
        self.assertEqual(self.line.names(), [])
        self.step()
        self.assertEqual(self.line.names(), ["hello", "done"])

    def test_a_grant_that_waited_unread_is_not_used(self):
        self.now += 51
        self.session.feed(frame("poll", {"device": ME, "count": 4}, 0), self.now)
        self.step(5)
        self.assertEqual(self.line.names(), [])
        self.assertEqual(self.session.counters["turns_missed"], 1)
        self.assertEqual(self.turn(), ["hello", "done"])

    def test_a_turn_that_was_slept_through_is_over(self):
        self.session.feed(frame("poll", {"device": ME, "count": 4}, 0), self.now)
        self.step(100)
        self.assertEqual(self.line.names(), [])

    def test_a_turn_that_was_slept_through_is_over_before_anything_else_is_done(self):
        status = {"state": "idle", "faults": [], "strokes": 0, "at_rest": True, "covered": True}
        for wakes in (
            lambda: self.session.feed(b"half a frame of another", self.now),
            lambda: self.session.notify(status, self.now),
            lambda: self.session.reply(1, "done", "idle", None, self.now),
        ):
            self.session.feed(frame("poll", {"device": ME, "count": 4}, 0), self.now)
            self.session.poll(self.now)
            self.now += 400  # the command that came before the turn wrote the flash
            wakes()
            self.step()
            self.assertEqual(self.line.names(), [])
            self.assertEqual(self.turn()[-1], "done")

    def test_without_other_devices_a_poll_means_nothing(self):
        self.session = DeviceSession(self.journal, KEY, IDENTITY, SESSION, self.line.write)
        self.step()
        self.assertEqual(self.line.names(), ["hello"])
        self.assertEqual(self.turn(), [])


if __name__ == "__main__":
    unittest.main()
