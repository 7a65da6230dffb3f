"""Why no profile can be made of the pictures."""


class CalibrationError(Exception):
    """The message names the picture and tells what it must show."""
