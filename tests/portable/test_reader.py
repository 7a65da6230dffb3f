"""The dice reader on small drawn scenes: every face at many angles, every refusal, every misuse."""

# heap: 1000k

import unittest
from math import cos, pi, sin

from tumbler.reader import FrameError, ProfileError, Reader
from tumbler.reader.profile import Profile

SIZE = 100
MIDDLE = 50
RADIUS = 44
SIDE = 16
PITCH = 0.28
PIP = 1.7
LAMPS = ((120, 0, 120), (0, -120, 120), (-120, 0, 120), (0, 120, 120))
IMAGES = ((88, 50, 3), (50, 12, 3), (12, 50, 3), (50, 88, 3))
PLACES = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (1, -1), (-1, 1), (1, 1)],
    5: [(-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)],
    6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
}


def fields():
    """A profile of the drawn machine: a pixel is a millimetre."""
    return {
        "format": 3,
        "name": "drawn",
        "width": SIZE,
        "height": SIZE,
        "die_mm": 16,
        "scale": 1.0,
        "lens": 0.08,
        "platform": [MIDDLE, MIDDLE, RADIUS],
        "polarity": "dark-pips",
        "side": SIDE,
        "body": 45,
        "pip_light": 0,
        "steep": 60,
        "dim": 20,
        "bare": 0.2,
        "pip": 0.5,
        "lamps": [
            {"at": list(LAMPS[k]), "gain": 1.0, "level": 30, "images": [list(IMAGES[k])]} for k in range(4)
        ],
        "faces": {
            str(face): {"pips": [[PITCH * u, PITCH * v] for u, v in places], "mass": 8.5, "radius": 0.11}
            for face, places in PLACES.items()
        },
        "stuck": [[70, 40]],
    }


class Drawn:
    """A die to draw: lean is the tilt of its top face in degrees, spots are extra (u, v, darkness)."""

    def __init__(self, face, x, y, degrees=0, side=1.0 * SIDE, lean=0, spots=(), missing=None):
        self.pips = [(PITCH * u, PITCH * v, 1) for u, v in PLACES[face]]
        if missing is not None:
            del self.pips[missing]
        self.pips += list(spots)
        self.x, self.y, self.side = x, y, side
        self.angle = degrees * pi / 180
        self.lean = lean * pi / 180


def light(die, lamp):
    """Level of a top face under a lamp: Lambert's law and the square of the distance."""
    x, y, z = LAMPS[lamp]
    x -= die.x - MIDDLE
    y -= die.y - MIDDLE
    z -= 16
    square = x * x + y * y + z * z
    return 2 + 3.9e6 * (x * sin(die.lean) + z * cos(die.lean)) / square**1.5


def cover(distance):
    """Share of a pixel inside an edge this far away."""
    return min(1, max(0, 0.5 + distance))


def draw(frame, die, lamp):
    level = light(die, lamp)
    reach = int(die.side * 0.75) + 2
    c, s = cos(die.angle), sin(die.angle)
    for y in range(int(die.y) - reach, int(die.y) + reach + 1):
        for x in range(int(die.x) - reach, int(die.x) + reach + 1):
            u = (x - die.x) * c + (y - die.y) * s
            v = (y - die.y) * c - (x - die.x) * s
            inside = cover(die.side / 2 - max(abs(u), abs(v)))
            if not inside:
                continue
            bright = 1
            for pu, pv, darkness in die.pips:
                away = ((u - pu * die.side) ** 2 + (v - pv * die.side) ** 2) ** 0.5
                bright -= 0.92 * darkness * cover(PIP - away)
            i = y * SIZE + x
            frame[i] = int(frame[i] * (1 - inside) + level * max(0.05, bright) * inside)


def shade(frame, die, lamp):
    """The shadow that a die throws, away from the lamp."""
    reach = die.side * 0.6
    x0 = die.x - reach * (LAMPS[lamp][0] + MIDDLE - die.x) / 120
    y0 = die.y - reach * (LAMPS[lamp][1] + MIDDLE - die.y) / 120
    half = int(die.side * 0.75)
    c, s = cos(die.angle), sin(die.angle)
    for y in range(int(y0) - half, int(y0) + half + 1):
        for x in range(int(x0) - half, int(x0) + half + 1):
            u = (x - x0) * c + (y - y0) * s
            v = (y - y0) * c - (x - x0) * s
            if max(abs(u), abs(v)) <= die.side / 2:
                frame[y * SIZE + x] = 4


def floor(lamp):
    """The empty floor under a lamp, which lights it by the same laws."""
    lamp_x, lamp_y, height = LAMPS[lamp]
    frame = bytearray(SIZE * SIZE)
    for y in range(SIZE):
        for x in range(SIZE):
            square = (x - MIDDLE - lamp_x) ** 2 + (y - MIDDLE - lamp_y) ** 2 + height * height
            frame[y * SIZE + x] = int(2 + 0.9e6 * height / square**1.5)
    return frame


FLOORS = [floor(lamp) for lamp in range(4)]


def picture(dice, lamp):
    frame = bytearray(FLOORS[lamp])
    for die in dice:
        shade(frame, die, lamp)
    x0, y0, radius = IMAGES[lamp]
    for y in range(y0 - radius, y0 + radius + 1):
        for x in range(x0 - radius, x0 + radius + 1):
            if (x - x0) ** 2 + (y - y0) ** 2 <= radius * radius:
                frame[y * SIZE + x] = 255
    frame[40 * SIZE + 70] = 255
    for die in dice:
        draw(frame, die, lamp)
    return frame


def three(first):
    return [first, Drawn(2, 50, 70, 20), Drawn(5, 70, 55, 65)]


class TestReader(unittest.TestCase):
    reader = Reader(Profile(fields(), b""))

    def read(self, dice, order=(0, 1, 2, 3)):
        self.reader.begin()
        for turn, lamp in enumerate(order):
            self.reader.add(picture(dice, lamp), turn)
        return self.reader.finish()

    def assert_refused(self, reading, reason):
        self.assertEqual((reading.verdict, reading.reason), ("refused", reason), reading.detail)
        self.assertEqual(reading.faces, ())
        self.assertTrue(0 < len(reading.detail) <= 24, reading.detail)

    def test_every_face_at_many_angles(self):
        for face in range(1, 7):
            for degrees in (9 * face - 9, 9 * face + 36):
                reading = self.read(three(Drawn(face, 32.4, 33.7, degrees)))
                self.assertEqual(reading.faces, (face, 5, 2), "%s %s" % (reading.reason, reading.detail))
                self.assertIsNone(reading.reason)

    def test_says_where_each_die_lies(self):
        die = self.read(three(Drawn(4, 32.4, 33.7, 17))).dice[0]
        self.assertEqual(die.face, 4)
        self.assertTrue(abs(die.x - 32.4) < 0.3 and abs(die.y - 33.7) < 0.3)
        self.assertTrue(abs(die.side - SIDE) < 1 and abs(die.angle - 17) < 3)
        self.assertTrue(die.flat and die.tilt_deg < 2 and 0 < die.confidence <= 1)

    def test_a_die_that_leans_is_not_flat(self):
        for lean in (-8, 6, 12):
            self.assert_refused(self.read(three(Drawn(3, 32, 33, 30, lean=lean))), "not-flat")

    def test_a_camera_that_bends_its_levels_is_read_by_a_profile_that_says_how(self):
        for black, gamma in ((16, 1), (2, 0.7), (0, 1.4)):
            told = fields()
            told["black"], told["gamma"] = black, gamma
            reader = Reader(Profile(told, b""))
            shown = [max(0, black - 2 + level) for level in range(2)]
            shown += [
                int(black + (255 - black) * ((level - 2) / 253) ** gamma + 0.5) for level in range(2, 256)
            ]
            for lean in (0, 8):
                reader.begin()
                for lamp in range(4):
                    frame = bytearray(picture(three(Drawn(3, 32, 33, 30, lean=lean)), lamp))
                    for i, level in enumerate(frame):
                        frame[i] = shown[level]
                    reader.add(frame, lamp)
                reading = reader.finish()
                self.assertEqual(reading.reason, "not-flat" if lean else None)
                self.assertEqual(reading.faces, () if lean else (3, 5, 2))

    def test_a_lamp_that_gives_less_than_at_calibration_leans_no_die_and_rights_none(self):
        told = fields()
        for lamp in told["lamps"]:
            lamp["floor"] = 22.1  # as drawn, in the middle
        reader = Reader(Profile(told, b""))
        for lean, share in ((0, 0.8), (0, 0.9), (0, 1.15), (-7, 0.8), (7, 0.8), (7, 1.25)):
            reader.begin()
            for lamp in range(4):
                frame = picture(three(Drawn(3, 32, 33, 30, lean=lean)), lamp)
                if lamp == 0:  # to which dice lean: with so much less light they look level
                    for i, level in enumerate(frame):
                        frame[i] = min(255, int(2 + share * max(0, level - 2) + 0.5))
                reader.add(frame, lamp)
            reading = reader.finish()
            if lean:
                self.assert_refused(reading, "not-flat")
            else:
                self.assertEqual(reading.faces, (3, 5, 2), reading.detail)

    def test_a_die_on_another_is_stacked(self):
        dice = [Drawn(4, 35, 35, 10, side=SIDE * 1.1), Drawn(2, 60, 62, 20)]
        self.assert_refused(self.read(dice), "stacked")

    def test_counts_the_dice(self):
        self.assert_refused(self.read(three(Drawn(1, 32, 33))[:2]), "die-missing")
        self.assert_refused(self.read([]), "die-missing")
        self.assert_refused(self.read(three(Drawn(1, 32, 33)) + [Drawn(6, 70, 30)]), "extra-object")
        reader = Reader(Profile(fields(), b""), count=1)
        reader.begin()
        for lamp in range(4):
            reader.add(picture([Drawn(6, 40, 40, 12)], lamp), lamp)
        self.assertEqual(reader.finish().faces, (6,))

    def test_a_lost_pip_is_damage(self):
        for face in (4, 5, 6):
            self.assert_refused(self.read(three(Drawn(face, 32, 33, 30, missing=0))), "die-damaged")

    def test_an_added_spot_is_damage(self):
        for face in (1, 4):
            spot = [(0.02, 0.27, 1)]
            self.assert_refused(self.read(three(Drawn(face, 32, 33, 30, spots=spot))), "die-damaged")

    def test_a_faint_middle_pip_is_neither_bare_nor_pip(self):
        for darkness in (0.2, 0.45):
            for face in (2, 4):
                spot = [(0, 0, darkness)]
                self.assert_refused(self.read(three(Drawn(face, 32, 33, 30, spots=spot))), "die-damaged")

    def test_frames_of_other_lamps_are_not_believed(self):
        reading = self.read(three(Drawn(1, 32, 33)), (1, 0, 2, 3))
        self.assert_refused(reading, "unreadable")
        self.assertEqual(reading.detail, "lamp-not-lit")

    def test_one_frame_four_times_is_a_stuck_camera(self):
        reading = self.read(three(Drawn(1, 32, 33)), (0, 0, 0, 0))
        self.assert_refused(reading, "unreadable")
        self.assertEqual(reading.detail, "stuck-camera")

    def test_dark_and_burnt_frames(self):
        for level, detail in ((0, "too-dark"), (8, "too-dark"), (90, "too-bright"), (255, "too-bright")):
            self.reader.begin()
            for lamp in range(4):
                frame = bytearray(bytes([level]) * (SIZE * SIZE))
                frame[lamp] = 1
                frame[SIZE * MIDDLE + MIDDLE + 2 * lamp] = 17 * lamp
                self.reader.add(frame, lamp)
            reading = self.reader.finish()
            self.assert_refused(reading, "unreadable")
            self.assertEqual(reading.detail, detail)

    def test_noise_is_not_read(self):
        state = 1
        self.reader.begin()
        for lamp in range(4):
            frame = bytearray(SIZE * SIZE)
            for i in range(len(frame)):
                state = (state * 75 + 74) % 65537
                frame[i] = state & 255
            self.reader.add(frame, lamp)
        self.assert_refused(self.reader.finish(), "unreadable")

    def test_a_dark_thing_on_the_platform_is_extra(self):
        self.reader.begin()
        for lamp in range(4):
            frame = picture(three(Drawn(1, 32, 33)), lamp)
            for y in range(24, 34):
                frame[y * SIZE + 62 : y * SIZE + 72] = bytes([4]) * 10
            self.reader.add(frame, lamp)
        self.assert_refused(self.reader.finish(), "extra-object")

    def test_a_shadow_where_this_lamp_has_none_is_extra(self):
        """What throws it hides in the shadow that a die throws there under the opposite lamp."""
        self.reader.begin()
        for lamp in range(4):
            frame = picture(three(Drawn(1, 32, 33)), lamp)
            for y in range(51, 56):
                if lamp == 0:
                    frame[y * SIZE + 80 : y * SIZE + 87] = bytes([4]) * 7
            self.reader.add(frame, lamp)
        self.assert_refused(self.reader.finish(), "extra-object")

    def test_a_face_that_one_dim_frame_does_not_show_is_not_read(self):
        for shown, other in ((5, 4), (3, 1), (6, 4)):
            for odd in range(4):
                self.reader.begin()
                for lamp in range(4):
                    first = Drawn(other if lamp == odd else shown, 28, 35)
                    self.reader.add(picture(three(first), lamp), lamp)
                reading = self.reader.finish()
                self.assertEqual(reading.faces, (), "%d shown as %d under lamp %d" % (shown, other, odd))

    def test_a_crack_is_damage(self):
        self.reader.begin()
        for lamp in range(4):
            frame = picture(three(Drawn(4, 32, 33)), lamp)
            for y in range(26, 41):
                i = y * SIZE + 32 + y % 2
                frame[i] = frame[i] * 8 // 10
            self.reader.add(frame, lamp)
        self.assert_refused(self.reader.finish(), "die-damaged")

    def test_misuse_is_an_error(self):
        frame = picture([], 0)
        self.reader.begin()
        with self.assertRaises(FrameError):
            self.reader.add(frame, 1)
        with self.assertRaises(FrameError):
            self.reader.add(frame[1:], 0)
        self.reader.add(frame, 0)
        with self.assertRaises(FrameError):
            self.reader.add(frame, 0)
        with self.assertRaises(FrameError):
            self.reader.finish()
        self.assertEqual(self.read(three(Drawn(1, 32, 33))).faces, (1, 5, 2))


class TestProfile(unittest.TestCase):
    def assert_names(self, name, change):
        values = fields()
        change(values)
        try:
            Profile(values, b"")
        except ProfileError as error:
            self.assertIn(name, str(error))
        else:
            self.fail("%s was accepted" % name)

    def test_every_field_must_be_there(self):
        for name in fields():
            self.assert_names(name, lambda values, name=name: values.pop(name))
        for name in ("at", "gain", "level", "images"):
            self.assert_names("lamps[2]." + name, lambda values, name=name: values["lamps"][2].pop(name))
        for name in ("pips", "mass", "radius"):
            self.assert_names("faces.3." + name, lambda values, name=name: values["faces"]["3"].pop(name))

    def test_every_field_must_make_sense(self):
        for name, value in (
            ("format", 1),
            ("width", 3),
            ("width", 320.5),
            ("height", True),
            ("die_mm", 0),
            ("scale", "1"),
            ("lens", 0.5),
            ("side", 5),
            ("side", float("nan")),
            ("platform", [1, 2]),
            ("platform", [500, 50, 44]),
            ("platform", [50, 50, 20]),
            ("polarity", "both"),
            ("body", 300),
            ("black", -1),
            ("black", 128),
            ("gamma", 0),
            ("gamma", "1"),
            ("pip_light", 3),
            ("pip_light", -1),
            ("dim", 256),
            ("steep", 0),
            ("bare", 0.6),
            ("blur", 0),
            ("blur", "1.2"),
            ("middle", 0),
            ("middle", 0.21),
            ("middle", "0.1"),
            ("pip", 1),
            ("lamps", []),
            ("lamps", {}),
            ("faces", []),
            ("stuck", [[1]]),
            ("stuck", [[100, 0]]),
            ("stuck", [[50.5, 50]]),
        ):
            self.assert_names(name, lambda values, name=name, value=value: values.update({name: value}))
        self.assert_names("lamps.at", lambda values: values["lamps"][0].update({"at": [1, 2, 20]}))
        self.assert_names("opposite", lambda values: values["lamps"].insert(0, values["lamps"].pop(1)))
        self.assert_names("faces.2.pips", lambda values: values["faces"]["2"].update({"pips": [[0, 0]]}))
        self.assert_names("faces.1.pips", lambda values: values["faces"]["1"].update({"pips": [[0.5, 0]]}))
        for name, value in (
            ("gain", -1),
            ("level", 256),
            ("shine", 256),
            ("shine", 99),
            ("shine", -1),
            ("shine", "9"),
        ):
            self.assert_names(
                "lamps[0]." + name,
                lambda values, name=name, value=value: values["lamps"][0].update({name: value}),
            )
        for radius in (0, 0.01, 0.4, "0.1"):
            self.assert_names(
                "faces.6.radius",
                lambda values, radius=radius: values["faces"]["6"].update({"radius": radius}),
            )
        self.assert_names("lamps.floor", lambda values: values["lamps"][0].update({"floor": 20}))
        self.assert_names("lamps[2].floor", lambda values: values["lamps"][2].update({"floor": 0}))


if __name__ == "__main__":
    unittest.main()
