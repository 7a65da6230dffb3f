"""The lamps of a profile, as places on the platform and on dice see them."""

import numpy as np

from host_tools.second_reader.profile import Profile


def rays(profile: Profile, columns: np.ndarray, rows: np.ndarray, height: float) -> np.ndarray:
    """mm from places of the picture, so many mm over the platform, to the lamps, [lamp, axis, ...]."""
    # The lens sees what is nearer to it larger; `scale` is that of top faces.
    scale = profile.scale * (1 - profile.lens) / (1 - profile.lens * height / profile.die_mm)
    x = (columns - profile.platform[0]) / scale
    y = (rows - profile.platform[1]) / scale
    lamps = np.array(profile.positions)
    return lamps.reshape(*lamps.shape, *[1] * x.ndim) - np.stack([x, y, np.full(x.shape, height)])


def received(along: np.ndarray) -> np.ndarray:
    """What lamps of strength 1 give to level surfaces at the ends of rays, in mm^-2, [lamp, ...]."""
    return along[:, 2] / (along**2).sum(axis=1) ** 1.5
