"""The second reader in a process of its own: it keeps a scene's frames, reads them and compares.

A process a scene costs a second of start and no more; it holds up no table, can be killed when it hangs, and
takes nobody with it when it crashes. Its input and its answer are one JSON object each.
"""

import asyncio
import contextlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from host_tools.bridge.pictures import Pictures


class OpinionFailed(Exception):
    """The second reader gave no answer; the message has its last words."""


async def opinion(pictures: Pictures, digest: bytes, profile: Path, faces: Sequence[int]) -> dict[str, Any]:
    """Keep the frames that came and read them: {"agreement": of Agreement, "second": fields of a reading}.

    `faces`: the device's reading, none for a refusal. The frames are durable in `pictures` on return, unless
    they do not fit the profile (then "second" is None). Cancelled, the process is killed.
    Raises OpinionFailed.
    """
    asked = {
        "folder": str(pictures.folder),
        "digest": digest.hex(),
        "profile": str(profile),
        "faces": list(faces),
    }
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", __name__), stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
    )
    try:
        answer, words = await process.communicate(json.dumps(asked).encode())
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
    if process.returncode:
        raise OpinionFailed(words.decode(errors="replace").strip()[-500:] or f"status {process.returncode}")
    try:
        return json.loads(answer)
    except ValueError as error:
        raise OpinionFailed(f"its answer is none: {answer[:200]!r}") from error


def give_opinion(asked: dict[str, Any]) -> dict[str, Any]:
    """What the process does; see `opinion`. Raises what cannot be helped here."""
    # Here and not above: the table's own process does not need what reads pictures.
    from host_tools.second_reader import Agreement, SecondReader, compare, load_profile  # noqa: PLC0415

    pictures, digest = Pictures(Path(asked["folder"])), bytes.fromhex(asked["digest"])
    profile = load_profile(Path(asked["profile"]))
    if not pictures.has(digest):
        size, lamps = profile.width * profile.height, len(profile.positions)
        whole = pictures.coming(digest).path.read_bytes()
        if len(whole) != size * lamps:
            return {"agreement": Agreement.UNSURE, "second": None}
        frames = [whole[start : start + size] for start in range(0, len(whole), size)]
        pictures.keep(digest, frames, (profile.width, profile.height))
    pictures.came(digest)
    second = SecondReader(profile).read(pictures.frames(digest))
    return {"agreement": compare({"faces": asked["faces"]}, second), "second": second}


if __name__ == "__main__":
    json.dump(give_opinion(json.load(sys.stdin)), sys.stdout)
