"""A scene's frames as they come from a device: a file that grows, and is whole only when its SHA-256 is."""

import hashlib
from pathlib import Path

from host_tools.durable import sync
from host_tools.link.errors import EvidenceWrong


class EvidenceFile:
    """The frames whose SHA-256 a record holds, in `folder`: `<digest>.part` while they come, `.frames` then.

    What has come is kept over a lost link and a restart of the host; the transfer goes on at `offset`.
    """

    def __init__(self, folder: Path, digest: bytes) -> None:
        self.digest = digest
        self.path = folder / f"{digest.hex()}.frames"
        self._part = folder / f"{digest.hex()}.part"

    @property
    def complete(self) -> bool:
        """True once the frames are there and are those of the record."""
        return self.path.exists()

    @property
    def offset(self) -> int:
        """How many bytes have come."""
        return self._part.stat().st_size if self._part.exists() else 0

    def append(self, data: bytes) -> None:
        """The bytes from `offset` on."""
        with self._part.open("ab") as file:
            file.write(data)

    def finish(self) -> None:
        """All bytes have come. EvidenceWrong when they are not those of the record; they are thrown away."""
        whole = self._part.read_bytes()
        if hashlib.sha256(whole).digest() != self.digest:
            self._part.unlink()
            raise EvidenceWrong(f"{len(whole)} bytes came that are not the frames {self.digest.hex()}")
        sync(self._part)
        self._part.rename(self.path)
        sync(self.path.parent)
