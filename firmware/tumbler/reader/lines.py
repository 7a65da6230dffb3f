"""Thin lines across a face: its light, place by place, and the way across that has least of it.

A place is compared with those beside it. Pips, and what else tells nothing, are hidden.
"""

# Buffers go where viper takes pointers.
# pyright: reportArgumentType=false

from array import array

from .face_grid import HIDDEN, FaceGrid
from .gather import percentile
from .kernels import count_levels, fill

WHITE = 240  # of a place as light as is told
_HALF = 0.44  # half-width of the face that is looked at, off its rounded rim
_ASIDE = 0.06  # sides between a way and what lies beside it
_BARE = 0.6  # share of the bare places that are no lighter than what the face is taken for


class Lines:
    """Looks at faces of a gatherer's scene; buffers are made here, once."""

    def __init__(self, gatherer):
        self.gatherer = gatherer
        self.grid = FaceGrid(gatherer.profile.side, _HALF, _ASIDE)
        self.counts = array("i", bytes(4 * 256))

    def see(self, plane, pose, unit, circles):
        """Have the light of each place that a plane shows of the face at `pose`, `unit` a level and at most
        WHITE, those in the `circles` (x, y, radius in pixels) hidden; what its bare part has."""
        grid, counts = self.grid, self.counts
        face = grid.face
        fill(face, 0, len(face), 0)
        grid.look(face, self.gatherer, plane, pose, WHITE / unit, WHITE)
        for x, y, radius in circles:
            u, v = pose.face(x, y)
            grid.cover(u, v, radius / pose.side, HIDDEN)
        for light in range(256):
            counts[light] = 0
        total = count_levels(counts, face, 0, len(face), 0) - counts[HIDDEN]
        return percentile(counts, _BARE * total)

    def way(self, deepest):
        """What a place of the dimmest way across lacks, on average, each counting `deepest` at most."""
        return max(self.grid.dim_ways(int(deepest))) / self.grid.size
