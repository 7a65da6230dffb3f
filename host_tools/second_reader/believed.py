"""Whether a face fitted without a profile is believed: all its pips there, and nothing else on it."""

from host_tools.second_reader.fit import Fit
from host_tools.second_reader.refusal import Refused

_SCORE, _MARGIN, _RESIDUAL = 0.88, 0.08, 0.35  # of a face that is believed
_MARKED = 0.01  # of a face: a larger mark on it is a crack, dirt or glare
_UNREST = 0.12  # of their contrast: the most by which light pips may differ, which half of that is usual
_CONTRAST = 0.3  # of the face's level: the least depth of the pips


def check_face(fit: Fit, is_light: bool = False) -> None:
    """Refused when the face is not believed."""
    if fit.residual > _RESIDUAL:
        raise Refused("die-damaged", "unexplained-spot")
    if is_light and fit.unrest > _UNREST:
        raise Refused("die-damaged", "pips-differ")
    if fit.marks > _MARKED:
        raise Refused("die-damaged", "marked")
    if fit.score < _SCORE or fit.margin < _MARGIN:
        raise Refused("unreadable", f"correlation {fit.score:.2f}")
    if fit.depth < _CONTRAST * max(fit.level, fit.depth):
        raise Refused("unreadable", "faint pips")
