"""Something on the platform that no set of level faces explains."""


class Oddity:
    """A light region that no set of level faces explains: a square `pose` where it lies, `level`, `share` of
    a face's area, and `larger`: whether it is one square nearer to the camera."""

    def __init__(self, pose, level, share, larger):
        self.pose = pose
        self.level = level
        self.share = share
        self.larger = larger
