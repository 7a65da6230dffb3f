"""Many vectors at once, as three arrays x, y, z: faster than an array of rows. Single precision is enough."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Triple = tuple[Floats, Floats, Floats]


def triple(values: Sequence[Any]) -> Triple:
    """Three arrays or numbers as vectors, single precision."""
    x, y, z = (np.asarray(value, np.float32) for value in values)
    return x, y, z


def dot(one: Triple, other: Triple) -> Floats:
    """Scalar products."""
    return one[0] * other[0] + one[1] * other[1] + one[2] * other[2]


def plus(one: Triple, other: Triple, times: Floats | float = 1) -> Triple:
    """one + times * other."""
    return one[0] + times * other[0], one[1] + times * other[1], one[2] + times * other[2]


def minus(one: Triple, other: Triple) -> Triple:
    """one - other."""
    return one[0] - other[0], one[1] - other[1], one[2] - other[2]


def scaled(one: Triple, times: Floats | float) -> Triple:
    """Each vector times a number, or its own."""
    return one[0] * times, one[1] * times, one[2] * times


def unit(vectors: Triple) -> Triple:
    """The same directions, of length 1."""
    return scaled(vectors, 1 / np.sqrt(dot(vectors, vectors)))


def picked(vectors: Triple, index: NDArray[Any]) -> Triple:
    """The vectors at an index or under a mask."""
    return vectors[0][index], vectors[1][index], vectors[2][index]


def into(turn: Floats, vectors: Triple) -> Triple:
    """Vectors of the platform's frame in the axes that are the columns of `turn` (3x3)."""
    x, y, z = (vectors[0] * t[0] + vectors[1] * t[1] + vectors[2] * t[2] for t in turn.T)
    return x, y, z


def out_of(turn: Floats, vectors: Triple) -> Triple:
    """Vectors in the axes that are the columns of `turn`, in the platform's frame."""
    x, y, z = (vectors[0] * t[0] + vectors[1] * t[1] + vectors[2] * t[2] for t in turn)
    return x, y, z
