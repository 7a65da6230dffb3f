"""Tumble counting: what counts, what does not, and what a broken sensor looks like."""

import unittest

from tumbler.strokes import GATE, TOP, StrokeCounter


class Limits:
    debounce_us = 500
    gate_gap_um = 1000
    min_width_us = 8000
    min_speed_mm_s = 250
    max_width_us = 250000


def stroke_edges(start_us, rise_us=2000, width_us=15000, fall_us=2000):
    """The four edges of one clean stroke."""
    top = start_us + rise_us
    return [
        (GATE, True, start_us),
        (TOP, True, top),
        (TOP, False, top + width_us),
        (GATE, False, top + width_us + fall_us),
    ]


def bouncing(edges, times=3, step_us=40):
    """Each edge followed by a burst of contact bounce that ends on the edge's level."""
    bounced = []
    for channel, level, t_us in edges:
        for i in range(times):
            bounced.append((channel, level, t_us + 2 * i * step_us))
            bounced.append((channel, not level, t_us + (2 * i + 1) * step_us))
        bounced.append((channel, level, t_us + 2 * times * step_us))
    return bounced


def run(edges, until_us):
    counter = StrokeCounter(Limits)
    events = []
    for channel, level, t_us in edges:
        events += counter.feed(channel, level, t_us)
    return events + counter.poll(until_us)


class StrokesThatCount(unittest.TestCase):
    def test_a_clean_stroke_has_its_width_and_speed(self):
        self.assertEqual(run(stroke_edges(1000), 100000), [("stroke", 15000, 500)])

    def test_strokes_are_counted_one_by_one(self):
        edges = []
        for i in range(4):
            edges += stroke_edges(1000 + i * 350000)
        self.assertEqual(run(edges, 2000000), [("stroke", 15000, 500)] * 4)

    def test_bounce_adds_no_stroke_and_hardly_changes_the_measure(self):
        self.assertEqual(run(bouncing(stroke_edges(1000)), 100000), [("stroke", 15000, 500)])

    def test_the_first_edge_of_a_bounce_counts(self):
        for number in range(4):
            edges = stroke_edges(1000)
            edges[number : number + 1] = bouncing(edges[number : number + 1])
            self.assertEqual(run(edges, 100000), [("stroke", 15000, 500)])

    def test_a_short_drop_out_in_the_middle_of_a_stroke_changes_nothing(self):
        for gate in (GATE, TOP):
            edges = stroke_edges(1000)
            edges[2:2] = [(gate, False, 9000), (gate, True, 9300)]
            self.assertEqual(run(edges, 100000), [("stroke", 15000, 500)])

    def test_the_event_does_not_come_before_the_level_has_stood(self):
        edges = stroke_edges(1000)
        last = edges[-1][2]
        self.assertEqual(run(edges, last + 499), [])
        self.assertEqual(len(run(edges, last + 500)), 1)


class PulsesThatDoNotCount(unittest.TestCase):
    def test_a_narrow_stroke_is_weak(self):
        self.assertEqual(run(stroke_edges(0, width_us=7999), 100000), [("weak-stroke", 7999, 500)])
        self.assertEqual(run(stroke_edges(0, width_us=8000), 100000), [("stroke", 8000, 500)])

    def test_a_slow_stroke_is_weak(self):
        self.assertEqual(run(stroke_edges(0, rise_us=4000), 100000), [("stroke", 15000, 250)])
        self.assertEqual(run(stroke_edges(0, rise_us=4020), 100000), [("weak-stroke", 15000, 248)])

    def test_a_pulse_of_the_lower_gate_alone_is_weak(self):
        edges = [(GATE, True, 0), (GATE, False, 12000)]
        self.assertEqual(run(edges, 100000), [("weak-stroke", 0, 0)])

    def test_the_measures_of_a_stroke_do_not_pass_to_the_next_pulse(self):
        edges = stroke_edges(1000) + [(GATE, True, 350000), (GATE, False, 362000)]
        self.assertEqual(run(edges, 500000), [("stroke", 15000, 500), ("weak-stroke", 0, 0)])

    def test_an_upper_pulse_at_the_end_of_an_earlier_stroke_gives_the_next_one_no_width(self):
        first = [(GATE, True, 0), (TOP, True, 2000), (GATE, False, 9000)]
        edges = first + [(GATE, True, 12000), (TOP, False, 25000), (GATE, False, 30000)]
        events = run(edges, 100000)
        self.assertFalse("stroke" in [event[0] for event in events])

    def test_a_glitch_shorter_than_the_debounce_time_is_nothing(self):
        edges = [(GATE, True, 0), (GATE, False, 300), (TOP, True, 5000), (TOP, False, 5200)]
        self.assertEqual(run(edges, 100000), [])

    def test_every_width_and_speed_at_the_limits(self):
        for width in range(7990, 8011):
            for rise in range(3990, 4012, 2):
                kind = run(stroke_edges(0, rise_us=rise, width_us=width), 100000)[0][0]
                strong = width >= 8000 and 1000000 // rise >= 250
                self.assertEqual(kind, "stroke" if strong else "weak-stroke")


class BrokenSensors(unittest.TestCase):
    def test_a_gate_that_stays_blocked_is_told_once(self):
        counter = StrokeCounter(Limits)
        counter.feed(GATE, True, 0)
        events = []
        for t_us in range(0, 1000000, 10000):
            events += counter.poll(t_us)
        self.assertEqual(events, [("fault", "sensor-fault", "stroke sensor stuck")])
        self.assertTrue(counter.stuck)

    def test_recovery_from_a_blocked_gate(self):
        counter = StrokeCounter(Limits)
        counter.feed(GATE, True, 0)
        counter.poll(300000)
        counter.feed(GATE, False, 400000)
        counter.poll(500000)
        self.assertFalse(counter.stuck)
        events = []
        for channel, level, t_us in stroke_edges(600000):
            events += counter.feed(channel, level, t_us)
        events += counter.poll(700000)
        self.assertEqual(events, [("stroke", 15000, 500)])

    def test_a_stroke_under_way_is_no_stuck_sensor(self):
        counter = StrokeCounter(Limits)
        counter.feed(GATE, True, 0)
        counter.poll(10000)
        self.assertFalse(counter.stuck)

    def test_the_upper_gate_without_the_lower_is_a_fault(self):
        events = run([(TOP, True, 0), (TOP, False, 10000)], 100000)
        self.assertEqual(events, [("fault", "sensor-fault", "stroke gates disagree")])

    def test_the_lower_gate_clearing_first_is_a_fault(self):
        events = run([(GATE, True, 0), (TOP, True, 2000), (GATE, False, 9000)], 50000)
        self.assertEqual(events, [("fault", "sensor-fault", "stroke gates disagree")])


class RandomEdges(unittest.TestCase):
    def test_no_noise_makes_more_strokes_than_its_slow_edges_allow(self):
        # A small linear congruential generator: the same noise on every interpreter.
        seed = 12345
        for _ in range(20):
            counter = StrokeCounter(Limits)
            t_us = 0
            levels = {GATE: False, TOP: False}
            strokes = slow = 0
            for _ in range(300):
                seed = (seed * 1103 + 12345) % 1000003
                channel = GATE if seed % 3 else TOP
                gap = seed % 1500
                t_us += gap
                levels[channel] = not levels[channel]
                slow += gap >= Limits.debounce_us
                strokes += sum(event[0] == "stroke" for event in counter.feed(channel, levels[channel], t_us))
            self.assertTrue(strokes * 4 <= slow + 4)


if __name__ == "__main__":
    unittest.main()
