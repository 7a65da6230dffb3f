"""The pose of one die's top face: a square in the picture, from the outline of a bright region."""

from array import array
from math import atan2, cos, pi, sin

# Percents of a top face's level at which its outline is taken; the higher ones part touching dice.
CUTS = (50, 65, 80)
_UNIT = 16
_TURN_BITS = 10


class Pose:
    """A square: centre x, y and side in pixels, angle in radians (0 to pi/2 is enough for an outline)."""

    def __init__(self, x, y, side, angle):
        self.x = x
        self.y = y
        self.side = side
        self.angle = angle
        self._cos = cos(angle)
        self._sin = sin(angle)

    def place(self, u, v):
        """Pixel coordinates of a point of the face, u and v in sides from its middle."""
        return (
            self.x + self.side * (u * self._cos - v * self._sin),
            self.y + self.side * (u * self._sin + v * self._cos),
        )

    def face(self, x, y):
        """Point of the face, in sides from its middle, at pixel coordinates."""
        x -= self.x
        y -= self.y
        return (x * self._cos + y * self._sin) / self.side, (y * self._cos - x * self._sin) / self.side

    def box(self, margin, columns, rows):
        """Whole pixels around the square and `margin` sides more: x0, y0, x1, y1, ends included."""
        reach = self.side * ((abs(self._cos) + abs(self._sin)) / 2 + margin)
        return (
            max(0, int(self.x - reach)),
            max(0, int(self.y - reach)),
            min(columns - 1, int(self.x + reach) + 1),
            min(rows - 1, int(self.y + reach) + 1),
        )


class Outline:
    """The rim of one region at a time, in sixteenths of a pixel; buffers made once, all sums small ints."""

    def __init__(self, columns, rows):
        self._columns = columns
        self._left = array("h", bytes(2 * rows))
        self._right = array("h", bytes(2 * rows))
        self._top = array("h", bytes(2 * columns))
        self._bottom = array("h", bytes(2 * columns))
        self._xs = array("h", bytes(4 * (rows + columns)))
        self._ys = array("h", bytes(4 * (rows + columns)))
        self._count = 0
        self.area = 0

    def trace(self, plane, runs, region, cut):
        """Take the points where the level crosses `cut` at the rim of a region, interpolated between pixels.

        `area` becomes the area inside, from its width in every row and its height in every column, in pixels.
        """
        left, right, top, bottom = self._left, self._right, self._top, self._bottom
        for y in range(region.y0, region.y1 + 1):
            left[y] = region.x1
            right[y] = region.x0
        for x in range(region.x0, region.x1 + 1):
            top[x] = region.y1
            bottom[x] = region.y0
        for y, x0, x1 in runs:
            left[y] = min(left[y], x0)
            right[y] = max(right[y], x1)
            for x in range(x0, x1 + 1):
                top[x] = min(top[x], y)
                bottom[x] = max(bottom[x], y)
        columns = self._columns
        self._count = 0
        twice = 0
        for y in range(region.y0, region.y1 + 1):
            x0 = left[y] * _UNIT - _beyond(plane, y * columns + left[y], -1, cut)
            x1 = right[y] * _UNIT + _beyond(plane, y * columns + right[y], 1, cut)
            self._put(x0, y * _UNIT)
            self._put(x1, y * _UNIT)
            twice += x1 - x0
        for x in range(region.x0, region.x1 + 1):
            y0 = top[x] * _UNIT - _beyond(plane, top[x] * columns + x, -columns, cut)
            y1 = bottom[x] * _UNIT + _beyond(plane, bottom[x] * columns + x, columns, cut)
            self._put(x * _UNIT, y0)
            self._put(x * _UNIT, y1)
            twice += y1 - y0
        self.area = twice / (2 * _UNIT)

    def _put(self, x, y):
        self._xs[self._count] = x
        self._ys[self._count] = y
        self._count += 1

    def rectangle(self):
        """The smallest rectangle around the points: (x, y, width, height, angle) in pixels and radians."""
        best = self._smaller(0, None)
        for degrees in range(4, 90, 4):
            best = self._smaller(degrees, best)
        middle = best[1]
        for degrees in (middle - 3, middle - 2, middle - 1, middle + 1, middle + 2, middle + 3):
            best = self._smaller(degrees, best)
        _, degrees, a0, a1, b0, b1 = best
        angle = degrees * pi / 180
        c, s = cos(angle), sin(angle)
        unit = _UNIT << _TURN_BITS
        a, b = (a0 + a1) / (2 * unit), (b0 + b1) / (2 * unit)
        return a * c - b * s, a * s + b * c, (a1 - a0) / unit, (b1 - b0) / unit, angle

    def _smaller(self, degrees, best):
        """(area, degrees, limits along and across) of the rectangle at this angle, or a smaller `best`."""
        c = int(cos(degrees * pi / 180) * (1 << _TURN_BITS))
        s = int(sin(degrees * pi / 180) * (1 << _TURN_BITS))
        xs, ys = self._xs, self._ys
        a0 = a1 = xs[0] * c + ys[0] * s
        b0 = b1 = ys[0] * c - xs[0] * s
        for i in range(1, self._count):
            x, y = xs[i], ys[i]
            a = x * c + y * s
            if a < a0:
                a0 = a
            elif a > a1:
                a1 = a
            b = y * c - x * s
            if b < b0:
                b0 = b
            elif b > b1:
                b1 = b
        area = ((a1 - a0) >> _TURN_BITS) * ((b1 - b0) >> _TURN_BITS)
        if best is not None and best[0] <= area:
            return best
        return area, degrees, a0, a1, b0, b1


def _beyond(plane, i, step, cut):
    """How far past pixel i, in sixteenths, the level falls to `cut`."""
    j = i + step
    outside = plane[j] if 0 <= j < len(plane) else 0
    if outside >= cut:
        return _UNIT // 2
    return (plane[i] - cut) * _UNIT // (plane[i] - outside)


def quarter_turns_apart(a, b):
    """Smallest difference of two angles of squares, radians."""
    difference = (a - b) % (pi / 2)
    return min(difference, pi / 2 - difference)


def similarity(points, pattern):
    """Least-squares similarity from pattern [(u, v)] to points [(x, y)]: (Pose, RMS residual in pixels).
    For one point only the place is fitted: Pose has side 0."""
    n = len(points)
    mx = sum([p[0] for p in points]) / n
    my = sum([p[1] for p in points]) / n
    mu = sum([q[0] for q in pattern]) / n
    mv = sum([q[1] for q in pattern]) / n
    real = imaginary = spread = 0
    for i in range(n):
        x, y = points[i][0] - mx, points[i][1] - my
        u, v = pattern[i][0] - mu, pattern[i][1] - mv
        real += x * u + y * v
        imaginary += y * u - x * v
        spread += u * u + v * v
    if not spread:
        return Pose(mx, my, 0, 0), 0
    real /= spread
    imaginary /= spread
    side = (real * real + imaginary * imaginary) ** 0.5
    x = mx - real * mu + imaginary * mv
    y = my - imaginary * mu - real * mv
    pose = Pose(x, y, side, atan2(imaginary, real))
    error = 0
    for i in range(n):
        x, y = pose.place(*pattern[i])
        error += (x - points[i][0]) ** 2 + (y - points[i][1]) ** 2
    return pose, (error / n) ** 0.5
