"""Frames in, two composites and four small frames out: what all lamps agree on, without a copy of any frame.

The darkest of the four frames at a pixel (`low`) has neither glare nor lit side faces; the brightest (`high`)
has no shadow. The mirror image of a lamp in the dome is at a known place in that lamp's frame and is left out
there.
"""

# Buffers go where viper takes pointers.
# pyright: reportArgumentType=false

from array import array

from .exposure import DOUBT, FloorLight
from .kernels import count_levels, fill, merge, shrink, steepest, translate
from .refusal import Refused
from .tone import tone_table

REACH = 0.45  # sides that top faces, which stand nearer the camera, overhang the platform's edge at the wall
_EXPOSURE_LOW = 0.6
_EXPOSURE_HIGH = 1.45
_EXPOSURE_SPREAD = 1.4
_DARK = 5
BURNT = 250  # level from which there may have been any more light


class FrameError(ValueError):
    """The frame cannot belong to this scene; the message says why."""


class Gatherer:
    """Buffers of one reader: `low`, `high` of the `columns` x `rows` pixels around the platform from corner
    `left`, `top` in the frame, and `small[lamp]`, every `step`-th pixel of every `step`-th row; of a scene,
    `exposures`, the light of each lamp as a share of that at calibration."""

    def __init__(self, profile):
        x, y, radius = profile.platform
        reach = int(radius + profile.side * REACH) + 1
        self.profile = profile
        self.left = max(0, int(x) - reach)
        self.top = max(0, int(y) - reach)
        right = min(profile.width, int(x) + reach + 1)
        bottom = min(profile.height, int(y) + reach + 1)
        self.columns = right - self.left
        self.rows = bottom - self.top
        self.step = 2 if profile.side >= 20 else 1
        self.small_columns = (self.columns + self.step - 1) // self.step
        small_rows = (self.rows + self.step - 1) // self.step
        self.low = bytearray(self.columns * self.rows)
        self.high = bytearray(self.columns * self.rows)
        self.small = [bytearray(self.small_columns * small_rows) for _ in range(profile.lamps)]
        self.taken = 0
        self._black_row = bytes(self.columns)
        self._start = array("h", bytes(2 * self.rows))
        self._end = array("h", bytes(2 * self.rows))
        for row in range(self.rows):
            self._start[row], self._end[row] = chord(row + self.top - y, x - self.left, reach, self.columns)
        self._counts = array("i", bytes(4 * 256))
        self._tone = tone_table(profile.black, profile.gamma)
        self._floor = FloorLight(self)

    def begin(self):
        """Forget the last scene."""
        self.taken = 0
        columns = self.columns
        for row in range(self.rows):
            place = row * columns
            self.low[place : place + columns] = self._black_row
            self.high[place : place + columns] = self._black_row
            fill(self.low, place + self._start[row], place + self._end[row], 255)
        self.exposures = []
        self._trouble = None

    def add(self, frame, lamp):
        """Take the frame of the next lamp; FrameError when its size or turn is wrong."""
        profile = self.profile
        if lamp != self.taken:
            raise FrameError(
                "lamp %s out of turn: frames come under lamps 0 to %d in order, next is %d"
                % (lamp, profile.lamps - 1, self.taken)
            )
        if len(frame) != profile.width * profile.height:
            raise FrameError(
                "frame has %d bytes, %d x %d pixels need %d"
                % (len(frame), profile.width, profile.height, profile.width * profile.height)
            )
        self.taken += 1
        self._merge(frame, profile.images[lamp])
        self._shrink(frame, self.small[lamp])
        self._straighten(self.small[lamp])
        if self._trouble is None:
            self._trouble = self._judge(frame, lamp)

    def finish(self):
        """Mend stuck pixels; Refused when a frame is missing, badly exposed or not of its lamp."""
        if self.taken != self.profile.lamps:
            raise FrameError("%d of %d frames were added" % (self.taken, self.profile.lamps))
        for lamp in range(1, self.profile.lamps):
            for other in range(lamp):
                if self.small[lamp] == self.small[other]:
                    raise Refused("unreadable", "stuck-camera")
        if self._trouble:
            raise Refused("unreadable", self._trouble)
        exposures = self.exposures
        if max(exposures) > _EXPOSURE_SPREAD * min(exposures):
            raise Refused("unreadable", "lamps-uneven")
        # The order of levels stays, so the darkest and the brightest may be told before.
        self._straighten(self.low)
        self._straighten(self.high)
        self._mend()

    def _merge(self, frame, images):
        """Darkest and brightest so far, the lamp's mirror images left out; there is nothing else to take
        them from under a single lamp, whose images are left in."""
        width = self.profile.width
        for row in range(self.rows):
            place = row * self.columns
            source = (row + self.top) * width + self.left
            parts = [(self._start[row], self._end[row])]
            if self.profile.lamps > 1:
                for x, y, radius in images:
                    parts = without(parts, chord(row + self.top - y, x - self.left, radius, self.columns))
            for start, end in parts:
                merge(self.low, self.high, frame, place + start, place + end, source + start)

    def _shrink(self, frame, small):
        step = self.step
        width = self.profile.width
        at = 0
        for row in range(self.top, self.top + self.rows, step):
            start = row * width + self.left
            shrink(small, at, frame, start, start + self.columns, step)
            at += self.small_columns

    def _straighten(self, plane):
        """Give a plane the levels of a linear camera."""
        if self._tone:
            translate(plane, 0, len(plane), self._tone)

    def _judge(self, frame, lamp):
        """What is wrong with this frame, or None; notes its exposure against the calibrated one."""
        level, dark, burnt = self._histogram(self.small[lamp])
        exposure = level / self.profile.levels[lamp]
        if self.profile.floors:
            exposure = self._floor.exposure(self.small[lamp], lamp, exposure) or exposure
        self.exposures.append(exposure)
        if exposure < _EXPOSURE_LOW or dark > 0.6:
            return "too-dark"
        if exposure > _EXPOSURE_HIGH or burnt > 0.05:
            return "too-bright"
        for image in self.profile.images[lamp]:
            if self._brightest(frame, image) < self.profile.shines[lamp] and self.profile.lamps > 1:
                return "lamp-not-lit"
        return None

    def _histogram(self, small):
        """75th percentile and the shares that are black and burnt, within the platform."""
        counts = self._counts
        for i in range(256):
            counts[i] = 0
        x, y, radius = self.profile.platform
        step = self.step
        total = 0
        for row in range(0, self.rows, step):
            start, end = chord(row + self.top - y, x - self.left, radius * 0.95, self.columns)
            first = row // step * self.small_columns
            total += count_levels(counts, small, first + start // step, first + end // step, 0)
        return percentile(counts, total * 3 // 4), sum(counts[:_DARK]) / total, sum(counts[BURNT:]) / total

    def _brightest(self, frame, image):
        width = self.profile.width
        x, y, radius = image
        best = 0
        reach = int(radius)
        for row in range(max(0, int(y) - reach), min(self.profile.height, int(y) + reach + 1)):
            start = row * width
            for i in range(start + max(0, int(x) - reach), start + min(width, int(x) + reach + 1)):
                best = max(best, frame[i])
        return best

    def strengths(self):
        """Strength of each lamp in this scene: that at calibration, but for what the floor surely tells."""
        gains = self.profile.gains
        if not self.profile.floors:
            return gains
        mean = sum(self.exposures) / len(gains)
        strengths = []
        for gain, exposure in zip(gains, self.exposures):
            off = exposure / mean - 1
            strengths.append(gain * (1 + off - max(-DOUBT, min(DOUBT, off))))
        return strengths

    def steepness(self):
        """The largest step of level across two pixels of the darkest frame, at the calibrated exposure."""
        low = self.low
        columns = self.columns
        most = 0
        for row in range(0, self.rows, 2):
            first = row * columns
            most = max(most, steepest(low, first + self._start[row], first + self._end[row] - 2))
        return most * len(self.exposures) / sum(self.exposures)

    def _mend(self):
        columns = self.columns
        for x, y in self.profile.stuck:
            column = x - self.left
            row = y - self.top
            if 0 < column < columns - 1 and 0 < row < self.rows - 1:
                i = row * columns + column
                for plane in (self.low, self.high):
                    plane[i] = (plane[i - 1] + plane[i + 1] + plane[i - columns] + plane[i + columns]) // 4


def percentile(counts, wanted):
    """The level below or at which `wanted` of the counted pixels lie."""
    for level, count in enumerate(counts):
        wanted -= count
        if wanted <= 0:
            return level
    return len(counts) - 1


def without(parts, hole):
    """Spans of columns without those of a hole."""
    start, end = hole
    if start >= end:
        return parts
    left = []
    for a, b in parts:
        left += [(a, min(b, start)), (max(a, end), b)]
    return left


def chord(dy, x, radius, columns):
    """First and end column, within 0..columns, of a circle's row `dy` from its centre at column x."""
    inside = radius * radius - dy * dy
    if inside <= 0:
        return 0, 0
    half = inside**0.5
    return max(0, int(x - half + 0.5)), min(columns, max(0, int(x + half + 0.5)))
