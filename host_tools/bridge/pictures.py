"""The evidence of a table on disk: frames as PNG under their digest, and what was found on them, by round.

In the folder: `<digest>/lamp0.png` and so on, `rounds/<round>.json`, and `coming/` for frames on their way.
Whatever a method has written is durable when it returns, so that a settlement may rest on it.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from PIL import Image

from host_tools.durable import sync
from host_tools.images import load_frame
from host_tools.link import EvidenceFile


class PicturesDamaged(Exception):
    """What is kept is not what was signed or written; the message names the file. Keep it as it is."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of looking at the frames of one record.

    `sequence`, `frames`: the record and the SHA-256 it has of its frames; `fact`: empty, or what speaks
    against the record (examining.FACTS); `device`: its faces, none for a void; `second`: the fields of
    `tumbler read` from the second reader, None when it has read nothing.
    """

    sequence: int
    frames: bytes
    fact: str
    device: tuple[int, ...]
    second: dict[str, Any] | None

    def to_json(self) -> str:
        """For a file."""
        told = asdict(self) | {"frames": self.frames.hex(), "device": list(self.device)}
        return json.dumps(told, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Raises KeyError, TypeError, ValueError for what `to_json` has not written."""
        told = json.loads(text)
        frames, device = bytes.fromhex(told["frames"]), tuple(told["device"])
        return cls(told["sequence"], frames, told["fact"], device, told["second"])


class Pictures:
    """The evidence in `folder`, which is made. Raises OSError where nothing can be written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._rounds = folder / "rounds"
        self._coming = folder / "coming"
        for each in (self._rounds, self._coming):
            each.mkdir(parents=True, exist_ok=True)

    def coming(self, digest: bytes) -> EvidenceFile:
        """The frames of that digest as they come from the device."""
        return EvidenceFile(self._coming, digest)

    def has(self, digest: bytes) -> bool:
        """Whether the frames of that digest are kept."""
        return self._scene(digest).is_dir()

    def keep(self, digest: bytes, frames: Sequence[bytes], size: tuple[int, int]) -> None:
        """Keep the frames (grey bytes of `size`, lamp 0 first) of that digest. Raises PicturesDamaged."""
        if hashlib.sha256(b"".join(frames)).digest() != digest:
            raise PicturesDamaged(f"these are not the frames {digest.hex()}")
        if self.has(digest):
            return
        making = self._coming / f"{digest.hex()}.new"
        making.mkdir(exist_ok=True)
        for lamp, frame in enumerate(frames):
            path = making / f"lamp{lamp}.png"
            Image.frombytes("L", size, frame).save(path)
            sync(path)
        sync(making)
        making.rename(self._scene(digest))
        sync(self.folder)

    def came(self, digest: bytes) -> None:
        """Forget the frames as they came: they are kept."""
        self.coming(digest).path.unlink(missing_ok=True)

    def frames(self, digest: bytes) -> list[bytes]:
        """The frames of that digest, lamp 0 first. Raises PicturesDamaged when they are no longer those."""
        frames = [load_frame(path).pixels for path in self._lamps(digest)]
        if hashlib.sha256(b"".join(frames)).digest() != digest:
            raise PicturesDamaged(f"{self._scene(digest)}: these are not the frames of the record")
        return frames

    def of_round(self, round_id: bytes) -> list[Path]:
        """The round's pictures, lamp 0 first; none when none are kept."""
        finding = self.finding(round_id)
        return self._lamps(finding.frames) if finding else []

    def note(self, round_id: bytes, finding: Finding) -> None:
        """Keep what was found about a round, in the place of what was there."""
        path = self._rounds / f"{round_id.hex()}.json"
        new = path.with_suffix(".new")
        new.write_text(finding.to_json())
        sync(new)
        new.rename(path)
        sync(self._rounds)

    def finding(self, round_id: bytes) -> Finding | None:
        """What was found about a round; None before it was looked at. Raises PicturesDamaged."""
        path = self._rounds / f"{round_id.hex()}.json"
        try:
            return Finding.from_json(path.read_text())
        except FileNotFoundError:
            return None
        except (KeyError, TypeError, ValueError) as error:
            raise PicturesDamaged(f"{path}: is not what was written ({error})") from error

    def _scene(self, digest: bytes) -> Path:
        return self.folder / digest.hex()

    def _lamps(self, digest: bytes) -> list[Path]:
        return sorted(self._scene(digest).glob("lamp*.png"))
