"""Why a bring-up step did not happen, or failed; every message tells the engineer what to do."""


class BringUpError(Exception):
    """Base; `exit_code` is that of the command."""

    exit_code = 1


class Unsuitable(BringUpError):
    """The step cannot begin with this input: no port, two boards, another board or firmware, no room."""

    exit_code = 2


class BoardLost(BringUpError):
    """The board stopped answering: unplugged, reset or without power."""


class DeviceError(BringUpError):
    """The board raised an error; the message ends with its traceback's last line."""


class StepFailed(BringUpError):
    """The step was carried out and its result is not good."""
