"""Lines across a dark face, as a crack is, where it must be bare."""

from .circles import is_in, mirror_images
from .kernels import next_valley
from .pips import is_in_pip
from .refusal import Refused

_ASIDE = 0.12  # sides between a line and the bare face beside it
_LINE = 86  # percent of the level on both sides below which it is a line
_LINES = 0.008  # areas of a face that may be in lines
_SOFT = 1.4  # pixels beyond a pip's edge that it brightens
_ON_FACE = 0.45  # half-width in which lines are looked for
_BESIDE = 0.47  # and the face beside them


def prove_bare_dark(gatherer, pose, pattern, levels):
    """Margin, 0 to 1: the share of the pixels allowed in lines that are in none.

    Refused when a line crosses a dark face in both composites: gloss ends in lines that the brightest shows.

    levels: of the bare face in the darkest and in the brightest. What is lighter is no bare face but shows
    through a clear one.
    """
    holes = mirror_images(gatherer, pose)
    planes = (gatherer.low, levels[0]), (gatherer.high, levels[1])
    columns = gatherer.columns
    profile = gatherer.profile
    radius = profile.radii[len(pattern)] + _SOFT * profile.halo / pose.side
    aside = max(2, int(_ASIDE * pose.side + 0.5))
    x0, y0, x1, y1 = pose.box(0, columns - 1 - aside, gatherer.rows - 1 - aside)
    count = 0
    for y in range(max(aside, y0), y1 + 1):
        row = y * columns
        end = row + x1 + 1
        i = next_valley(gatherer.low, row + max(aside, x0), end, columns, aside, _LINE)
        while i < end:
            x = i - row
            if _is_bare(x, y, pose, pattern, radius, _ON_FACE) and not is_in(x, y, aside, holes):
                for dx, dy in ((aside, 0), (0, aside)):
                    if (
                        _is_valley(planes, i, dy * columns + dx)
                        and _is_bare(x - dx, y - dy, pose, pattern, radius, _BESIDE)
                        and _is_bare(x + dx, y + dy, pose, pattern, radius, _BESIDE)
                    ):
                        count += 1
                        break
            i = next_valley(gatherer.low, i + 1, end, columns, aside, _LINE)
    margin = 1 - count / (_LINES * pose.side**2)
    if margin < 0:
        raise Refused("die-damaged", "line")
    return margin


def _is_valley(planes, i, away):
    return all(plane[i] * 100 < min(plane[i - away], plane[i + away], most) * _LINE for plane, most in planes)


def _is_bare(x, y, pose, pattern, radius, half):
    """Whether a pixel lies within half-widths of a face, off its pips."""
    u, v = pose.face(x, y)
    if not (-half < u < half and -half < v < half):
        return False
    return not is_in_pip(u, v, pattern, radius)
