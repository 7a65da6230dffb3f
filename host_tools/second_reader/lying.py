"""Do the dice in a tumbler's picture lie flat on the platform?

A die is refused when its top face is not square, or when its body ends elsewhere than a flat one's does. One
that may lean on something, the wall or a die near it, is read only when the side that would show the lean
bares what a flat die's does. Two dice whose top faces touch lie flat, as leaning ones part.
"""

import math
from dataclasses import replace

import numpy as np

from host_tools.second_reader.around import DEGREES, Surroundings, apart, longest_arc, turned_from, turned_to
from host_tools.second_reader.faces import Pose
from host_tools.second_reader.fit import Fit
from host_tools.second_reader.outline import Edge, check_square
from host_tools.second_reader.platform import Scene
from host_tools.second_reader.refusal import Refused
from host_tools.second_reader.strips import check_rims, check_sides, is_facing, is_level, rise_of, rises
from host_tools.second_reader.wall import lumps

_TOUCH = 0.065  # sides between top faces that touch: dice that lean on each other part by 0.1 at six degrees
_NEAR, _NEAR_DARK = 0.25, 0.4  # sides between dice that may hide how one of them leans on the other: by more
# than 14 degrees it is no square, where its edges are seen, as those of dark dice are not
_APART = 0.2  # sides between dark dice between which lit floor shows, which a leaning one hides
_BEHIND = 65  # degrees from the way to a near die, in which it may hide the floor
_BESIDE = 50  # degrees from the way to a near die, at whose edges it hides the sides
_ALONG = 60  # degrees between the way a die may lean and one to an edge that would show it
_CLOSE = 15  # degrees to both sides of a way that count as one with it
_OPEN = 30  # degrees about a die on which no floor may be seen: a bright spot or a shadow
_CLEARLY = -1.8  # sides outward: edges that face the middle this much bare a side as clear as others
_RIM = 0.2  # sides: what an edge outward shows so near the wall is the wall
# Of a top face, and times the next largest: what is no lamp's image among others, as these are alike.
_STRAY, _ALIKE = 0.08, 2.0
_LUMP = 0.3  # of a top face: the least that a die which was not found leaves in sight; lamps' images: 0.25


class Lying:
    """How the dice `fits` lie in a picture, of which `scene` is without glare; `side`: of a die in pixels."""

    def __init__(self, picture: np.ndarray, scene: Scene, fits: list[Fit], side: float) -> None:
        self._picture, self._clear = picture, scene.picture
        self._fits = fits
        self._is_dark = scene.is_dark
        self._near = _NEAR_DARK if scene.is_dark else _NEAR
        self._wall = scene.wall
        self._side = side
        self._edges = [scene.edges_of(fit, side) for fit in fits]

    def check_bare(self) -> None:
        """Refused when something else lies on the platform."""
        poses = [fit.pose for fit in self._fits]
        covered = lumps(self._clear, self._wall, poses, self._side)
        spots = lumps(self._picture, self._wall, poses, self._side)
        is_stray = len(spots) > 2 and spots[0] > max(_STRAY, _ALIKE * spots[1])
        if is_stray or max(covered, default=0.0) > _LUMP:
            raise Refused("extra-object", "something lies there")

    def check_flat(self, fit: Fit) -> None:
        """Refused unless one of the dice lies flat."""
        others = [
            (other, found) for other, found in zip(self._fits, self._edges, strict=True) if other is not fit
        ]
        found = next(found for other, found in zip(self._fits, self._edges, strict=True) if other is fit)
        near = [
            (other, gap)
            for other, _ in others
            if (gap := apart(fit.pose, other.pose, self._side)) < self._near
        ]
        if not self._is_dark:
            check_square(found)
            check_rims(found, rise_of(rises([edge for _, theirs in others for edge in theirs])), not near)
        found = [replace(edge, end=edge.reach) if self._is_wall(edge, fit) else edge for edge in found]
        blocked, hidden, leans = Surroundings(self._picture, fit.pose, self._side).blocked(), [], []
        for other, gap in near:
            way = _way(fit.pose, other.pose)
            blocked = turned_from(blocked, way, _BEHIND)
            if gap < _APART or not self._is_dark:
                hidden += turned_to(range(0, 360, DEGREES), way, _BESIDE)
            if not -_TOUCH < gap < _TOUCH:
                leans.append((way, self._is_dark))
        if longest_arc(blocked) > _OPEN:
            outward = _way(Pose(self._wall.x, self._wall.y, self._side, 0.0), fit.pose)
            leans.append((outward, False))
            hidden += blocked
        shown = [edge for edge in found if not _is_among(edge.angle, hidden)]
        self._check_sides(shown, [edge for _, theirs in others for edge in theirs], leans)

    def _check_sides(self, shown: list[Edge], others: list[Edge], leans: list[tuple[float, bool]]) -> None:
        """Refused when the edges `shown` tell of a lean, or bare no side though those of others do, or do not
        tell that there is no lean on one of the ways `leans`, of which those marked lead to a dark die with
        lit floor between."""
        rise = rise_of(rises(others))
        check_sides(shown, rise)
        if any(is_facing(edge) and not edge.is_faint for edge in others) and not all(
            is_level(edge, rise) for edge in shown if edge.outward < _CLEARLY
        ):
            raise Refused("not-flat", "a side is hidden")
        if self._is_dark and any(edge.outward < 0 and not edge.bares for edge in shown):
            raise Refused("unreadable", "no-outline")
        for way, is_between in leans:
            telling = [
                edge
                for edge in shown
                if (is_facing(edge) and turned_to([way, way + 180], edge.angle, _ALONG))
                or (is_between and edge.bares and turned_to([way], edge.angle, _BESIDE))
            ]
            telling = [edge for edge in telling if not edge.is_faint] or telling
            if not telling or not all(is_level(edge, rise) for edge in telling):
                raise Refused("unreadable", "not alone")

    def _is_wall(self, edge: Edge, fit: Fit) -> bool:
        """Whether what an edge outward shows is the wall."""
        away, way = edge.end * self._side, math.radians(edge.angle)
        x, y = fit.pose.x + away * math.cos(way), fit.pose.y + away * math.sin(way)
        return edge.outward > 0 and self._wall.within(x, y) < _RIM * self._side


def _way(start: Pose, end: Pose) -> float:
    """The way from one place to another, in degrees."""
    return math.degrees(math.atan2(end.y - start.y, end.x - start.x))


def _is_among(angle: float, blocked: list[float]) -> bool:
    """Whether all ways close to this one are blocked."""
    return len(turned_to(blocked, angle, _CLOSE)) >= 2 * _CLOSE // DEGREES
