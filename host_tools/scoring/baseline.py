"""The popular recipe, to measure readers against: blobs found, clustered by distance, counted.

SimpleBlobDetector for the pips and single linkage (DBSCAN with one neighbour) of their centres, as in
golsteyn.com/writing/dice and its many copies, helped by the known size of a die.
"""

import cv2
import numpy as np

_LINK = 0.82  # sides between neighbouring pips of one die, at most: those of a two are the farthest
_SMALLEST, _LARGEST = 0.06, 0.42  # diameter of a pip, in sides
_GROW = 3  # times the picture is enlarged: the detector finds no blobs of a few pixels
_ROUND = 0.6  # least roundness of a pip


class Baseline:
    """Reads scenes with the recipe. `die_px`: side of a die in pixels; `light_pips`: pips are lighter."""

    def __init__(self, die_px: float, light_pips: bool, count: int = 3) -> None:
        self._die_px = die_px
        self._light_pips = light_pips
        self._count = count
        parameters = cv2.SimpleBlobDetector.Params()
        parameters.filterByColor = True
        parameters.blobColor = 0
        parameters.filterByArea = True
        parameters.minArea = max(np.pi / 4 * (_SMALLEST * die_px * _GROW) ** 2, 4)
        parameters.maxArea = np.pi / 4 * (_LARGEST * die_px * _GROW) ** 2
        parameters.filterByCircularity = True
        parameters.minCircularity = _ROUND
        parameters.filterByConvexity = False
        parameters.filterByInertia = False
        parameters.minDistBetweenBlobs = 0.12 * die_px * _GROW
        self._detector = cv2.SimpleBlobDetector.create(parameters)

    def read(self, frames: np.ndarray) -> dict:
        """ "verdict" and "faces" of frames [lamp, row, column] (uint8): their mean is looked at."""
        picture = cv2.medianBlur(frames.mean(axis=0).astype(np.uint8), 3)
        picture = cv2.resize(picture, None, fx=_GROW, fy=_GROW, interpolation=cv2.INTER_CUBIC)
        if self._light_pips:
            picture = cv2.bitwise_not(picture)
        pips = np.array([point.pt for point in self._detector.detect(picture)]).reshape(-1, 2) / _GROW
        sizes = [len(cluster) for cluster in _clusters(pips, _LINK * self._die_px)]
        if len(sizes) != self._count or max(sizes, default=0) > 6:
            reason = f"{len(sizes)} clusters"
            return {"verdict": "refused", "faces": [], "reason": "unreadable", "detail": reason, "dice": []}
        return {"verdict": "read", "faces": sizes, "reason": None, "detail": None, "dice": []}


def _clusters(points: np.ndarray, link: float) -> list[set[int]]:
    """Numbers of points joined by steps of at most `link`."""
    left = set(range(len(points)))
    clusters = []
    while left:
        cluster, edge = set(), {left.pop()}
        while edge:
            cluster |= edge
            near = {
                other for other in left for one in edge if np.hypot(*(points[one] - points[other])) <= link
            }
            left -= near
            edge = near
        clusters.append(cluster)
    return clusters
