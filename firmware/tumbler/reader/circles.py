"""Circles of the composites in which a face cannot be judged: its pips, and the mirror images of lamps."""

_IMAGE = 1.5  # pixels beyond a lamp's mirror image whose frame is missing there


def mirror_images(gatherer, pose):
    """(x, y, radius) of the mirror images on a face, where the brightest composite lacks a lamp's frame:
    their rims look like lines."""
    found = []
    for images in gatherer.profile.images:
        for at_x, at_y, radius in images:
            x, y = at_x - gatherer.left, at_y - gatherer.top
            if (x - pose.x) ** 2 + (y - pose.y) ** 2 < (radius + pose.side) ** 2:
                found.append((x, y, radius + _IMAGE))
    return found


def pip_circles(pose, pattern, radius):
    """(x, y, radius) of the pips of a face; `radius` in sides."""
    return [pose.place(u, v) + (radius * pose.side,) for u, v in pattern]


def is_in(x, y, aside, circles):
    """Whether a pixel, or one that is compared with it, lies in a circle."""
    return any((x - a) ** 2 + (y - b) ** 2 < (radius + aside) ** 2 for a, b, radius in circles)
