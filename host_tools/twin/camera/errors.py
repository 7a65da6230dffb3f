"""What is wrong with a camera's parameters, in words that say how to mend it."""

from host_tools.twin.errors import TwinError


class CameraError(TwinError):
    """A parameter of the camera, the lamps or the dice is impossible; the message says which and why."""


class LampError(CameraError):
    """No lamps, or lamps that light no frame."""


class SizeError(CameraError):
    """A size, height or distance that no camera can have."""


class StyleError(CameraError):
    """Dice of an unknown style or brand, or with damage nobody knows."""
