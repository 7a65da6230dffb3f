"""The reader's profile: what one camera sees of one set of dice, a readable JSON file checked whole."""

import hashlib
import json

from .tone import BLACK

DARK_PIPS = "dark-pips"
LIGHT_PIPS = "light-pips"
FORMAT = 3
SHINE = 200  # the mirror image of a lit lamp is by far the brightest thing in its zone
_FAINTEST = 100  # calibration takes for an image what is above 150, and asks four fifths of it

_MIDDLE = 0.5  # share of the contrast of a bare site that the middle of a two or a four may have
SHARP = 0.7  # pixels: blur of a lens in focus
_PIP_COUNTS = (1, 2, 3, 4, 5, 6)


class ProfileError(ValueError):
    """The profile cannot be used; the message names the field and what it must be."""


class Profile:
    """One camera over one platform with one style of dice.

    width, height   frame size, pixels
    lamps           number of frames of a scene, one under each lamp: 4 (opposite are 0-2 and 1-3), or 1
                    under all the light there is, which proves less
    die_mm          edge of a die
    scale           pixels a mm where top faces lie
    lens            height of a die as a share of the lens's height over the platform
    side            edge of a top face in pixels, where it has half its level
    platform        centre x, y and radius, pixels
    polarity        DARK_PIPS or LIGHT_PIPS
    body            level, in the darkest of the four frames, above which nothing of the empty platform is,
                    nor of the bare faces of dice with light pips
    pip_light       level of a light pip in the middle of the platform; 0 for DARK_PIPS
    steep           least step of level across two pixels that a die in focus shows somewhere
    dim             level of the empty platform's middle in the darkest of its frames
    black, gamma    tone of the camera: its level of no light, and the power of the light that its levels
                    rise with; of a linear camera, whose file may leave them out, 2 and 1
    levels          75th percentile of the empty platform under each lamp
    positions       lamp x, y, z in mm from the platform's centre, x right and y down in the picture
    gains           strength of each lamp
    images          of each lamp, [x, y, radius of its mirror images in the dome], empty when off the platform
    shines          level that the mirror image of each lamp reaches when it is lit, 200 when left out
    floors          level of the empty platform's middle under each lamp, above black; empty when left out:
                    then the lamps are taken to shine as at calibration
    pips            face -> ((u, v), ...) pip centres in sides from the middle of the face
    masses          face -> darkness of one pip, in pixels of full contrast
    radii           face -> radius of a pip in sides
    bare, pip       contrast of a site that is surely bare (at most), that is surely a pip (at least)
    middle          the same as bare for the middle of a two or a four, where a worn pip must not be taken for
                    bare: half of it, or what is given for dice so clear that the far face's pip shows there
    is_clear        whether it is given
    halo            times as far that light pips brighten the face about them as in a sharp picture: by the
                    lens's blur, the standard deviation in pixels of a point's light, 0.7 when left out
    stuck           ((x, y), ...) pixels that do not work
    digest          SHA-256 of the file's bytes
    """

    def __init__(self, fields, digest):
        if not isinstance(fields, dict) or fields.get("format") != FORMAT:
            raise ProfileError("format: must be %d; make the profile anew with this version" % FORMAT)
        self.digest = digest
        self.name = str(_field(fields, "name"))
        self.width = _whole(fields, "width", 32, 1024)
        self.height = _whole(fields, "height", 32, 1024)
        self.die_mm = _positive(_field(fields, "die_mm"), "die_mm")
        self.scale = _positive(_field(fields, "scale"), "scale")
        self.lens = _positive(_field(fields, "lens"), "lens")
        self.side = _positive(_field(fields, "side"), "side")
        self.body = _level(_field(fields, "body"), "body")
        self.pip_light = _number(_field(fields, "pip_light"), "pip_light")
        self.bare = _number(_field(fields, "bare"), "bare")
        self.is_clear = "middle" in fields
        self.middle = _number(fields.get("middle", _MIDDLE * self.bare), "middle")
        self.halo = max(1, _positive(fields.get("blur", SHARP), "blur") / SHARP)
        self.pip = _number(_field(fields, "pip"), "pip")
        self.platform = _numbers(_field(fields, "platform"), "platform", 3)
        self.polarity = _field(fields, "polarity")
        if self.polarity not in (DARK_PIPS, LIGHT_PIPS):
            raise ProfileError("polarity: must be %s or %s" % (DARK_PIPS, LIGHT_PIPS))
        self.dim = _level(_field(fields, "dim"), "dim")
        self.steep = _positive(_field(fields, "steep"), "steep")
        self.black = _number(fields.get("black", BLACK), "black")
        self.gamma = _number(fields.get("gamma", 1), "gamma")
        self._read_lamps(_field(fields, "lamps"))
        self._read_faces(_field(fields, "faces"))
        stuck = _list(_field(fields, "stuck"), "stuck")
        self.stuck = [_numbers(at, "stuck[%d]" % i, 2) for i, at in enumerate(stuck)]
        self._check()

    def _read_lamps(self, lamps):
        self.lamps = len(_list(lamps, "lamps"))
        if self.lamps not in (1, 4):
            raise ProfileError("lamps: a scene has four lamps or one, the profile has %d" % self.lamps)
        self.positions = []
        self.gains = []
        self.images = []
        self.shines = []
        self.levels = []
        self.floors = []
        for i, lamp in enumerate(lamps):
            where = "lamps[%d]." % i
            if not isinstance(lamp, dict):
                raise ProfileError(where[:-1] + ": must be an object")
            self.positions.append(_numbers(_field(lamp, "at", where), where + "at", 3))
            self.gains.append(_positive(_field(lamp, "gain", where), where + "gain"))
            self.levels.append(_level(_field(lamp, "level", where), where + "level"))
            images = _list(_field(lamp, "images", where), where + "images")
            self.shines.append(_level(lamp.get("shine", SHINE), where + "shine"))
            if self.shines[i] < _FAINTEST:
                raise ProfileError(
                    where + "shine: must be at least %d, for the floor reaches less" % _FAINTEST
                )
            self.images.append([_numbers(image, where + "images", 3) for image in images])
            if "floor" in lamp:
                self.floors.append(_level(lamp["floor"], where + "floor"))
        if len(self.floors) not in (0, self.lamps):
            raise ProfileError("lamps.floor: every lamp has one, or none")

    def _read_faces(self, faces):
        if not isinstance(faces, dict):
            raise ProfileError("faces: must be an object with the faces 1 to 6")
        self.pips = {}
        self.masses = {}
        self.radii = {}
        for count in _PIP_COUNTS:
            where = "faces.%d." % count
            face = _field(faces, str(count), "faces.")
            if not isinstance(face, dict):
                raise ProfileError(where[:-1] + ": must be an object")
            pips = _list(_field(face, "pips", where), where + "pips")
            if len(pips) != count:
                raise ProfileError(where + "pips: must have %d places" % count)
            self.pips[count] = [_numbers(at, where + "pips", 2) for at in pips]
            for u, v in self.pips[count]:
                if abs(u) > 0.45 or abs(v) > 0.45:
                    raise ProfileError(where + "pips: a pip is off the face; its middle is 0, its edge 0.5")
            self.masses[count] = _positive(_field(face, "mass", where), where + "mass")
            self.radii[count] = _number(_field(face, "radius", where), where + "radius")
            if not 0.03 <= self.radii[count] <= 0.3:
                raise ProfileError(where + "radius: must be 0.03 to 0.3 of a die's side")

    def _check(self):
        x, y, radius = self.platform
        if radius < 2 * self.side or not (0 < x < self.width and 0 < y < self.height):
            raise ProfileError("platform: must be in the picture and at least two dice wide in radius")
        if not 10 <= self.side <= 60:
            raise ProfileError("side: a die must be 10 to 60 pixels wide, aim for 24")
        if not 0 < self.bare < self.pip < 1:
            raise ProfileError("bare, pip: must be 0 < bare < pip < 1")
        if not 0 < self.middle <= self.bare:
            raise ProfileError("middle: must be above 0 and at most bare")
        if self.pip_light < 0 or (self.pip_light > 0) != (self.polarity == LIGHT_PIPS):
            raise ProfileError("pip_light: must be above 0 for light pips and 0 for dark ones")
        if not (0 <= self.black < 128 and 0.25 <= self.gamma <= 4):
            raise ProfileError("black, gamma: must be 0 to 127 and 0.25 to 4")
        if not self.lens < 0.5:
            raise ProfileError("lens: must be below 0.5, for the camera hangs higher than two dice")
        if not self.body < 255:
            raise ProfileError("body: must be below 255")
        for position in self.positions:
            if position[2] <= 2 * self.die_mm:
                raise ProfileError("lamps.at: a lamp must be higher than two dice")
        for one in range(self.lamps - 2):
            if not _are_opposite(self.positions[one], self.positions[one + 2]):
                raise ProfileError(
                    "lamps.at: lamps 0 and 2, and 1 and 3, must be opposite; are the pictures in their order?"
                )
        for x, y in self.stuck:
            if x != int(x) or y != int(y):
                raise ProfileError("stuck: a place is a column and a row, whole numbers")
            if not (0 <= x < self.width and 0 <= y < self.height):
                raise ProfileError("stuck: a place lies outside the picture")


def _are_opposite(one, other):
    """Whether two lamps hang more than 120 degrees apart around the platform; neighbours are 90 apart."""
    along = one[0] * other[0] + one[1] * other[1]
    return along < 0 and 4 * along**2 > (one[0] ** 2 + one[1] ** 2) * (other[0] ** 2 + other[1] ** 2)


def load_profile(path):
    """Profile from a JSON file. OSError when it cannot be opened, ProfileError when it cannot be used."""
    # What is wrong is raised outside the handlers: MicroPython chains no exceptions and warns of an attempt.
    trouble = None
    try:
        with open(path, "rb") as file:
            text = file.read()
        digest = hashlib.sha256(text).digest()
        # Of bytes CPython would take other encodings, too, which MicroPython does not.
        return Profile(json.loads(str(text, "utf-8")), digest)
    except ProfileError as error:
        trouble = str(error)
    except (ValueError, RuntimeError):  # RuntimeError: lists within lists without end
        trouble = "is not JSON"
    except MemoryError:
        trouble = "is too large for a profile"
    raise ProfileError("%s: %s" % (path, trouble))


def _field(fields, name, where=""):
    if name not in fields:
        raise ProfileError(where + name + ": is missing")
    return fields[name]


def _list(value, name):
    if not isinstance(value, list):
        raise ProfileError(name + ": must be a list")
    return value


def _number(value, name):
    # Chained comparison also turns away a NaN and the infinities.
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -1e6 < value < 1e6:
        raise ProfileError(name + ": must be a number")
    return value


def _positive(value, name):
    if _number(value, name) <= 0:
        raise ProfileError(name + ": must be above 0")
    return value


def _level(value, name):
    if _positive(value, name) > 255:
        raise ProfileError(name + ": must be a level, at most 255")
    return value


def _numbers(value, name, count):
    if len(_list(value, name)) != count:
        raise ProfileError("%s: must have %d numbers" % (name, count))
    return tuple([_number(item, name) for item in value])


def _whole(fields, name, low, high):
    value = _field(fields, name)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ProfileError("%s: must be a whole number from %d to %d" % (name, low, high))
    return value
