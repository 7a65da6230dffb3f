"""Sides of level dice, which show light in a lamp's mirror image: the frame in which they are dark is missing
from the darkest composite there.
"""

from .circles import all_images
from .square import Pose

_EDGE = 0.53  # half-width of a foot with its blurred edge, in sides


class Sides:
    """Tells the sides of dice in the composites of a gatherer from what else is light there."""

    def __init__(self, gatherer):
        self._gatherer = gatherer
        self._images = all_images(gatherer) if gatherer.profile.lamps > 1 else []

    def spans(self, y, poses):
        """(first, end) column of each part of row y where a side of a die with its top face at one of the
        poses shows light."""
        found = []
        for x, at, radius in self._images:
            half = radius * radius - (y - at) ** 2
            if half <= 0:
                continue
            half **= 0.5
            for pose in poses:
                start, end = seen_at(self._gatherer, pose, 0).span(y, _EDGE)
                start, end = max(start, int(x - half + 1)), min(end, int(x + half) + 1)
                if start < end:
                    found.append((start, end))
        return found

    def has(self, x, y, poses):
        """Whether a place is one of those."""
        return any(start <= x < end for start, end in self.spans(int(y + 0.5), poses))


def seen_at(gatherer, pose, height):
    """Where a die with its top face at a pose is seen at a height, of 0 at its foot to 1: its top, which is
    nearer to the lens, is seen farther out."""
    profile = gatherer.profile
    x, y = profile.platform[0] - gatherer.left, profile.platform[1] - gatherer.top
    nearer = 1 - profile.lens * (1 - height)
    return Pose(x + (pose.x - x) * nearer, y + (pose.y - y) * nearer, pose.side * nearer, pose.angle)
