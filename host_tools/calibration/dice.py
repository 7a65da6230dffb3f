"""One set of dice, measured from a die that shows each face, with the reader's own steps.

So an area, a pip or a level is the same here and on the device.
"""

from collections.abc import Callable

import numpy as np

from host_tools.calibration.errors import CalibrationError
from host_tools.calibration.rig import Rig, find_stuck
from tumbler.reader.bodies import BodyFinder
from tumbler.reader.clusters import ClusterFinder, levels, read_cluster
from tumbler.reader.gather import Gatherer
from tumbler.reader.pips import Shade, find_spots, sample, sites
from tumbler.reader.profile import FORMAT, LIGHT_PIPS, Profile
from tumbler.reader.regions import Labeller
from tumbler.reader.square import CUTS, Outline
from tumbler.reader.tilt import face_brightness, least_light

Tell = Callable[[str], None]

CLASSIC = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (1, -1), (-1, 1), (1, 1)],
    5: [(-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)],
    6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
}


class Bench:
    """The calibration pictures of one style, measured with the reader's own steps."""

    def __init__(self, fields, scenes, tell: Tell):
        self.fields = fields
        self.scenes = scenes
        self.tell = tell

    def measure(self):
        """Fill in areas, side, patterns, masses, gains and the contrast limits."""
        self._areas()
        self._faces()
        self._contrasts()

    def _gather(self, scene):
        profile = Profile(self.fields, b"")
        gatherer = Gatherer(profile)
        gatherer.begin()
        for lamp, frame in enumerate(scene):
            gatherer.add(frame.tobytes(), lamp)
        gatherer.finish()
        labeller = Labeller()
        return profile, gatherer, labeller, BodyFinder(gatherer, labeller)

    def _body(self, finder, profile, face):
        bodies = finder.find(int(profile.body))
        if len(bodies) != 1:
            raise CalibrationError(f"face{face}: {len(bodies)} bodies where one die should lie")
        return bodies[0]

    def _areas(self):
        areas = []
        for face, scene in self.scenes.items():
            profile, gatherer, labeller, finder = self._gather(scene)
            body = self._body(finder, profile, face)
            row = []
            for share in CUTS:
                cut = body.level * share // 100
                box = body.pose.box(0.15, gatherer.columns, gatherer.rows)
                regions = labeller.find(gatherer.low, gatherer.columns, box, cut, 256, 1)
                region = max(regions, key=lambda region: region.area)
                outline = Outline(gatherer.columns, gatherer.rows)
                outline.trace(gatherer.low, labeller.runs(region), region, cut)
                row.append(outline.area)
            areas.append(row)
        self.tell(f"areas {np.round(np.array(areas), 1).tolist()}")
        self.fields["areas"] = [round(float(a), 1) for a in np.mean(areas, 0)]
        self.fields["side"] = round(float(np.sqrt(self.fields["areas"][0])), 2)

    def _faces(self):
        places, masses = {}, {}
        for face, scene in self.scenes.items():
            profile, gatherer, labeller, finder = self._gather(scene)
            body = self._body(finder, profile, face)
            spots = find_spots(labeller, gatherer.low, gatherer.columns, gatherer.rows, body.pose, body.level)
            if len(spots) != face:
                raise CalibrationError(f"{self.fields['name']}: {len(spots)} pips found on face {face}")
            places[face] = [body.pose.face(s.x, s.y) for s in spots]
            masses[face] = float(np.mean([s.mass for s in spots]))
        self.tell(f"pips {masses}")
        pips, masses = arrange(places), even(masses)
        self.fields["faces"] = {str(face): {"pips": pips[face], "mass": masses[face]} for face in CLASSIC}

    def lamp_gains(self):
        """Strength of each lamp: with it a level die is as bright under all, but for distance and angle."""
        self._areas()
        self._faces()
        ratios = []
        for face, scene in self.scenes.items():
            profile, gatherer, _, finder = self._gather(scene)
            ratios.append(self._ratios(profile, gatherer, self._body(finder, profile, face).pose))
        self.tell(f"gain ratios {np.round(np.array(ratios), 3).tolist()}")
        gains = np.array([lamp["gain"] for lamp in self.fields["lamps"]]) * np.median(ratios, 0)
        return gains / gains.mean()

    def _ratios(self, profile, gatherer, pose):
        """Brightness of a level face under each lamp, distance and angle taken out, against the mean lamp."""
        levels = [level or 0.0 for level in face_brightness(gatherer, pose, sites(profile))]
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
            raise CalibrationError(f"{self.fields['name']}: pips do not stand out enough from a bare face")
        self.fields["bare"] = round(most_bare + 0.2 * gap, 3)
        self.fields["pip"] = round(most_bare + 0.6 * gap, 3)

    def _contrasts(self):
        least_pip, most_bare = 1.0, 0.0
        for face, scene in self.scenes.items():
            profile, gatherer, labeller, finder = self._gather(scene)
            body = self._body(finder, profile, face)
            spots = find_spots(labeller, gatherer.low, gatherer.columns, gatherer.rows, body.pose, body.level)
            box = body.pose.box(-0.1, gatherer.columns, gatherer.rows)
            high = finder.level(gatherer.high, box, body.level)
            probe = 0.045 * body.pose.side
            for spot in spots:
                contrast = 1 - sample(gatherer.high, gatherer.columns, spot.x, spot.y, probe) / high
                least_pip = min(least_pip, contrast)
            for u, v in sites(profile):
                x, y = body.pose.place(u, v)
                if min(np.hypot(x - s.x, y - s.y) for s in spots) > 0.12 * body.pose.side:
                    contrast = 1 - sample(gatherer.low, gatherer.columns, x, y, probe) / body.level
                    most_bare = max(most_bare, contrast)
        self._limit(least_pip, most_bare)


class LightBench(Bench):
    """The same for dice with light pips, which are found by their pips; their size is the drawing's."""

    def measure(self):
        self._pips()
        self._patterns()
        self._light_contrasts()

    def _light_spots(self, scene, face):
        """Centre x, y, area and level of each pip of the top face, cut at half the level of the brightest."""
        _, gatherer, labeller, _ = self._gather(scene)
        low = np.frombuffer(gatherer.low, np.uint8)
        peak = np.sort(low)[-max(3, int(0.01 * self.fields["side"] ** 2))]
        box = 0, 0, gatherer.columns - 1, gatherer.rows - 1
        found = labeller.find(gatherer.low, gatherer.columns, box, int(peak * 0.6), 256, 1)
        least = 0.003 * self.fields["side"] ** 2
        spots = []
        for region in found:
            if region.area > least:
                x, y = region.centre()
                level = sample(gatherer.low, gatherer.columns, x, y, 0.03 * self.fields["side"])
                middle_x, middle_y, _ = self.fields["platform"]
                across = x + gatherer.left - middle_x, y + gatherer.top - middle_y
                spots.append((x, y, region.area, level, across))
        if len(spots) != face:
            raise CalibrationError(f"{self.fields['name']}: {len(spots)} pips found on face {face}")
        return spots

    def _pips(self):
        lights, areas = [], []
        for face, scene in self.scenes.items():
            profile = Profile(self.fields, b"")
            for _, _, area, level, across in self._light_spots(scene, face):
                light = least_light(across[0], across[1], profile) / least_light(0, 0, profile)
                lights.append(level / light)
                areas.append(area)
        self.tell(f"pip light {np.round(lights).tolist()}, areas {areas}")
        self.fields["pip_light"] = round(float(np.median(lights)), 1)
        for face in CLASSIC:
            self.fields["faces"][str(face)]["mass"] = round(float(np.median(areas)), 2)

    def _patterns(self):
        """Pitch from the widest distance between the pips of a two to five, which is a diagonal."""
        pitches = []
        for face in range(2, 6):
            spots = np.array([spot[:2] for spot in self._light_spots(self.scenes[face], face)])
            widest = max(np.hypot(*(a - b)) for a in spots for b in spots)
            pitches.append(widest / np.sqrt(8) / self.fields["side"])
        self.tell(f"pitches {np.round(pitches, 3).tolist()}")
        pitch = float(np.mean(pitches))
        for face, places in CLASSIC.items():
            pips = [[round(pitch * u, 4), round(pitch * v, 4)] for u, v in places]
            self.fields["faces"][str(face)]["pips"] = pips

    def _read(self, face):
        profile, gatherer, labeller, _ = self._gather(self.scenes[face])
        clusters = ClusterFinder(gatherer, labeller).find(int(profile.body), 1.0)
        if len(clusters) != 1:
            raise CalibrationError(
                f"{self.fields['name']}: {len(clusters)} dice found where one shows face {face}"
            )
        return profile, gatherer, *read_cluster(clusters[0], profile)

    def _light_contrasts(self):
        least_pip, most_bare = 1.0, 0.0
        for face in range(2, 7):
            profile, gatherer, pose, pattern = self._read(face)
            probe = 0.045 * pose.side
            columns = gatherer.columns
            pip_shade = Shade(gatherer.low, *levels(gatherer.low, columns, pose, pattern))
            bare_shade = Shade(gatherer.high, *levels(gatherer.high, columns, pose, pattern))
            for u, v in sites(profile):
                x, y = pose.place(u, v)
                if min(np.hypot(u - a, v - b) for a, b in pattern) < 0.07:
                    least_pip = min(least_pip, pip_shade.contrast(columns, x, y, probe))
                else:
                    most_bare = max(most_bare, bare_shade.contrast(columns, x, y, probe))
        self._limit(least_pip, most_bare)


def arrange(places_by_face):
    """Face -> [[u, v]] in sides: the classic arrangement with the measured spacing, one where faces agree.

    Six may have its two rows closer or farther apart than the corners of the others.
    """
    corners = np.concatenate([np.abs(places_by_face[face]).ravel() for face in range(2, 6)])
    pitch = float(np.mean(corners[corners > 0.12]))
    u, v = np.abs(places_by_face[6]).T
    along, across = (u, v) if u.min() < v.min() else (v, u)
    six = [float(across.mean()), float(along[along > 0.12].mean())]
    spread = dict.fromkeys(range(1, 6), (pitch, pitch))
    rows, ends = (pitch if abs(own / pitch - 1) < 0.1 else own for own in six)
    spread[6] = rows, ends
    return {
        face: [[round(a * spread[face][0], 4), round(b * spread[face][1], 4)] for a, b in CLASSIC[face]]
        for face in CLASSIC
    }


def even(masses):
    """Face -> darkness of a pip: a large single pip keeps its own, all others share their mean."""
    mean = float(np.mean([masses[face] for face in range(2, 7)]))
    return {face: round(masses[face] if abs(masses[face] / mean - 1) > 0.5 else mean, 2) for face in masses}


def describe(name, polarity, empty, platform, images, lamps, rig: Rig):  # noqa: PLR0913, PLR0917
    """Fields of a profile as far as the rig gives them; those of the dice are guesses a bench replaces."""
    positions, gains = lamps
    rows, columns = np.indices(empty.shape[1:])
    inside = np.hypot(columns - platform[0], rows - platform[1]) < 0.95 * platform[2]
    scale = platform[2] / rig.platform * rig.camera / (rig.camera - rig.die)
    side = rig.die * scale * 0.9
    return {
        "format": FORMAT,
        "name": f"{name} {empty.shape[2]}x{empty.shape[1]}",
        "width": empty.shape[2],
        "height": empty.shape[1],
        "die_mm": rig.die,
        "platform": [round(v, 2) for v in platform],
        "polarity": polarity,
        "scale": round(scale, 4),
        "side": round(side, 2),
        "body": round(float(np.percentile(empty.min(0)[inside], 99.8) * 1.25), 1),
        "pip_light": 1.0 if polarity == LIGHT_PIPS else 0,
        "areas": [round(side * side * share, 1) for share in (1, 0.95, 0.9)],
        "bare": 0.2,
        "pip": 0.5,
        "lamps": [
            {
                "at": [round(float(c), 1) for c in positions[lamp]],
                "gain": round(float(gains[lamp]), 4),
                "level": float(np.percentile(empty[lamp][inside], 75)),
                "image": images[lamp] and [round(v, 1) for v in images[lamp]],
            }
            for lamp in range(4)
        ],
        "faces": {
            str(face): {"pips": [[u / 4, v / 4] for u, v in places], "mass": round(0.028 * side * side, 2)}
            for face, places in CLASSIC.items()
        },
        "stuck": find_stuck(empty),
    }
