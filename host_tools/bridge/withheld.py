"""A device that keeps records to itself: they do not follow the ledger's, and its status alone can tell."""

from typing import Any

_PATIENCE_S = 5.0  # how long a device with a memory fault may keep its records to itself


class Withheld:
    """Watches the statuses of one device for records that it has and does not send."""

    def __init__(self) -> None:
        self._since: tuple[int, float] | None = None  # the ledger's head and the time when they began to miss

    def reason(self, status: dict[str, Any], head: int, now: float) -> str:
        """Why the device is not to be believed, at a status heard `now` (seconds) while the ledger's newest
        record of it is `head`; empty when nothing is wrong, or not for long enough."""
        if "memory-fault" not in status["faults"] or head >= status["last"]:
            self._since = None
        elif self._since is None or self._since[0] != head:
            self._since = head, now
        elif now - self._since[1] >= _PATIENCE_S:
            return (
                f"memory-fault: the device's records do not follow record {head} of this ledger;"
                " keep both as evidence and take the device out of service"
            )
        return ""
