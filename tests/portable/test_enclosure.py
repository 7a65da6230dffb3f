"""Cover, dome, door, tilt and rest: debounced, and faults named once."""

import unittest

from tumbler.enclosure import Enclosure
from tumbler.rest import RestDetector

SOUND = {
    "cover-closed": True,
    "cover-open": False,
    "dome-intact": True,
    "dome-closed": True,
    "door-closed": True,
    "tilted": False,
}


class Limits:
    channel_debounce_ms = 20
    cover_travel_ms = 5000
    rest_mg = 60
    rest_ms = 400


def watch(steps, until):
    """Sample every ms; `steps`: {ms: {channel: level}}. Returns [(ms, event)] without the first sample's."""
    levels = dict(SOUND)
    enclosure = Enclosure(Limits)
    enclosure.sample(levels.get, 0)
    seen = []
    for now in range(1, until):
        levels.update(steps.get(now, {}))
        for event in enclosure.sample(levels.get, now):
            seen.append((now, event))
    return seen, enclosure


class Channels(unittest.TestCase):
    def test_a_sound_enclosure_says_nothing_but_the_cover(self):
        first = Enclosure(Limits).sample(SOUND.get, 0)
        self.assertEqual(first, [("channel", "cover-closed", True), ("channel", "cover-open", False)])
        self.assertEqual(watch({}, 6000)[0], [])

    def test_each_fault_has_its_name(self):
        cases = (
            ("dome-intact", False, "dome-broken"),
            ("dome-closed", False, "dome-open"),
            ("door-closed", False, "door-open"),
            ("tilted", True, "tilted"),
        )
        for channel, level, fact in cases:
            seen, enclosure = watch({100: {channel: level}}, 300)
            self.assertEqual(seen, [(120, ("channel", channel, level)), (120, ("fault", fact, ""))])
            self.assertTrue(enclosure.present(fact))

    def test_a_fault_that_is_there_at_power_on_is_told(self):
        enclosure = Enclosure(Limits)
        events = enclosure.sample(dict(SOUND, tilted=True).get, 0)
        self.assertIn(("fault", "tilted", ""), events)

    def test_a_recovered_channel_is_no_longer_present(self):
        seen, enclosure = watch({100: {"tilted": True}, 200: {"tilted": False}}, 300)
        self.assertEqual([event for _, event in seen][-1], ("channel", "tilted", False))
        self.assertFalse(enclosure.present("tilted"))

    def test_bounce_is_not_a_change(self):
        steps = {ms: {"door-closed": bool(ms % 2)} for ms in range(100, 160)}
        steps[160] = {"door-closed": True}
        self.assertEqual(watch(steps, 400)[0], [])

    def test_each_change_stands_for_its_own_debounce_time(self):
        steps = {100: {"tilted": True}, 110: {"tilted": False}, 200: {"tilted": True}}
        self.assertEqual(watch(steps, 220)[0], [])
        self.assertEqual(len(watch(steps, 221)[0]), 2)

    def test_what_no_channel_shows_is_not_present(self):
        _, enclosure = watch({}, 100)
        for fact in ("drive-fault", "die-damaged", "program-fault", "sensor-fault"):
            self.assertFalse(enclosure.present(fact))


class Cover(unittest.TestCase):
    def test_a_cover_that_works_again_can_be_cleared_and_told_again(self):
        steps = {100: {"cover-open": True}, 300: {"cover-open": False}, 500: {"cover-open": True}}
        seen, enclosure = watch(steps, 400)
        self.assertFalse(enclosure.present("sensor-fault"))
        seen, enclosure = watch(steps, 700)
        self.assertTrue(enclosure.present("sensor-fault"))
        self.assertEqual([event[0] for _, event in seen].count("fault"), 2)

    def test_opening_reports_both_channels(self):
        seen, _ = watch({100: {"cover-closed": False}, 400: {"cover-open": True}}, 1000)
        self.assertEqual(
            seen, [(120, ("channel", "cover-closed", False)), (420, ("channel", "cover-open", True))]
        )

    def test_both_channels_at_once_is_a_sensor_fault(self):
        seen, enclosure = watch({100: {"cover-open": True}}, 400)
        self.assertEqual(seen[-1], (140, ("fault", "sensor-fault", "cover channels disagree")))
        self.assertTrue(enclosure.present("sensor-fault"))

    def test_a_cover_between_for_too_long_is_a_sensor_fault_told_once(self):
        seen, _ = watch({100: {"cover-closed": False}}, 12000)
        self.assertEqual(seen[1:], [(5120, ("fault", "sensor-fault", "cover stuck between"))])


class Rest(unittest.TestCase):
    def test_rest_comes_after_the_whole_quiet_time(self):
        detector = RestDetector(Limits)
        seen = []
        for now in range(1000):
            seen += [(now, event) for event in detector.sample(0 if now > 200 else 500, now)]
        self.assertEqual(seen, [(601, ("rest",))])

    def test_one_loud_sample_starts_again(self):
        detector = RestDetector(Limits)
        seen = []
        for now in range(1500):
            seen += [(now, event) for event in detector.sample(60 if now == 300 else 59, now)]
        self.assertEqual(seen, [(701, ("rest",))])

    def test_movement_after_rest_is_told(self):
        detector = RestDetector(Limits)
        seen = []
        for now in range(1500):
            seen += detector.sample(200 if now == 800 else 0, now)
        self.assertEqual(seen, [("rest",), ("moving",), ("rest",)])


if __name__ == "__main__":
    unittest.main()
