"""The pose of one die's top face: a square in the picture."""

from math import atan2, ceil, cos, floor, pi, sin


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

    def turned(self, x, y):
        """A vector of the picture, along the face's own axes."""
        return x * self._cos + y * self._sin, y * self._cos - x * self._sin

    def span(self, y, half):
        """First and end column of the pixels of row y that lie within half-widths of the face, in sides."""
        reach = half * self.side
        y -= self.y
        start, end = -1e6, 1e6
        for slope, offset in ((self._cos, y * self._sin), (-self._sin, y * self._cos)):
            if abs(slope) < 1e-6:
                if abs(offset) >= reach:
                    return 0, 0
                continue
            a, b = (-reach - offset) / slope, (reach - offset) / slope
            start = max(start, min(a, b))
            end = min(end, max(a, b))
        return floor(self.x + start) + 1, ceil(self.x + end)

    def box(self, margin, columns, rows):
        """Whole pixels around the square and `margin` sides more: x0, y0, x1, y1, ends included."""
        reach = self.side * ((abs(self._cos) + abs(self._sin)) / 2 + margin)
        return (
            max(0, int(self.x - reach)),
            max(0, int(self.y - reach)),
            min(columns - 1, int(self.x + reach) + 1),
            min(rows - 1, int(self.y + reach) + 1),
        )


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
