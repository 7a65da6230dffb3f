"""Evidence pictures for people: a reading's frames as PNG, plain or with what a reader finds in them.

The marks are made anew from the kept frames whenever somebody looks: the device's by the very code that runs
on it, the host's by the second reader.
"""

import io
from pathlib import Path

from PIL import Image

from host_tools.bridge.pictures import Pictures, PicturesDamaged
from host_tools.images import Frame, load_frame
from host_tools.read.annotate import annotate
from host_tools.read.runtimes import read_on_cpython, read_on_host
from host_tools.service.errors import EvidenceMissing

READERS = {"device": read_on_cpython, "host": read_on_host}
_SIDES = {320 * 240: (320, 240), 160 * 120: (160, 120)}


def picture(pictures: Pictures, round_id: bytes, lamp: int) -> bytes:
    """One lamp's frame of a round as PNG. Raises EvidenceMissing."""
    kept = pictures.of_round(round_id)
    if lamp >= len(kept):
        raise EvidenceMissing("no picture of this round is kept under that lamp")
    frame = load_frame(kept[lamp])
    return _png(Image.frombytes("L", (frame.width, frame.height), frame.pixels))


def marked(pictures: Pictures, digest: bytes, reader: str, profile: Path) -> bytes:
    """The scene with what a reader finds in it, as PNG; takes a second. Raises EvidenceMissing."""
    if not pictures.has(digest):
        raise EvidenceMissing("no pictures of this round are kept")
    try:
        pixels = pictures.frames(digest)
    except PicturesDamaged as damage:
        raise EvidenceMissing(f"{damage}; keep them as they are for the audit") from damage
    width, height = _SIDES[len(pixels[0])]
    with READERS[reader](profile, 3) as read:
        fields = read(pixels)
    return _png(annotate([Frame(width, height, each) for each in pixels], f"{reader}'s reader", fields))


def _png(image: Image.Image) -> bytes:
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()
