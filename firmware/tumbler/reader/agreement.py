"""Whether all frames show one scene: under every lamp a pip must be a pip and each other site bare.

The composites hold the darkest and the brightest of all frames, where a dim frame that differs does not show.
"""

from .edges import level_at
from .pips import bare_sites
from .refusal import Refused

_BESIDE = 0.15  # sides from a pip within which a bare site may show it
_AROUND = 2  # pixels of a small frame from a lamp's mirror image that it blurs


def check_agreement(gatherer, places, pattern, pose, brightness):
    """Refused when a lamp shows another face than `pattern`; half of the contrast decides.

    brightness: levels under each lamp of the bare face and, if light, of its pips, None where none is seen.
    """
    bare = brightness[0]
    pips = brightness[1] if len(brightness) > 1 else [0] * len(bare)
    middle = (gatherer.profile.bare + gatherer.profile.pip) / 2
    for is_pip, group in ((True, pattern), (False, bare_sites(places, pattern, gatherer.profile, _BESIDE))):
        for u, v in group:
            for lamp, level in enumerate(lamp_levels(gatherer, pose, u, v)):
                if level is None or bare[lamp] is None or pips[lamp] is None:
                    continue
                span = pips[lamp] - bare[lamp]
                if ((level - bare[lamp]) * span > middle * span * span) != is_pip:
                    raise Refused("unreadable", "frames-differ")


def lamp_levels(gatherer, pose, u, v):
    """The level of a place of a face under each lamp, None where a mirror image or a stuck pixel hides it."""
    x, y = pose.place(u, v)
    step = gatherer.step
    for stuck_x, stuck_y in gatherer.profile.stuck:
        if abs(stuck_x - gatherer.left - x) < step and abs(stuck_y - gatherer.top - y) < step:
            return [None] * len(gatherer.small)
    levels = []
    away = _AROUND * step
    for lamp, small in enumerate(gatherer.small):
        level = level_at(small, gatherer.small_columns, x / step, y / step)
        for image_x, image_y, radius in gatherer.profile.images[lamp]:
            dx, dy = image_x - gatherer.left - x, image_y - gatherer.top - y
            if dx * dx + dy * dy < (radius + away) ** 2:
                level = None
        levels.append(level)
    return levels
