"""The camera's tone: its level of no light, and whether its levels rise as the light does.

The shadows of a die on the platform are all but black. Each lamp's light falls off across the platform as the
drawing of the lamps says; a camera that shows it fall off less, or more, bends its levels.
"""

import cv2
import numpy as np

from host_tools.calibration.errors import CalibrationError
from host_tools.calibration.rig import UNLIKE, Rig, off_images
from tumbler.reader.tone import BLACK

_STRAY = 1.5  # levels of a linear camera that the darkest shadows have above black
_FALL = 0.963  # of their fall of light that a linear camera shows, for light also comes from the dome
_PLAIN = 0.89, 1.05  # falls of linear cameras: 0.94 to 1.0 were measured
_LINEAR = 0.9, 1.12  # gammas that lamps a little off their places look like: 0.97 to 1.04 were measured
_AS_BLACK = 3  # levels by which the shadows of linear cameras differ
_GAMMAS = np.geomspace(0.5, 2, 41)
_DARKEST = 0.1  # per cent of the platform
_WHITE = 255 - BLACK


def measure_tone(  # noqa: PLR0913, PLR0917 - what is known of a rig
    empty: np.ndarray, scenes: list[np.ndarray], platform: tuple, images: list, lamps: np.ndarray, rig: Rig
) -> tuple[float, float]:
    """(level of no light, gamma) of the camera that took the empty platform and the dice; (2, 1) when it is
    as good as linear.

    scenes: arrays [lamp, row, column] as `empty` is; lamps: where they hang, in mm. Raises CalibrationError
    when no gamma explains the light.
    """
    seen, drawn = _fall(empty, platform, images, lamps, rig)

    def fall(black: float, gamma: float) -> float:
        light = np.log(np.maximum(seen - black, 0.5)) / gamma
        return float(np.sum(_differences(light) * drawn) / np.sum(drawn**2))

    if _PLAIN[0] <= fall(BLACK, 1) <= _PLAIN[1]:  # whatever the shadows: a clear die throws no dark ones
        return float(BLACK), 1.0
    shadow = min(_shadow(scene, platform) for scene in scenes)
    falls = np.array([fall(_black(shadow, gamma), gamma) for gamma in _GAMMAS])
    gamma = float(np.interp(-_FALL, -falls, _GAMMAS, left=0, right=np.inf))
    if not _GAMMAS[0] <= gamma <= _GAMMAS[-1]:
        raise CalibrationError(UNLIKE)
    if _LINEAR[0] <= gamma <= _LINEAR[1]:
        gamma = 1.0
    black = _black(shadow, gamma)
    if gamma == 1 and abs(black - BLACK) <= _AS_BLACK:
        black = float(BLACK)
    return round(black, 1), round(gamma, 2)


def linear(frames: np.ndarray, tone: tuple[float, float]) -> np.ndarray:
    """The frames as a linear camera gives them, unlike tone_table in fractions of a level."""
    black, gamma = tone
    return BLACK + _WHITE * (np.maximum(frames - black, 0.0) / (255 - black)) ** (1 / gamma)


def _black(shadow: float, gamma: float) -> float:
    return max(0.0, shadow - _WHITE * (_STRAY / _WHITE) ** gamma)


def _shadow(scene: np.ndarray, platform: tuple) -> float:
    """The darkest level on the platform, dead pixels apart."""
    x, y, radius = platform
    rows, columns = np.indices(scene.shape[1:])
    inside = np.hypot(columns - x, rows - y) < 0.93 * radius
    return float(np.percentile([cv2.blur(frame, (3, 3))[inside] for frame in scene], _DARKEST))


def _fall(
    empty: np.ndarray, platform: tuple, images: list, lamps: np.ndarray, rig: Rig
) -> tuple[np.ndarray, np.ndarray]:
    """Of the platform's middle, [lamp, place] each: the levels seen, and the light's logarithm if the lamps
    hung at these places."""
    x, y, radius = platform
    rows, columns = np.indices(empty.shape[1:])
    used = (np.hypot(columns - x, rows - y) < 0.6 * radius) & off_images(rows, columns, images)
    scale = rig.platform / radius
    down, across = ((np.argwhere(used) - (y, x)) * scale).T
    light = [
        -1.5 * np.log((lamp_x - across) ** 2 + (lamp_y - down) ** 2 + high**2)
        for lamp_x, lamp_y, high in lamps
    ]
    return empty[:, used].astype(float), _differences(np.array(light))


def _differences(light: np.ndarray) -> np.ndarray:
    """What is the lamps' own in it: not the platform's, nor a lamp's strength."""
    light = light - light.mean(0)
    return light - light.mean(1, keepdims=True)
