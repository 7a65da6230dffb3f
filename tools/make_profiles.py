"""Makes the reader's profiles from calibration pictures: the empty platform and one die showing each face.

    python tools/make_profiles.py SCENES OUT

SCENES/calib holds `empty/lamp0..3.png` and, for each style of dice, STYLE/face1..6/lamp0..3.png with one die
near the centre. Writes OUT/STYLE_WIDTH.json for each style. The measuring is the reader's own code, so an
area, a pip or a level is the same here and on the device.
"""

import json
import sys
from pathlib import Path

import numpy as np

from host_tools.images import load_scene
from tumbler.reader.bodies import BodyFinder
from tumbler.reader.clusters import ClusterFinder, levels, read_cluster
from tumbler.reader.gather import Gatherer
from tumbler.reader.pips import Shade, find_spots, sample, sites
from tumbler.reader.profile import DARK_PIPS, FORMAT, LIGHT_PIPS, Profile
from tumbler.reader.regions import Labeller
from tumbler.reader.square import CUTS, Outline
from tumbler.reader.tilt import face_brightness, least_light

DIE_MM = 16.0
PLATFORM_MM = 60.0
LAMP_MM = 170.0  # distance of a lamp from the platform's centre, from the rig's drawing: the start of the fit
LAMP_ELEVATION = np.radians(45)
CAMERA_MM = 205.0  # height of the lens above the platform, from the rig's drawing
STYLES = {
    "white_black": DARK_PIPS,
    "ivory_black": DARK_PIPS,
    "asian_red": DARK_PIPS,
    "black_white": LIGHT_PIPS,
    "casino_red": LIGHT_PIPS,
}
MATT = "white_black"  # the style whose gloss disturbs the lamps' strengths least
CLASSIC = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (1, -1), (-1, 1), (1, 1)],
    5: [(-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)],
    6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
}


def load(folder):
    """Array [lamp, row, column] of a four-lamp scene."""
    frames = load_scene(folder)
    return np.stack([np.frombuffer(f.pixels, np.uint8).reshape(f.height, f.width) for f in frames])


def find_platform(empty):
    """Centre x, y and radius in pixels: a circle through the steepest fall of light to the dark rim."""
    picture = empty.mean(0)
    height, width = picture.shape
    x, y, radius = width / 2, height / 2, 0.0
    for _ in range(3):
        points = []
        for angle in np.radians(np.arange(0, 360, 3)):
            radii = np.arange(0.34 * height, 0.47 * height, 0.25)
            columns = np.clip(x + radii * np.cos(angle), 0, width - 1.001)
            rows = np.clip(y + radii * np.sin(angle), 0, height - 1.001)
            light = bilinear(picture, columns, rows)
            light = np.convolve(light, np.ones(8) / 8, "same")
            fall = (light[8:] - light[:-8])[4:-4]
            at = int(np.argmin(fall)) + 8
            points.append((columns[at], rows[at]))
        px, py = np.array(points).T
        for _ in range(3):
            a = np.stack([2 * px, 2 * py, np.ones(len(px))], 1)
            x, y, c = np.linalg.lstsq(a, px**2 + py**2, rcond=None)[0]
            radius = np.sqrt(c + x * x + y * y)
            off = abs(np.hypot(px - x, py - y) - radius)
            px, py = px[off <= 2.5 * np.median(off) + 0.3], py[off <= 2.5 * np.median(off) + 0.3]
    return float(x), float(y), float(radius)


def bilinear(picture, columns, rows):
    c, r = columns.astype(int), rows.astype(int)
    fx, fy = columns - c, rows - r
    upper = picture[r, c] * (1 - fx) + picture[r, c + 1] * fx
    lower = picture[r + 1, c] * (1 - fx) + picture[r + 1, c + 1] * fx
    return upper * (1 - fy) + lower * fy


def find_images(empty, platform):
    """x, y, radius of each lamp's mirror image in the dome, with a margin for its blurred rim."""
    x, y, radius = platform
    rows, columns = np.indices(empty.shape[1:])
    near = np.hypot(columns - x, rows - y) < 1.1 * radius
    images = []
    for frame in empty:
        others = np.median(empty, 0)
        spot = near & (frame > 150) & (others < 100)
        area = spot.sum()
        if not area:
            images.append(None)
            continue
        cy, cx = np.argwhere(spot).mean(0)
        reach = np.hypot(columns - cx, rows - cy)[spot].max()
        images.append((float(cx), float(cy), float(reach + 2.0)))
    return images


def find_stuck(empty):
    """[x, y] of pixels that are the same under every lamp and unlike all their neighbours."""
    low, high = empty.min(0).astype(int), empty.max(0).astype(int)
    stuck = []
    for row in range(1, low.shape[0] - 1):
        for column in range(1, low.shape[1] - 1):
            window = empty[:, row - 1 : row + 2, column - 1 : column + 2].reshape(4, 9)
            around = np.delete(window, 4, 1).astype(int)
            if low[row, column] > around.max() + 40 or (high[row, column] == 0 and around.min() > 3):
                stuck.append([column, row])
    return stuck


def fit_lamps(empty, platform, images):
    """Lamp positions [mm] and gains from how each one's light falls off over the platform.

    What all lamps share (albedo, vignetting) cancels in the ratio of one frame to the mean of the four.
    """
    x, y, radius = platform
    rows, columns = np.indices(empty.shape[1:])
    use = (np.hypot(columns - x, rows - y) < 0.6 * radius) & (empty.min(0) > 3)
    for image in images:
        if image is not None:
            use &= np.hypot(columns - image[0], rows - image[1]) > image[2] + 2
    scale = PLATFORM_MM / radius
    px, py = (columns[use] - x) * scale, (rows[use] - y) * scale
    light = np.log(empty[:, use] - 2.0)
    seen = light - light.mean(0)
    start = []
    for image in images:
        dx, dy = image[0] - x, image[1] - y
        away = LAMP_MM * np.cos(LAMP_ELEVATION) / np.hypot(dx, dy)
        start += [dx * away, dy * away, LAMP_MM * np.sin(LAMP_ELEVATION), 0.0]
    parameters = np.array(start)
    prior = parameters.copy()
    # The mean of the four falls off little, so distance is the weakest direction of the fit.
    trust = np.tile([1 / 8.0, 1 / 8.0, 1 / 8.0, 0.0], 4)

    def model(p):
        p = p.reshape(4, 4)
        d2 = (p[:, :1] - px) ** 2 + (p[:, 1:2] - py) ** 2 + p[:, 2:3] ** 2
        light = p[:, 3:] + np.log(p[:, 2:3]) - 1.5 * np.log(d2)
        return (light - light.mean(0)).ravel()

    for _ in range(8):
        base = model(parameters)
        jacobian = np.stack([(model(parameters + np.eye(16)[i] * 0.01) - base) / 0.01 for i in range(16)], 1)
        weight = 1 / 0.05
        a = np.concatenate([jacobian * weight, np.diag(trust + 1e-6)])
        b = np.concatenate([(seen.ravel() - base) * weight, trust * (prior - parameters)])
        parameters = parameters + np.linalg.lstsq(a, b, rcond=None)[0]
    p = parameters.reshape(4, 4)
    return p[:, :3], np.exp(p[:, 3] - p[:, 3].mean())


class Bench:
    """The calibration pictures of one style, measured with the reader's own steps."""

    def __init__(self, fields, scenes):
        self.fields = fields
        self.scenes = scenes

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

    def _body(self, finder, profile):
        bodies = finder.find(int(profile.body))
        if len(bodies) != 1:
            raise SystemExit(f"{self.fields['name']}: {len(bodies)} bodies where one die should lie")
        return bodies[0]

    def _areas(self):
        areas = []
        for scene in self.scenes.values():
            profile, gatherer, labeller, finder = self._gather(scene)
            body = self._body(finder, profile)
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
        print(self.fields["name"], "areas", np.round(np.array(areas), 1).tolist())
        self.fields["areas"] = [round(float(a), 1) for a in np.mean(areas, 0)]
        self.fields["side"] = round(float(np.sqrt(self.fields["areas"][0])), 2)

    def _faces(self):
        places, masses = {}, {}
        for face, scene in self.scenes.items():
            profile, gatherer, labeller, finder = self._gather(scene)
            body = self._body(finder, profile)
            spots = find_spots(labeller, gatherer.low, gatherer.columns, gatherer.rows, body.pose, body.level)
            if len(spots) != face:
                raise SystemExit(f"{self.fields['name']}: {len(spots)} pips found on face {face}")
            places[face] = [body.pose.face(s.x, s.y) for s in spots]
            masses[face] = float(np.mean([s.mass for s in spots]))
        print("pips", masses)
        pips, masses = arrange(places), even(masses)
        self.fields["faces"] = {str(face): {"pips": pips[face], "mass": masses[face]} for face in CLASSIC}

    def lamp_gains(self):
        """Strength of each lamp: with it a level die is as bright under all, but for distance and angle."""
        self._areas()
        self._faces()
        ratios = []
        for scene in self.scenes.values():
            profile, gatherer, _, finder = self._gather(scene)
            ratios.append(self._ratios(profile, gatherer, self._body(finder, profile).pose))
        print("gain ratios", np.round(np.array(ratios), 3).tolist())
        gains = np.array([lamp["gain"] for lamp in self.fields["lamps"]]) * np.median(ratios, 0)
        return gains / gains.mean()

    def _ratios(self, profile, gatherer, pose):
        """Brightness of a level face under each lamp, distance and angle taken out, against the mean lamp."""
        levels = [level or 0.0 for level in face_brightness(gatherer, pose, sites(profile))]
        x = (pose.x + gatherer.left - profile.platform[0]) / profile.scale
        y = (pose.y + gatherer.top - profile.platform[1]) / profile.scale
        row = []
        for lamp, (lx, ly, lz) in enumerate(profile.positions):
            z = lz - DIE_MM
            d2 = (lx - x) ** 2 + (ly - y) ** 2 + z * z
            row.append((levels[lamp] - 2) * d2**1.5 / z / profile.gains[lamp])
        return np.array(row) / np.mean(row)

    def _limit(self, least_pip, most_bare):
        """Set the sure-pip and sure-bare limits between what was measured, with room for wear and noise."""
        gap = least_pip - most_bare
        print("contrast: pip at least", round(least_pip, 3), "bare at most", round(most_bare, 3))
        if gap < 0.2:
            raise SystemExit(f"{self.fields['name']}: pips do not stand out enough from a bare face")
        self.fields["bare"] = round(most_bare + 0.2 * gap, 3)
        self.fields["pip"] = round(most_bare + 0.6 * gap, 3)

    def _contrasts(self):
        least_pip, most_bare = 1.0, 0.0
        for scene in self.scenes.values():
            profile, gatherer, labeller, finder = self._gather(scene)
            body = self._body(finder, profile)
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
            raise SystemExit(f"{self.fields['name']}: {len(spots)} pips found on face {face}")
        return spots

    def _pips(self):
        lights, areas = [], []
        for face, scene in self.scenes.items():
            profile = Profile(self.fields, b"")
            for _, _, area, level, across in self._light_spots(scene, face):
                light = least_light(across[0], across[1], profile) / least_light(0, 0, profile)
                lights.append(level / light)
                areas.append(area)
        print("pip light", np.round(lights).tolist(), "areas", areas)
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
        print("pitches", np.round(pitches, 3).tolist())
        pitch = float(np.mean(pitches))
        for face, places in CLASSIC.items():
            pips = [[round(pitch * u, 4), round(pitch * v, 4)] for u, v in places]
            self.fields["faces"][str(face)]["pips"] = pips

    def _read(self, face):
        profile, gatherer, labeller, _ = self._gather(self.scenes[face])
        clusters = ClusterFinder(gatherer, labeller).find(int(profile.body), 1.0)
        if len(clusters) != 1:
            raise SystemExit(f"{self.fields['name']}: {len(clusters)} dice found where one shows face {face}")
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


def describe(style, empty, platform, images, lamps):
    """Fields of a profile as far as the rig gives them; those of the dice are guesses a bench replaces."""
    positions, gains = lamps
    rows, columns = np.indices(empty.shape[1:])
    inside = np.hypot(columns - platform[0], rows - platform[1]) < 0.95 * platform[2]
    scale = platform[2] / PLATFORM_MM * CAMERA_MM / (CAMERA_MM - DIE_MM)
    side = DIE_MM * scale * 0.9
    return {
        "format": FORMAT,
        "name": f"{style} {empty.shape[2]}x{empty.shape[1]}",
        "width": empty.shape[2],
        "height": empty.shape[1],
        "die_mm": DIE_MM,
        "platform": [round(v, 2) for v in platform],
        "polarity": STYLES[style],
        "scale": round(scale, 4),
        "side": round(side, 2),
        "body": round(float(np.percentile(empty.min(0)[inside], 99.8) * 1.25), 1),
        "pip_light": 1.0 if STYLES[style] == LIGHT_PIPS else 0,
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


def main(scenes, out):
    calib = scenes / "calib"
    empty = load(calib / "empty")
    platform = find_platform(empty)
    images = find_images(empty, platform)
    positions, gains = fit_lamps(empty, platform, images)
    pictures = {style: {face: load(calib / style / f"face{face}") for face in CLASSIC} for style in STYLES}
    gains = Bench(describe(MATT, empty, platform, images, (positions, gains)), pictures[MATT]).lamp_gains()
    print("platform", platform, "\nimages", images, "\nlamps\n", np.round(positions, 1), np.round(gains, 3))
    for style, polarity in STYLES.items():
        fields = describe(style, empty, platform, images, (positions, gains))
        bench = LightBench if polarity == LIGHT_PIPS else Bench
        bench(fields, pictures[style]).measure()
        path = out / f"{style}_{empty.shape[2]}.json"
        path.write_text(json.dumps(fields, indent=1) + "\n")
        print("wrote", path)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
