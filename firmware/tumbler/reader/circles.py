"""Circles of the composites in which a face cannot be judged: its pips, and the mirror images of lamps."""

_IMAGE = 1.5  # pixels beyond a lamp's mirror image whose frame is missing there


def all_images(gatherer):
    """(x, y, radius) of every lamp's mirror images in the composites, with the rim that is missing, too."""
    return [
        (x - gatherer.left, y - gatherer.top, radius + _IMAGE)
        for images in gatherer.profile.images
        for x, y, radius in images
    ]


def mirror_images(gatherer, pose):
    """(x, y, radius) of the mirror images on a face, where the brightest composite lacks a lamp's frame:
    their rims look like lines."""
    return [
        (x, y, radius)
        for x, y, radius in all_images(gatherer)
        if (x - pose.x) ** 2 + (y - pose.y) ** 2 < (radius - _IMAGE + pose.side) ** 2
    ]


def pip_circles(pose, pattern, radius):
    """(x, y, radius) of the pips of a face; `radius` in sides."""
    return [pose.place(u, v) + (radius * pose.side,) for u, v in pattern]


def is_in(x, y, aside, circles):
    """Whether a pixel, or one that is compared with it, lies in a circle."""
    return any((x - a) ** 2 + (y - b) ** 2 < (radius + aside) ** 2 for a, b, radius in circles)
