"""Scenes of a sensor module: what agrees over time is read, everything else is refused or a fault."""

import unittest

from fake_buses import Clock, I2c
from test_controller import COVERED, FOLDER, Rig, clear_folder
from test_driver_huskylens import ModuleV1

from tumbler import journal as journals
from tumbler.definitions import FACTS
from tumbler.drivers import NOT_FLAT, UNKNOWN, Answer, Seen, make_sensor
from tumbler.hal import SensorError
from tumbler.sensor_scene import SensorScene, judge

TWO = Seen(2, 60, 100, 40, 42, None)
THREE = Seen(3, 150, 90, 41, 40, None)
SIX = Seen(6, 220, 140, 40, 40, None)
SOUND = (TWO, THREE, SIX)


def changed(seen, **changes):
    names = ("face", "x", "y", "width", "height", "confidence")
    return Seen(*[changes.get(name, value) for name, value in zip(names, seen)])


def beside(fourth):
    objects = list(SOUND)
    objects.append(fourth)
    return tuple(objects)


class Sensor:
    """A driver that answers `delay_ms` after a request with the next of `script`, or for ever with its last.

    An entry is a tuple of Seen or an error's text; `pictures`: whether each answer has a new number.
    """

    def __init__(self, clock, *script):
        self._clock = clock
        self.script = list(script)
        self.delay_ms = 20
        self.pictures = "numbered"
        self.requests = []
        self._due = None

    def request(self, now):
        self.requests.append(now)
        self._due = now + self.delay_ms

    def poll(self, now):
        if now != self._clock.ms:
            raise AssertionError("the scene's clock is not the board's")
        if self._due is None or now < self._due:
            return None
        self._due = None
        entry = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(entry, str):
            raise SensorError(entry)
        number = {"numbered": len(self.requests), "unnumbered": None, "still": 7}[self.pictures]
        return Answer(entry, number, bytes([len(entry)]) * 32)


class SceneCase(unittest.TestCase):
    def scene(self, *script):
        self.clock = Clock()
        self.sensor = Sensor(self.clock, *script)
        return SensorScene(self.clock, self.sensor)

    def play(self, scene, most_ms=20000) -> tuple:
        """The scene's event."""
        while self.clock.ms < most_ms:
            event = scene.step()
            if event is not None:
                return event
            self.clock.ms += 5
        raise AssertionError("no event")

    def refusal(self, *script):
        kind, fact, detail, digest = self.play(self.scene(*script))
        self.assertEqual((kind, len(digest)), ("refused", 32))
        return fact, detail

    def fault(self, scene):
        with self.assertRaises(SensorError) as raised:
            self.play(scene)
        return str(raised.exception)


class Reading(SceneCase):
    def test_answers_that_agree_are_read(self):
        kind, faces, tilts, confidences, digest = self.play(self.scene(SOUND))
        self.assertEqual((kind, faces, tilts, confidences), ("read", (2, 3, 6), (0, 0, 0), (0, 0, 0)))
        self.assertEqual(len(digest), 32)

    def test_it_takes_several_answers_over_some_hundred_ms(self):
        self.play(self.scene(SOUND))
        self.assertEqual(len(self.sensor.requests), 4)
        self.assertTrue(self.sensor.requests[-1] - self.sensor.requests[0] >= 300)

    def test_a_module_that_numbers_no_pictures_is_read_all_the_same(self):
        scene = self.scene(SOUND)
        self.sensor.pictures = "unnumbered"
        self.assertEqual(self.play(scene)[1], (2, 3, 6))

    def test_confidences_go_on_record_where_they_are_told(self):
        sure = tuple(changed(seen, confidence=900 + seen.face) for seen in SOUND)
        self.assertEqual(self.play(self.scene(sure))[3], (902, 903, 906))

    def test_every_combination_of_faces_is_read(self):
        for a in range(1, 7):
            for b in range(1, 7):
                for c in range(1, 7):
                    objects = (changed(TWO, face=a), changed(THREE, face=b), changed(SIX, face=c))
                    self.assertEqual(judge(objects), ("read", sorted((a, b, c))))

    def test_order_and_a_pixel_s_noise_do_not_matter(self):
        moved = (changed(SIX, x=222, width=42), changed(TWO, y=99), THREE)
        kind, faces = self.play(self.scene(SOUND, moved, SOUND, moved))[:2]
        self.assertEqual((kind, sorted(faces)), ("read", [2, 3, 6]))
        self.assertEqual(len(self.sensor.requests), 4)

    def test_scenes_follow_one_another(self):
        scene = self.scene(SOUND)
        first, second = self.play(scene), self.play(scene)
        self.assertEqual(first[:4], second[:4])
        self.assertEqual(len(self.sensor.requests), 8)

    def test_a_stopped_scene_starts_anew(self):
        scene = self.scene(SOUND)
        while len(self.sensor.requests) < 4:
            scene.step()
            self.clock.ms += 5
        scene.stop()
        self.play(scene)
        self.assertEqual(len(self.sensor.requests), 8)

    def test_the_digest_is_of_all_answers(self):
        plain = self.play(self.scene(SOUND))[4]
        self.assertEqual(self.play(self.scene(SOUND))[4], plain)
        self.assertTrue(self.play(self.scene((), SOUND))[4] != plain)


class Refusing(SceneCase):
    def test_too_few_and_too_many(self):
        self.assertEqual(self.refusal(())[0], "die-missing")
        self.assertEqual(self.refusal((TWO, SIX))[0], "die-missing")
        self.assertEqual(self.refusal(beside(changed(TWO, x=300)))[0], "extra-object")
        self.assertEqual(self.refusal(beside(changed(TWO, x=300, face=UNKNOWN)))[0], "extra-object")

    def test_a_die_that_is_not_flat(self):
        for index in range(3):
            objects = list(SOUND)
            objects[index] = changed(objects[index], face=NOT_FLAT)
            self.assertEqual(self.refusal(tuple(objects))[0], "not-flat")

    def test_an_object_of_no_class(self):
        self.assertEqual(self.refusal((TWO, THREE, changed(SIX, face=UNKNOWN)))[0], "unreadable")

    def test_sizes_no_die_has(self):
        for width, height in ((0, 0), (40, 0), (-40, 40), (40, 19), (82, 82), (19, 19), (160, 30)):
            self.assertEqual(judge((TWO, THREE, changed(SIX, width=width, height=height)))[0], "unreadable")
        for width, height in ((40, 56), (28, 28), (56, 56)):
            self.assertEqual(judge((TWO, THREE, changed(SIX, width=width, height=height)))[0], "read")

    def test_two_classes_for_one_die(self):
        self.assertEqual(judge((TWO, THREE, changed(TWO, face=6)))[0], "unreadable")
        self.assertEqual(judge((TWO, THREE, changed(TWO, face=6, x=70, y=108)))[0], "unreadable")

    def test_touching_dice_in_wide_boxes_are_two_dice(self):
        """Two dice of side 28, turned by 45 degrees, with boxes of 40 around them."""
        self.assertEqual(judge((TWO, THREE, changed(TWO, face=6, x=80, y=120)))[0], "read")

    def test_an_unsure_module(self):
        for confidence, verdict in ((699, "unreadable"), (700, "read"), (0, "unreadable")):
            self.assertEqual(judge((TWO, THREE, changed(SIX, confidence=confidence)))[0], verdict)

    def test_answers_that_disagree_about_a_face(self):
        other = (TWO, THREE, changed(SIX, face=5))
        self.assertEqual(self.refusal(*[SOUND, SOUND, SOUND, other] * 4)[0], "unreadable")
        self.assertEqual(len(self.sensor.requests), 12)

    def test_a_refusal_needs_no_dice_in_their_places(self):
        moving = [beside(changed(TWO, x=300 + 50 * turn)) for turn in range(8)]
        self.assertEqual(self.refusal(*moving)[0], "extra-object")
        self.assertEqual(len(self.sensor.requests), 4)

    def test_faces_that_swap_places(self):
        swapped = (changed(TWO, face=3), changed(THREE, face=2), SIX)
        self.assertEqual(self.refusal(*[SOUND, swapped] * 8)[0], "unreadable")

    def test_dice_that_move(self):
        moving = [tuple(changed(seen, x=seen.x + 15 * turn) for seen in SOUND) for turn in range(12)]
        self.assertEqual(self.refusal(*moving)[0], "unreadable")

    def test_a_flickering_refusal_names_no_cause(self):
        self.assertEqual(self.refusal(*[(), SOUND] * 8), ("unreadable", "answers disagree"))

    def test_details_fit_into_a_record(self):
        for objects in ((), (TWO,) * 9, (TWO, TWO, TWO), (TWO, THREE, changed(SIX, face=UNKNOWN))):
            self.assertTrue(len(judge(objects)[1]) <= 48)


class Faults(SceneCase):
    def test_a_sensor_that_fails_again_and_again_is_a_fault(self):
        scene = self.scene("silent")
        self.assertEqual(self.fault(scene), "silent")
        self.assertEqual(len(self.sensor.requests), 3)
        self.assertEqual(self.fault(scene), "silent")
        self.assertEqual(len(self.sensor.requests), 6)

    def test_failures_of_a_stopped_scene_do_not_count(self):
        scene = self.scene("silent", "silent", "silent", "silent", SOUND)
        while len(self.sensor.script) > 3:
            scene.step()
            self.clock.ms += 5
        scene.stop()
        self.assertEqual(self.play(scene)[0], "read")

    def test_single_failures_are_got_over_but_break_the_agreement(self):
        scene = self.scene(SOUND, SOUND, SOUND, "silent", SOUND)
        self.assertEqual(self.play(scene)[0], "read")
        self.assertEqual(len(self.sensor.requests), 8)

    def test_failures_count_in_a_row(self):
        script = ["silent", "silent", SOUND, "silent", "silent", SOUND, SOUND, SOUND, SOUND]
        self.assertEqual(self.play(self.scene(*script))[0], "read")

    def test_a_request_that_fails_is_a_failure_too(self):
        scene = self.scene(SOUND)

        def request(now):
            raise SensorError("no acknowledge")

        self.sensor.request = request
        self.assertEqual(self.fault(scene), "no acknowledge")

    def test_a_picture_that_stands_still_is_a_fault(self):
        scene = self.scene(SOUND)
        self.sensor.pictures = "still"
        self.assertIn("stands still", self.fault(scene))

    def test_dice_that_no_tumble_moved_are_an_old_picture(self):
        for pictures in ("numbered", "unnumbered"):
            scene = self.scene(SOUND)
            self.sensor.pictures = pictures
            self.play(scene)
            self.clock.ms += 5000
            for _ in range(3):  # it is asked again and again: no number of rounds makes the picture true
                scene.stop()
                self.assertIn("another round", self.fault(scene))

    def test_scenes_of_one_round_may_show_the_same_picture(self):
        scene = self.scene(SOUND)
        self.play(scene)
        self.sensor.delay_ms = 2000  # a module that takes its time
        for _ in range(3):  # the table is bumped between the scenes
            self.clock.ms += 4900
            scene.stop()
            self.assertEqual(self.play(scene, most_ms=100000)[1], (2, 3, 6))

    def test_dice_of_another_round_may_show_the_same_faces_a_pixel_further(self):
        scene = self.scene(SOUND)
        self.play(scene)
        scene.stop()
        self.clock.ms += 5000
        self.sensor.script = [(changed(TWO, x=61), THREE, SIX)]
        self.assertEqual(self.play(scene)[1], (2, 3, 6))

    def test_a_fault_is_sensor_fault_s_part(self):
        self.assertEqual(SensorError.part, "sensor")

    def test_works_waits_for_one_answer(self):
        scene = self.scene("silent", SOUND)
        self.assertEqual((scene.works(), scene.works()), (False, True))
        self.assertEqual(self.clock.ms, 40)

    def test_works_is_for_any_answer(self):
        self.assertTrue(self.scene(()).works())

    def test_a_scene_after_works_is_whole(self):
        scene = self.scene(SOUND)
        scene.step()
        scene.works()
        self.play(scene)
        self.assertEqual(len(self.sensor.requests), 6)


class WholeRounds(unittest.TestCase):
    """The controller with a simulated HuskyLens in place of camera and reader."""

    def setUp(self):
        clear_folder()
        journals.create(FOLDER)
        self.module = ModuleV1()
        driver = make_sensor("huskylens-v1", I2c({0x32: self.module}), {"address": 0x32})
        self.rig = Rig(scene=lambda board: SensorScene(board, driver))

    def tearDown(self):
        clear_folder()

    def uncover(self):
        self.rig.to_reading()
        self.rig.cover(True)
        self.rig.wait(8000)

    def test_a_round_is_read(self):
        self.uncover()
        reading = self.rig.newest("reading")
        self.assertEqual((reading["faces"], reading["tilts"]), ([2, 3, 6], [0, 0, 0]))
        self.assertEqual((reading["confidences"], len(reading["frames"])), ([0, 0, 0], 32))

    def test_a_frozen_picture_voids_the_next_round(self):
        self.uncover()
        self.rig.cover(False)
        self.rig.wait(500)
        again = {"round": b"s" * 16}
        self.rig.command("open-round", mode=COVERED, **again)
        self.rig.step()
        self.rig.command("tumble", **again)
        self.rig.step()
        self.rig.strokes(4)
        self.rig.wait(1500)
        self.rig.command("no-more-bets", **again)
        self.rig.cover(True)
        self.rig.wait(8000)
        self.assertEqual(self.rig.newest("void")["fact"], FACTS["sensor-fault"])
        self.assertIn("another round", self.rig.newest("fault")["detail"])

    def test_nothing_is_asked_before_the_cover_is_opened(self):
        self.rig.to_reading()
        self.rig.wait(1000)
        self.assertEqual(self.module.heard, [])

    def test_a_die_that_leans_voids_the_round(self):
        self.module.objects[1] = (7, 150, 90, 41, 40)
        self.uncover()
        self.assertEqual(self.rig.newest("void")["fact"], FACTS["not-flat"])

    def test_a_silent_module_is_a_sensor_fault_until_it_answers(self):
        self.module.silent = True
        self.uncover()
        self.assertEqual(self.rig.newest("void")["fact"], FACTS["sensor-fault"])
        self.assertTrue(self.rig.newest("fault")["detail"].startswith("sensor: silent"))
        self.rig.cover(False)
        clear = {"fact": FACTS["sensor-fault"]}
        self.assertEqual(self.rig.command("clear-fault", **clear)[0], "still-present")
        self.module.silent = False
        self.assertEqual(self.rig.command("clear-fault", **clear)[0], "done")


if __name__ == "__main__":
    unittest.main()
