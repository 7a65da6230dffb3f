"""One set of dice, measured from a die that shows each face, with the reader's own steps.

So an area, a pip or a level is the same here and on the device.
"""

from collections.abc import Callable
from contextlib import contextmanager
from itertools import product
from math import hypot
from types import SimpleNamespace

import numpy as np

from host_tools.calibration.blur import SOFT, spread
from host_tools.calibration.classic import CLASSIC
from host_tools.calibration.errors import CalibrationError, not_alone
from host_tools.calibration.rig import Rig
from tumbler.reader.bodies import CUT, OVER_FLOOR, BodyFinder
from tumbler.reader.edges import fit_edges
from tumbler.reader.gather import REACH, Gatherer
from tumbler.reader.lamp_light import lamp_light, least_light
from tumbler.reader.lattices import OVER_FLOOR as OVER_FLOOR_OF_PIPS
from tumbler.reader.lattices import SpotFinder, explain
from tumbler.reader.pips import WITHOUT_MIDDLE, Shade, bare_sites, find_spots, levels, sample, sites
from tumbler.reader.profile import FORMAT, LIGHT_PIPS, Profile, ProfileError
from tumbler.reader.refusal import Refused
from tumbler.reader.regions import Labeller
from tumbler.reader.silhouette import Silhouettes
from tumbler.reader.square import Pose
from tumbler.reader.tilt import face_brightness
from tumbler.reader.tone import BLACK

Tell = Callable[[str], None]

_CUTS = 0.6, 0.7, 0.5, 0.8, 0.4  # shares of the brightest pips' level at which light pips are cut out
# Times as large as the smallest pip of a face its largest is; then what it may be if pips are a few pixels.
_ALIKE = 1.8, 2.7
# Shares by which the darkness, and the radius, of the pips of a face differ that are unlike the others', who
# differ by 0.2.
_OTHER_COLOUR, _OTHER_SIZE = 0.3, 0.15
_ROUGH = 0.03  # sides by which the outline of a face may be off a square
_WHITE = 245  # levels above no light from which a face may be burnt out,
_MUCH = 1.1  # and times as much as one lamp may burn a face at one place
_SQUARE = 0.04  # share by which a six may differ from a square one,
_AS_OTHERS = 0.06  # and that from the pitch of the other faces
_ON_FACE, _OFF_PIP = 0.42, 1.5  # sides from its middle, and pixels from a light pip, where a face is bare
_PIP_ABOVE = 0.45  # share of the way from the bare face's level to the pips' above which a pixel is a pip's
_SHINES = 1.3  # times the contrast of the far face's pip in a clear die's middle that may be seen there


def usable(fields) -> Profile:
    """The profile of these fields, once the device's own check has passed it."""
    try:
        return Profile(fields, b"")
    except ProfileError as error:
        raise CalibrationError(f"the pictures make no usable profile: {error}") from error


def _miscounted(face: int, pips: int) -> CalibrationError:
    return CalibrationError(
        f"face{face}: {pips} pips found on face {face}: does the die show its {face}, clean and free of"
        " glare, and is it a die with such pips (--polarity)?"
    )


@contextmanager
def _naming(face: int):
    """Turns a refusal of the reader's into an error that names the picture."""
    try:
        yield
    except Refused as refusal:
        raise CalibrationError(
            f"face{face}: {refusal.detail}: is the die alone, is it or are its pips much brighter than the"
            " platform, and are the pictures free of noise?"
        ) from refusal


class Bench:
    """The calibration pictures of one style, measured with the reader's own steps."""

    def __init__(self, fields, scenes, tell: Tell):
        self.fields = fields
        self.scenes = scenes
        self.tell = tell

    def measure(self):
        """Fill in side, patterns, masses, gains and the contrast limits."""
        self._sides()
        self._faces()
        self._contrasts()
        self._steepness()
        self._tell_of_the_wall()

    def _gather(self, face):
        profile = usable(self.fields)
        gatherer = Gatherer(profile)
        gatherer.begin()
        for lamp, frame in enumerate(self.scenes[face]):
            gatherer.add(frame.tobytes(), lamp)
        try:
            gatherer.finish()
        except Refused as refusal:
            raise CalibrationError(
                f"face{face}: {refusal.detail}: take its pictures with the lamps and the exposure of those of"
                " the empty platform"
            ) from refusal
        labeller = Labeller()
        return profile, gatherer, labeller, BodyFinder(gatherer, labeller)

    def _body(self, finder, face):
        with _naming(face):
            bodies, oddities = finder.find(1)
        if len(bodies) != 1 or oddities:
            if len(bodies) + len(oddities) == 1:
                raise CalibrationError(
                    f"face{face}: what lies there is no die seen whole: does it lie flat and free of glare?"
                )
            raise not_alone(face, len(bodies) + len(oddities))
        return bodies[0]

    def _sides(self):
        """Side of the face at half its level."""
        sides = []
        for face in self.scenes:
            _, gatherer, labeller, finder = self._gather(face)
            sides.append(self._outline(gatherer, labeller, finder, face).pose.side)
        self.tell(f"sides {np.round(np.array(sides), 2).tolist()}")
        self.fields["side"] = round(float(np.median(sides)), 2)

    def _steepness(self):
        """The least that any face shows."""
        steep = min(self._gather(face)[1].steepness() for face in self.scenes)
        self.fields["steep"] = round(steep, 1)

    def _outline(self, gatherer, labeller, finder, face):
        """The Fit of the one face-sized region, of whatever size and turn."""
        everywhere = 0, 0, gatherer.columns - 1, gatherer.rows - 1
        cut = int(self.fields["body"])
        with _naming(face):
            regions = labeller.find(gatherer.low, gatherer.columns, everywhere, cut, 256, 1)
        regions = [region for region in regions if region.area > 0.2 * self.fields["side"] ** 2]
        if len(regions) != 1:
            raise not_alone(face, len(regions))
        region = regions[0]
        box = region.x0, region.y0, region.x1, region.y1
        level = finder.level(gatherer.low, box, cut)
        x, y = (region.x0 + region.x1) / 2, (region.y0 + region.y1) / 2
        # Pips that reach the edge leave less of a face than there is: then the drawing tells its size better.
        for side in (region.area**0.5 * 1.04, self.fields["side"]):
            starts = [Pose(x, y, side, np.radians(degrees)) for degrees in range(0, 90, 6)]
            fits = [fit_edges(gatherer.low, gatherer.columns, at, level * CUT // 100, True) for at in starts]
            best = max((fit for fit in fits if fit is not None), key=_goodness, default=None)
            if best is not None and min(best.free) >= 3 and best.rough <= _ROUGH:
                return best
        raise CalibrationError(f"face{face}: no square is found: does one die lie flat and in focus?")

    def _faces(self):
        places, masses, radii = {}, {}, {}
        for face in self.scenes:
            _, gatherer, _, finder = self._gather(face)
            body = self._body(finder, face)
            spots = find_spots(gatherer.low, gatherer.columns, gatherer.rows, body.pose, body.level)
            if len(spots) != face:
                raise _miscounted(face, len(spots))
            places[face] = [body.pose.face(s.x, s.y) for s in spots]
            masses[face] = float(np.mean([s.mass for s in spots]))
            radii[face] = self._radius(gatherer, body, face)
        self.tell(f"pips {masses}, radii {radii}")
        pips = arrange(places)
        for face, fields in self.fields["faces"].items():
            fields["pips"] = pips[int(face)]
        self._set_sizes(masses, radii)

    def _radius(self, gatherer, body, face):
        """Of a pip in sides, from the area of the face that is dark."""
        low = np.frombuffer(gatherer.low, np.uint8).reshape(gatherer.rows, gatherer.columns)
        rows, columns = np.nonzero(low < 0.6 * body.level)
        u, v = body.pose.face(columns.astype(float), rows.astype(float))
        area = np.sum((abs(u) < 0.45) & (abs(v) < 0.45)) / face
        return float(np.sqrt(area / np.pi) / body.pose.side)

    def _set_sizes(self, masses, radii):
        """A face whose pips are of another size or colour keeps its own, as a large or a red one: all others
        share the mean of those that are not the one."""
        own = [face for face in masses if self._differs(face, masses, radii)]
        shared = [face for face in masses if face not in own and face != 1]
        for face, fields in self.fields["faces"].items():
            of = [int(face)] if int(face) in own else shared
            fields["mass"] = round(float(np.mean([masses[face] for face in of])), 2)
            fields["radius"] = round(float(np.mean([radii[face] for face in of])), 4)

    def _differs(self, face, masses, radii):
        """Whether the pips of a face are of another colour than most, or its only one of another size."""
        mass, radius = (of[face] / np.median(list(of.values())) for of in (masses, radii))
        return abs(mass - 1) > _OTHER_COLOUR or (face == 1 and abs(radius - 1) > _OTHER_SIZE)

    def lamp_gains(self):
        """Strength of each lamp: with it a level die is as bright under all, but for distance and angle."""
        self._sides()
        self._faces()
        ratios = []
        for face in self.scenes:
            profile, gatherer, _, finder = self._gather(face)
            # Of this face, either way it may be turned: the sites of all leave little of some makes bare.
            pips = list(dict.fromkeys(place for u, v in profile.pips[face] for place in ((u, v), (-v, u))))
            pose = self._body(finder, face).pose
            _, levels = face_brightness(gatherer, pose, pips)
            if None not in levels:
                ratios.append(self._ratios(profile, gatherer, pose, levels))
        if not ratios:
            raise CalibrationError(
                "face1 to face6: each die is burnt out under a lamp, or its mirror image hides it: take the"
                " pictures with less exposure, those of the empty platform, too"
            )
        self.tell(f"gain ratios {np.round(np.array(ratios), 3).tolist()}")
        gains = np.array([lamp["gain"] for lamp in self.fields["lamps"]]) * np.median(ratios, 0)
        return gains / gains.mean()

    def _tell_of_the_wall(self):
        """Tell when dice at the wall, nearest to a lamp, are much brighter than the camera can show."""
        profile, gatherer, _, finder = self._gather(1)
        pose = self._body(finder, 1).pose
        at = pose.x + gatherer.left - profile.platform[0], pose.y + gatherer.top - profile.platform[1]
        brightest = 0.0
        levels, _ = face_brightness(gatherer, pose, profile.pips[1])
        for lamp, level in enumerate(levels):
            lamp_x, lamp_y, _ = profile.positions[lamp]
            if level is not None and (aside := hypot(lamp_x, lamp_y)):
                out = (profile.platform[2] - profile.side / 2) / aside
                rise = lamp_light(lamp_x * out, lamp_y * out, lamp, profile) / lamp_light(*at, lamp, profile)
                brightest = max(brightest, (level - BLACK) * rise)
        if brightest > _MUCH * _WHITE:
            self.tell(
                "dice at the wall are burnt out, and refused where two lamps burn them: take all pictures"
                f" with {_WHITE / brightest:.0%} of this exposure"
            )

    def _ratios(self, profile, gatherer, pose, levels):
        """Levels of a level face under each lamp, distance and angle taken out, against the mean lamp's."""
        x = (pose.x + gatherer.left - profile.platform[0]) / profile.scale
        y = (pose.y + gatherer.top - profile.platform[1]) / profile.scale
        row = []
        for lamp, (lx, ly, lz) in enumerate(profile.positions):
            z = lz - self.fields["die_mm"]
            d2 = (lx - x) ** 2 + (ly - y) ** 2 + z * z
            row.append((levels[lamp] - 2) * d2**1.5 / z / profile.gains[lamp])
        return np.array(row) / np.mean(row)

    def _limit(self, least_pip, most_bare):
        """Set the sure-pip and sure-bare limits between what was measured, with room for wear and noise."""
        gap = least_pip - most_bare
        self.tell(f"contrast: pip at least {least_pip:.3f}, bare at most {most_bare:.3f}")
        if gap < 0.2:
            raise CalibrationError(
                f"{self.fields['name']}: pips do not stand out enough from a bare face:"
                " are the dice clean and in focus?"
            )
        self.fields["bare"] = round(most_bare + 0.25 * gap, 3)
        self.fields["pip"] = round(most_bare + (0.5 if self.fields["side"] >= 20 else 0.4) * gap, 3)

    def _contrasts(self):
        least_pip, most_bare = 1.0, 0.0
        for face in self.scenes:
            profile, gatherer, _, finder = self._gather(face)
            body = self._body(finder, face)
            spots = find_spots(gatherer.low, gatherer.columns, gatherer.rows, body.pose, body.level)
            box = body.pose.box(-0.1, gatherer.columns, gatherer.rows)
            high = finder.level(gatherer.high, box, body.level)
            probe = 0.045 * body.pose.side
            for spot in spots:
                contrast = 1 - sample(gatherer.high, gatherer.columns, spot.x, spot.y, probe) / high
                least_pip = min(least_pip, contrast)
            for u, v in bare_sites(sites(profile), [body.pose.face(s.x, s.y) for s in spots], profile):
                x, y = body.pose.place(u, v)
                contrast = 1 - sample(gatherer.low, gatherer.columns, x, y, probe) / body.level
                most_bare = max(most_bare, contrast)
        self._limit(least_pip, most_bare)


class LightBench(Bench):
    """The same for dice with light pips, which are found by their pips; their size is the drawing's."""

    def measure(self):
        self._pips()
        self._bare_level()
        self._patterns()
        self._blur()
        self._light_contrasts()
        self._steepness()

    def _light_spots(self, face):
        """Centre x, y, area and level of each pip of the top face, cut at half the level of the brightest."""
        _, gatherer, labeller, _ = self._gather(face)
        low = np.frombuffer(gatherer.low, np.uint8)
        peak = np.sort(low)[-max(3, int(0.01 * self.fields["side"] ** 2))]
        box = 0, 0, gatherer.columns - 1, gatherer.rows - 1
        least = 0.003 * self.fields["side"] ** 2
        counts = []
        for alike, share in product(_ALIKE, _CUTS):
            with _naming(face):
                found = labeller.find(gatherer.low, gatherer.columns, box, int(peak * share), 256, 1)
            found = [region for region in found if region.area > least]
            counts.append(len(found))
            areas = [region.area for region in found]
            if len(areas) == face and max(areas) < alike * min(areas):
                return [self._spot(gatherer, region) for region in found]
        raise _miscounted(face, counts[0])

    def _spot(self, gatherer, region):
        x, y = region.centre()
        level = sample(gatherer.low, gatherer.columns, x, y, 0.03 * self.fields["side"])
        middle_x, middle_y, _ = self.fields["platform"]
        across = x + gatherer.left - middle_x, y + gatherer.top - middle_y
        return x, y, region.area, level, across

    def _pips(self):
        lights, areas = [], {}
        for face in self.scenes:
            profile = usable(self.fields)
            for _, _, area, level, across in self._light_spots(face):
                lights.append(level / _share_of_light(profile, across))
                areas.setdefault(face, []).append(area)
        self.tell(f"pip light {np.round(lights).tolist()}, areas {areas}")
        self.fields["pip_light"] = round(float(np.median(lights)), 1)
        mean = {face: float(np.median(of)) for face, of in areas.items()}
        radii = {face: np.sqrt(area / np.pi) / self.fields["side"] for face, area in mean.items()}
        self._set_sizes(mean, radii)

    def _bare_level(self):
        """Let only pips be above the reader's cut, where the dice are lighter than the platform."""
        levels = []
        for face in self.scenes:
            profile, gatherer, _, _ = self._gather(face)
            spots = self._light_spots(face)
            across = np.mean([spot[-1] for spot in spots], 0)
            low = np.frombuffer(gatherer.low, np.uint8).reshape(gatherer.rows, gatherer.columns)
            rows, columns = np.indices(low.shape)
            x, y = np.mean([spot[:2] for spot in spots], 0)
            bare = np.hypot(columns - x, rows - y) < _ON_FACE * self.fields["side"]
            for at_x, at_y, area, *_ in spots:
                bare &= np.hypot(columns - at_x, rows - at_y) > np.sqrt(area / np.pi) + _OFF_PIP
            if bare.any():  # small dice with wide pips have faces that are not
                levels.append(float(np.median(low[bare])) / _share_of_light(profile, across))
        bare, pips = float(np.median(levels)) if levels else 0.0, self.fields["pip_light"]
        self.tell(f"bare faces {np.round(levels).tolist()}")
        cut = bare + _PIP_ABOVE * (pips - bare)
        self.fields["body"] = max(self.fields["body"], round(cut / OVER_FLOOR_OF_PIPS, 1))

    def _differs(self, face, masses, radii):
        """Only a large one: areas of a few pixels differ by themselves."""
        return face == 1 and super()._differs(face, masses, radii)

    def _patterns(self):
        """Pitch from the widest distance between the pips of a two to five, which is a diagonal."""
        pitches = []
        for face in range(2, 6):
            spots = np.array([spot[:2] for spot in self._light_spots(face)])
            widest = max(np.hypot(*(a - b)) for a in spots for b in spots)
            pitches.append(widest / np.sqrt(8) / self.fields["side"])
        self.tell(f"pitches {np.round(pitches, 3).tolist()}")
        pitch = float(np.mean(pitches))
        six = np.array([spot[:2] for spot in self._light_spots(6)]) / self.fields["side"]
        rows, ends = rows_of_six(six - six.mean(0))
        self.tell(f"six {rows:.3f} {ends:.3f}")
        for face, pips in patterns(pitch, rows, ends).items():
            self.fields["faces"][str(face)]["pips"] = pips

    def _blur(self):
        """Set how far the lens spreads the pips' light, if it is soft."""
        spreads = []
        for face in (3, 4, 5):
            _, gatherer, _, _ = self._gather(face)
            low = np.frombuffer(gatherer.low, np.uint8).reshape(gatherer.rows, gatherer.columns)
            radius = self.fields["faces"][str(face)]["radius"] * self.fields["side"]
            spreads += [spread(low, x, y, radius) for x, y, *_ in self._light_spots(face)]
        blur = float(np.median(spreads))
        self.tell(f"blur {blur:.2f} pixels")
        if blur > SOFT:
            self.fields["blur"] = round(blur, 2)
            self.tell("the pictures are soft: focus the lens, for the sharper they are the more damage shows")

    def _read(self, face):
        profile, gatherer, labeller, _ = self._gather(face)
        with _naming(face):
            spots = SpotFinder(gatherer, labeller).find(1.0)
            lattices, left = explain(spots, profile, _anything(gatherer))
        lattices = [
            lattice for lattice in lattices if len(lattice.members) > 1
        ]  # the rest is dust: no face 1
        if len(lattices) == 1:  # what lies away from the die is the floor's grain
            pose, near = lattices[0].pose, 0.75 * self.fields["side"]
            left = [spot for spot in left if hypot(spots[spot].x - pose.x, spots[spot].y - pose.y) < near]
        if len(lattices) != 1 or left:
            raise CalibrationError(
                f"face{face}: {len(lattices)} dice found where one shows face {face}: is it alone and flat?"
            )
        return profile, gatherer, lattices[0].pose, lattices[0].pattern

    def _light_contrasts(self):
        least_pip, most_bare, middle = 1.0, 0.0, 0.0
        for face in range(2, 7):
            profile, gatherer, pose, pattern = self._read(face)
            probe = 0.045 * pose.side
            columns = gatherer.columns
            pip_shade = Shade(gatherer.low, *levels(gatherer.low, columns, pose, pattern))
            bare_shade = Shade(gatherer.high, *levels(gatherer.high, columns, pose, pattern))
            pips = [pip_shade.contrast(columns, pose.place(*at), probe) for at in pattern]
            bare = [
                bare_shade.contrast(columns, pose.place(*at), probe)
                for at in bare_sites(sites(profile), pattern, profile)
            ]
            least_pip = min(least_pip, *pips)
            most_bare = max((most_bare, *bare))
            if face in WITHOUT_MIDDLE:
                middle = max(middle, bare_shade.contrast(columns, pose.place(0, 0), probe))
        self._limit(least_pip, most_bare)
        self._limit_middle(middle)

    def _limit_middle(self, seen):
        """Set the limit of a bare middle, where through clear dice the far face's pip shows."""
        limit = min(_SHINES * seen, self.fields["bare"])
        if limit > usable(self.fields).middle:
            self.fields["middle"] = round(limit, 3)


def _share_of_light(profile, across):
    """Of what falls in the middle of the platform, in the darkest frame, so many pixels across from it."""
    return least_light(across[0], across[1], profile) / least_light(0, 0, profile)


def _anything(gatherer):
    """Silhouettes that rule out nothing: a lone die may be no darker than the floor."""
    profile = gatherer.profile
    black = bytes(len(gatherer.high))
    return Silhouettes(black, black, gatherer.columns, profile.side, (0, 0), profile.lens)


def _goodness(fit):
    return sum(fit.free) - 400 * fit.rough


def arrange(places_by_face):
    """Face -> [[u, v]] in sides: the classic arrangement with the measured spacing, one where faces agree."""
    corners = np.concatenate([np.abs(places_by_face[face]).ravel() for face in range(2, 6)])
    pitch = float(np.mean(corners[corners > 0.12]))
    six = np.array(places_by_face[6])
    return patterns(pitch, *rows_of_six(six - six.mean(0)))


def patterns(pitch, rows, ends):
    """Face -> [[u, v]]: six may have its rows, and their ends, elsewhere than the others' corners."""
    if abs(ends / rows - 1) < _SQUARE:
        rows, ends = (pitch if abs(own / pitch - 1) < _AS_OTHERS else own for own in (rows, ends))
    spread = dict.fromkeys(range(1, 6), (pitch, pitch)) | {6: (rows, ends)}
    return {
        face: [[round(a * spread[face][0], 4), round(b * spread[face][1], 4)] for a, b in CLASSIC[face]]
        for face in CLASSIC
    }


def rows_of_six(places):
    """Distance of a six's rows from its middle, and of their ends, however it is turned."""
    best = np.inf, 0.0, 0.0
    for angle in np.radians(np.arange(180)):
        across = np.abs(places @ (np.cos(angle), np.sin(angle)))
        along = np.sort(places @ (-np.sin(angle), np.cos(angle)))
        rows, ends = across.mean(), (along[4:].mean() - along[:2].mean()) / 2
        off = np.sum((across - rows) ** 2) + np.sum((along - ends * np.repeat((-1, 0, 1), 2)) ** 2)
        if off < best[0]:
            best = off, float(rows), float(ends)
    return best[1:]


def describe(name, polarity, empty, floors, platform, images, lamps, rig: Rig):  # noqa: PLR0913, PLR0917
    """Fields of a profile as far as the rig gives them; those of the dice are guesses a bench replaces."""
    positions, gains = lamps
    rows, columns = np.indices(empty.shape[1:])
    scale = rig.top_scale(platform[2])
    side = rig.die * scale
    away = np.hypot(columns - platform[0], rows - platform[1])
    inside = away < 0.95 * platform[2]
    beyond = (away > platform[2]) & (away < platform[2] + REACH * side)
    for x, y, radius in (image for of_lamp in images for image in of_lamp if len(empty) == 1):
        inside &= np.hypot(columns - x, rows - y) > radius
        beyond &= np.hypot(columns - x, rows - y) > radius
    near = away < 0.3 * platform[2]
    # As much of a profile as tells the light.
    lit = SimpleNamespace(positions=positions, gains=gains, lamps=len(empty), scale=scale, die_mm=rig.die)
    each = [lamp_light(columns - platform[0], rows - platform[1], lamp, lit) for lamp in range(lit.lamps)]
    # Of the ground beyond the rim, which dice at the wall overhang, as much as the cut falls off there.
    cut = np.minimum(1, OVER_FLOOR * np.min(each, 0) / least_light(0, 0, lit))
    low = empty.min(0)
    brightest = max(np.percentile(low[inside], 99.8), np.percentile((low / cut)[beyond], 99.8))
    return {
        "format": FORMAT,
        "name": f"{name} {empty.shape[2]}x{empty.shape[1]}",
        "width": empty.shape[2],
        "height": empty.shape[1],
        "die_mm": rig.die,
        "platform": [round(v, 2) for v in platform],
        "polarity": polarity,
        "scale": round(scale, 4),
        "lens": round(rig.die / rig.camera, 4),
        "side": round(side, 2),
        "body": round(float(brightest * 1.25), 1),
        "pip_light": 1.0 if polarity == LIGHT_PIPS else 0,
        "steep": 1.0,
        "dim": round(float(np.median(low[near])), 1),
        "bare": 0.2,
        "pip": 0.5,
        "lamps": [
            {
                "at": [round(float(c), 1) for c in positions[lamp]],
                "gain": round(float(gains[lamp]), 4),
                "level": float(np.percentile(empty[lamp][inside], 75)),
                **({"floor": floors[lamp]} if floors else {}),
                "images": [[round(v, 1) for v in image] for image in images[lamp]],
            }
            for lamp in range(len(empty))
        ],
        "faces": {
            str(face): {
                "pips": [[u / 4, v / 4] for u, v in places],
                "mass": round(0.028 * side * side, 2),
                "radius": 0.1,
            }
            for face, places in CLASSIC.items()
        },
    }
