"""A black die with white pips in the middle of a bright floor, under four lamps, whole or harmed."""

from math import cos, sin

COLUMNS = 60
_PLACES = {
    1: [(0, 0)],
    6: [(-0.26, -0.26), (0, -0.26), (0.26, -0.26), (-0.26, 0.26), (0, 0.26), (0.26, 0.26)],
}
_PIP = 0.095
_CRACK = 0.018  # half of its width


class Noise:
    """The same noise on every interpreter, about normal, of so many levels."""

    def __init__(self, seed):
        self._state = seed

    def of(self, levels):
        total = 0
        for _ in range(4):
            self._state = (self._state * 75 + 74) % 65537
            total += self._state / 65537 - 0.5
        return total * 1.73 * levels


def _level(u, v, face, harm):
    """Share of the light that a place of a black die with white pips gives back."""
    grey = 0.05
    if any((u - x) ** 2 + (v - y) ** 2 < _PIP**2 for x, y in _PLACES[face]):
        grey = 0.75
    if harm == "dirt" and (u - 0.12) ** 2 + v * v < 0.04**2:
        grey *= 0.5
    if harm == "crack" and abs(v - 0.12 * u - (0.05 if u > 0 else 0.02)) < _CRACK:
        grey *= 0.25
    if harm == "faint" and abs(v - 0.12 * u - 0.03) < _CRACK:
        grey *= 0.7
    if harm == "aslant" and abs(v - u) < _CRACK:
        grey *= 0.25
    if harm == "scratch" and abs(v - 0.4 * u + 0.1) < 0.015 and -0.4 < u < 0.2:
        grey = 0.3
    if harm == "scuff" and (u + 0.3) ** 2 + v * v < 0.1**2:
        grey = 0.2
    if harm == "shine" and any((u - x) ** 2 + (v - y) ** 2 < _PIP**2 for x, y in ((-0.3, 0), (0.3, -0.2))):
        grey += 0.035
    if harm == "dust" and (u + 0.3) ** 2 + v * v < 0.045**2:
        grey = 0.15
    if harm == "corner" and (u - 0.5) ** 2 + (v + 0.5) ** 2 < 0.3**2:
        grey *= 0.5
    return grey


def _frame(light, side, angle, face, noise, harm):
    """A die in the middle of a bright floor, three by three rays to a pixel."""
    frame = bytearray(COLUMNS * COLUMNS)
    c, s = cos(angle), sin(angle)
    for y in range(COLUMNS):
        for x in range(COLUMNS):
            total = 0
            for dx in (-1 / 3, 0, 1 / 3):
                for dy in (-1 / 3, 0, 1 / 3):
                    right, down = (x + dx - 30) / side, (y + dy - 30) / side
                    u, v = right * c + down * s, down * c - right * s
                    on_face = -0.5 < u < 0.5 and -0.5 < v < 0.5
                    total += _level(u, v, face, harm) if on_face else 0.35
            frame[y * COLUMNS + x] = min(
                255, max(0, int(total / 9 * light + noise.of(2 if harm == "noise" else 1) + 2.5))
            )
    return frame


class Machine:
    """As much of a gatherer as a dark face is looked at with."""

    left = top = 0
    columns = rows = COLUMNS
    is_clear = False
    halo = 1
    bare, pip = 0.25, 0.48
    pips = _PLACES
    radii = {1: _PIP, 6: _PIP}

    def __init__(self, side, angle, face, seed, harm="", exposure=1):
        noise = Noise(seed)
        self.step = 2 if side >= 20 else 1
        self.side = side
        self.profile = self
        self.stuck = []
        lights = [exposure * light for light in (150, 190, 240, 170)]
        self.small = [_frame(light, side, angle, face, noise, harm) for light in lights]
        self.low = bytearray(min(levels) for levels in zip(*self.small))
        self.high = bytearray(max(levels) for levels in zip(*self.small))
