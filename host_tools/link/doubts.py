"""Refused records: which prove something against the device, and which anybody on the line may have sent.

A frame's CRC-32 is no authentication. A record that the device's key has not signed proves nothing against
the device, unless it sends the very same again after a reboot: then it has it in its journal.
"""

from host_tools.records import RecordRefused
from host_tools.records.errors import (
    BootRepeated,
    BootUnannounced,
    BootWentBack,
    Equivocation,
    Fork,
    KeyChangeRefused,
)

# What only the holder of the device's key can bring about.
_PROOFS = (Equivocation, Fork, BootWentBack, BootUnannounced, BootRepeated, KeyChangeRefused)
_REMEMBERED = 64  # refused records


class Doubts:
    """The refused records of one line, and the boots in which they came."""

    def __init__(self) -> None:
        self._refused: dict[bytes, int] = {}
        self._boot: int | None = None

    def are_proof(self, refusal: RecordRefused, raw: bytes, boot: int) -> bool:
        """Whether `raw`, refused in that boot, is proof enough to believe its device no more."""
        return isinstance(refusal, _PROOFS) or self._refused.get(raw, boot) != boot

    def remember(self, raw: bytes, boot: int) -> bool:
        """Keep a refused record in mind; whether it is the first of its boot, which people are told."""
        self._refused.setdefault(raw, boot)
        if len(self._refused) > _REMEMBERED:
            self._refused.pop(next(iter(self._refused)))
        first, self._boot = boot != self._boot, boot
        return first
