"""The round, step by step in both play modes: what ends it, and how each fact is named."""

import unittest

from tumbler import round as play
from tumbler.round import COVERED, OPEN

ROUND = b"r" * 16
OTHER = b"o" * 16
FRAMES = b"f" * 32
READ = ("read", (1, 2, 3), (0, 0, 0), (900, 900, 900), FRAMES)


class Limits:
    min_tumbles = 3
    drive_strokes = 4
    max_tumbles = 6
    tumble_ms = 5000
    stroke_gap_ms = 600
    settle_ms = 6000
    read_ms = 15000
    agree_scenes = 2
    refuse_scenes = 3


STROKE = ("stroke", 15000, 500)
CLOSED = (("channel", "cover-closed", True), ("channel", "cover-open", False))
UNCOVER = (("channel", "cover-closed", False), ("channel", "cover-open", True))


class Player:
    """Feeds events and keeps all effects."""

    def __init__(self, *events):
        self.state = play.initial()
        self.now = 0
        self.effects = []
        self.feed(*events)

    def feed(self, *events):
        for event in events:
            self.state, effects = play.advance(self.state, event, self.now, Limits)
            self.effects += effects
        return self

    def wait(self, ms):
        self.now += ms
        return self.feed(("tick",))

    def records(self):
        return [effect[1] for effect in self.effects if effect[0] == "record"]

    def last(self, kind):
        return [effect[2] for effect in self.effects if effect[0] == "record" and effect[1] == kind][-1]

    def answer(self):
        return [effect for effect in self.effects if effect[0] in ("accept", "refuse")][-1]


def opened(mode):
    return Player(*CLOSED, ("open", ROUND, mode))


def tumbled(mode, strokes=4):
    player = opened(mode)
    if mode == OPEN:
        player.feed(("no-more-bets", ROUND))
    player.feed(("tumble", ROUND), *[STROKE] * strokes)
    return player.wait(600)


def reading(mode):
    player = tumbled(mode).feed(("rest",))
    if mode == COVERED:
        player.feed(("no-more-bets", ROUND), *UNCOVER)
    return player


class WholeRounds(unittest.TestCase):
    def test_covered(self):
        player = reading(COVERED).feed(READ, READ)
        kinds = ["round-opened", "tumble", "no-more-bets", "enclosure", "enclosure", "reading"]
        self.assertEqual(player.records(), kinds)
        self.assertEqual(player.last("reading")["faces"], (1, 2, 3))
        self.assertEqual(player.last("reading")["strokes"], ((15000, 500),) * 4)
        self.assertEqual(player.state.phase, "idle")
        self.assertEqual(
            [effect for effect in player.effects if effect[0] == "release-cover"],
            [("release-cover", True), ("release-cover", False)],
        )

    def test_open(self):
        player = reading(OPEN).feed(READ, READ)
        self.assertEqual(player.records(), ["round-opened", "no-more-bets", "tumble", "reading"])
        self.assertEqual([effect for effect in player.effects if effect[0] == "drive"], [("drive", 4)])

    def test_scenes_must_agree(self):
        other = ("read", (1, 2, 4), (0, 0, 0), (900, 900, 900), FRAMES)
        player = reading(OPEN).feed(READ, other, READ, other)
        self.assertEqual(player.state.phase, "reading")
        player.feed(other)
        self.assertEqual(player.last("reading")["faces"], (1, 2, 4))

    def test_a_movement_between_scenes_starts_again(self):
        player = reading(OPEN).feed(READ, ("moving",))
        self.assertFalse(play.wants_scene(player.state))
        player.feed(("rest",), READ)
        self.assertEqual(player.state.phase, "reading")
        player.feed(READ)
        self.assertEqual(player.state.phase, "idle")

    def test_scenes_are_wanted_only_when_nobody_can_know_early(self):
        player = tumbled(COVERED).feed(("rest",))
        self.assertFalse(play.wants_scene(player.state))
        player.feed(("no-more-bets", ROUND))
        self.assertFalse(play.wants_scene(player.state))
        player.feed(UNCOVER[0])
        self.assertFalse(play.wants_scene(player.state))
        player.feed(UNCOVER[1])
        self.assertTrue(play.wants_scene(player.state))

    def test_scenes_agree_by_their_faces_in_any_order(self):
        turned = ("read", (3, 1, 2), (0, 0, 0), (900, 900, 900), FRAMES)
        player = reading(OPEN).feed(READ, turned)
        self.assertEqual(player.last("reading")["faces"], (3, 1, 2))

    def test_the_cover_is_not_believed_closed_before_it_is_seen(self):
        for seen in ((), CLOSED[:1], CLOSED[1:]):
            player = Player(*seen, ("open", ROUND, COVERED))
            accepted = player.answer()[0] == "accept"
            self.assertEqual(accepted, seen == CLOSED[:1])

    def test_open_play_leaves_the_cover_alone(self):
        for player in (reading(OPEN).feed(READ, READ), opened(OPEN).feed(("void-round", ROUND))):
            self.assertFalse("release-cover" in [effect[0] for effect in player.effects])

    def test_half_open_is_not_open(self):
        player = tumbled(COVERED).feed(("rest",), ("no-more-bets", ROUND), UNCOVER[0])
        self.assertEqual(player.state.phase, "closed")

    def test_a_cover_that_moves_again_does_not_lengthen_the_reading(self):
        player = reading(COVERED)
        for _ in range(14):
            player.wait(1000).feed(("channel", "cover-open", False), ("channel", "cover-open", True))
        player.wait(1000)
        self.assertEqual(player.last("void")["fact"], "unreadable")

    def test_a_silent_host_ends_no_round_whose_bets_are_closed(self):
        phases = []
        player = opened(OPEN).feed(("no-more-bets", ROUND), ("host-lost",))
        phases.append(player.state.phase)
        player.feed(("tumble", ROUND), ("host-lost",))
        phases.append(player.state.phase)
        player.feed(*[STROKE] * 4).wait(600).feed(("host-lost",))
        phases.append(player.state.phase)
        player.feed(("rest",), ("host-lost",))
        phases.append(player.state.phase)
        self.assertEqual(phases, ["closed", "tumbling", "settling", "reading"])
        self.assertEqual(player.feed(READ, READ).records()[-1], "reading")

    def test_records_of_a_round_name_it(self):
        player = reading(COVERED).feed(("fault", "tilted", ""))
        for kind in ("enclosure", "fault", "void"):
            self.assertEqual(player.last(kind)["round"], ROUND)

    def test_a_void_tells_its_strokes_and_cause_only_where_there_are_any(self):
        player = opened(OPEN).feed(("void-round", ROUND))
        self.assertEqual(sorted(player.last("void")), ["fact", "round"])
        player = tumbled(OPEN, strokes=2).wait(5000)
        self.assertEqual(player.last("void")["strokes"], ((15000, 500),) * 2)


class Voids(unittest.TestCase):
    def void(self, player, fact):
        self.assertEqual(player.last("void")["fact"], fact)
        self.assertEqual(player.records().count("void"), 1)
        self.assertFalse("reading" in player.records())
        self.assertEqual(player.state.phase, "idle")

    def test_too_few_tumbles(self):
        for mode in (COVERED, OPEN):
            for strokes in range(3):
                player = opened(mode)
                if mode == OPEN:
                    player.feed(("no-more-bets", ROUND))
                player.feed(("tumble", ROUND), *[STROKE] * strokes).wait(4999)
                self.assertEqual(player.state.phase, "tumbling")
                self.void(player.wait(1), "too-few-tumbles")

    def test_dice_that_never_rest(self):
        for mode in (COVERED, OPEN):
            player = tumbled(mode).wait(5999)
            self.assertEqual(player.state.phase, "settling")
            self.void(player.wait(1), "unreadable")

    def test_three_tumbles_are_enough(self):
        player = opened(COVERED).feed(("tumble", ROUND), STROKE, STROKE, STROKE).wait(5000)
        self.assertEqual(player.records(), ["round-opened", "tumble"])

    def test_weak_strokes_do_not_count(self):
        weak = ("weak-stroke", 9, 9)
        player = opened(COVERED).feed(("tumble", ROUND), STROKE, STROKE, weak, weak).wait(600)
        self.void(player, "too-few-tumbles")
        self.assertEqual(player.last("void")["detail"], "2 weak")

    def test_exposed_early(self):
        lifted = UNCOVER[0]
        self.void(opened(COVERED).feed(lifted), "exposed-early")
        self.void(tumbled(COVERED).feed(lifted), "exposed-early")
        self.void(tumbled(COVERED).feed(("rest",), lifted), "exposed-early")

    def test_a_cover_that_is_open_and_closed_at_once_is_left_to_the_sensor_fault(self):
        player = tumbled(COVERED).feed(("rest",), UNCOVER[1])
        self.assertEqual(player.state.phase, "concealed")
        self.assertFalse(play.wants_scene(player.feed(("no-more-bets", ROUND)).state))

    def test_activated_early(self):
        self.void(opened(OPEN).feed(STROKE), "activated-early")

    def test_strokes_that_nobody_commanded_are_a_drive_fault(self):
        closed = opened(OPEN).feed(("no-more-bets", ROUND))
        for player in (opened(COVERED), closed, tumbled(COVERED), reading(OPEN)):
            self.void(player.feed(STROKE), "drive-fault")
            self.assertEqual(player.state.faults, ("drive-fault",))

    def test_more_strokes_than_the_maximum(self):
        self.void(opened(COVERED).feed(("tumble", ROUND), *[STROKE] * 7), "drive-fault")

    def test_six_strokes_are_allowed(self):
        player = opened(COVERED).feed(("tumble", ROUND), *[STROKE] * 6).wait(600)
        self.assertEqual(player.state.phase, "settling")

    def test_a_weak_stroke_after_the_tumble_may_have_moved_the_dice(self):
        self.void(tumbled(COVERED).feed(("rest",), ("weak-stroke", 9, 9)), "drive-fault")

    def test_every_refusal_of_the_reader_by_name(self):
        for fact in ("not-flat", "stacked", "unreadable", "die-missing", "extra-object", "die-damaged"):
            refused = ("refused", fact, "why", FRAMES)
            player = reading(OPEN).feed(refused, refused)
            self.assertEqual(player.state.phase, "reading")
            player.feed(refused)
            self.void(player, fact)
            self.assertEqual(player.last("void")["frames"], FRAMES)
            self.assertEqual(player.state.faults, ("die-damaged",) if fact == "die-damaged" else ())

    def test_no_agreement_in_time(self):
        player = reading(OPEN).feed(READ).wait(15000)
        self.void(player, "unreadable")

    def test_the_newest_refusal_is_the_reason_when_time_is_over(self):
        player = reading(OPEN).feed(READ, ("refused", "not-flat", "", FRAMES)).wait(15000)
        self.void(player, "not-flat")

    def test_every_fault_voids_and_latches(self):
        for fact in ("dome-broken", "dome-open", "door-open", "tilted", "drive-fault", "sensor-fault"):
            for player in (opened(COVERED), tumbled(COVERED), reading(OPEN)):
                self.void(player.feed(("fault", fact, "")), fact)
                self.assertEqual(player.state.faults, (fact,))
                self.assertEqual(play.device_state(player.state), "faulted")

    def test_the_device_s_own_faults_are_interruptions(self):
        for fact in ("memory-fault", "program-fault"):
            self.void(opened(OPEN).feed(("fault", fact, "")), "power-interruption")

    def test_a_lost_host_voids_only_while_bets_are_open(self):
        self.void(opened(OPEN).feed(("host-lost",)), "host-lost")
        self.void(tumbled(COVERED).feed(("host-lost",)), "host-lost")
        player = reading(COVERED).feed(("host-lost",), READ, READ)
        self.assertEqual(player.records()[-1], "reading")

    def test_void_by_the_host(self):
        for player in (opened(COVERED), tumbled(COVERED), reading(OPEN)):
            self.void(player.feed(("void-round", ROUND)), "host-void")
            self.assertEqual(player.answer(), ("accept",))

    def test_the_last_stroke_of_a_stopped_drive_is_no_fault(self):
        for next_round in ((), (("open", OTHER, OPEN),)):
            player = opened(COVERED).feed(("tumble", ROUND), STROKE, ("void-round", ROUND), *next_round)
            player.feed(STROKE)
            self.assertEqual(player.state.faults, ())
            self.assertEqual(player.records().count("void"), 1)
            player.wait(600)
            player.feed(STROKE)
            self.assertEqual(player.records().count("void") + len(player.state.faults), 2)

    def test_a_running_drive_is_stopped(self):
        player = opened(COVERED).feed(("tumble", ROUND), ("fault", "tilted", ""))
        self.assertIn(("stop-drive",), player.effects)


class Commands(unittest.TestCase):
    def refused(self, player, *commands):
        for command in commands:
            before = player.state
            player.feed(command)
            self.assertEqual(player.answer()[0], "refuse")
            self.assertEqual(player.state, before)

    def test_order_of_covered_play(self):
        nmb, tumble = ("no-more-bets", ROUND), ("tumble", ROUND)
        self.refused(Player(*CLOSED), nmb, tumble, ("void-round", ROUND))
        self.refused(opened(COVERED), nmb, ("open", OTHER, COVERED))
        self.refused(opened(COVERED).feed(tumble), tumble, nmb)
        self.refused(tumbled(COVERED), tumble, nmb)
        self.refused(tumbled(COVERED).feed(("rest",)), tumble)
        self.refused(reading(COVERED), tumble, nmb)

    def test_order_of_open_play(self):
        nmb, tumble = ("no-more-bets", ROUND), ("tumble", ROUND)
        self.refused(opened(OPEN), tumble)
        self.refused(opened(OPEN).feed(nmb), nmb)
        self.refused(tumbled(OPEN), tumble, nmb)

    def test_another_round_s_commands(self):
        for command in ("no-more-bets", "tumble", "void-round"):
            player = opened(OPEN).feed((command, OTHER))
            self.assertEqual(player.answer()[1], "wrong-round")

    def test_a_round_is_played_once(self):
        player = opened(OPEN).feed(("void-round", ROUND), ("open", ROUND, OPEN))
        self.assertEqual(player.answer()[1], "wrong-round")

    def test_covered_play_needs_a_closed_cover(self):
        for event in UNCOVER:
            player = Player(*CLOSED, event, ("open", ROUND, COVERED))
            self.assertEqual(player.answer()[1], "wrong-state")

    def test_no_round_under_a_fault_until_it_is_cleared(self):
        player = Player(*CLOSED, ("fault", "tilted", ""), ("open", ROUND, OPEN))
        self.assertEqual(player.answer(), ("refuse", "faulted", "tilted"))
        player.feed(("clear-fault", "tilted", True))
        self.assertEqual(player.answer(), ("refuse", "still-present", "tilted"))
        player.feed(("clear-fault", "tilted", False), ("open", ROUND, OPEN))
        self.assertEqual(player.answer(), ("accept",))

    def test_a_fault_that_is_latched_is_journalled_once(self):
        player = Player(("fault", "tilted", ""), ("fault", "tilted", ""))
        self.assertEqual(player.records(), ["fault"])


if __name__ == "__main__":
    unittest.main()
