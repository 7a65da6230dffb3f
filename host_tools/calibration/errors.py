"""Why no profile can be made of the pictures."""


class CalibrationError(Exception):
    """The message names the picture and tells what it must show."""


def not_alone(face: int, bodies: int) -> CalibrationError:
    """The error of a picture that does not show one die."""
    return CalibrationError(f"face{face}: {bodies} bodies where one die should lie")
