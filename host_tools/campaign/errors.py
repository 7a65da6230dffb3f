"""What can stop a campaign."""


class SittingFailed(Exception):
    """A sitting could not be played to its end; the message says why."""
