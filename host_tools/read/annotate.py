"""A scene drawn for people: the dice as read, their faces and tilts, and the reason of a refusal."""

import math

from PIL import Image, ImageDraw, ImageFont

from host_tools.images import Frame

_SCALE = 3  # a picture of 320 x 240 is too small for text
_MARGIN = 44  # pixels above the picture for the verdict
_BRIGHT = 200  # grey level that the brightest two percent are shown with
_READ, _REFUSED, _DIE = (80, 220, 100), (255, 90, 80), (90, 200, 255)


def annotate(frames: list[Frame], name: str, fields: dict) -> Image.Image:
    """Picture of a scene (its frames' mean, brightened) with the answer's fields drawn in."""
    width, height = frames[0].width, frames[0].height
    picture = Image.new("RGB", (width * _SCALE, height * _SCALE + _MARGIN))
    picture.paste(_mean(frames).resize((width * _SCALE, height * _SCALE)), (0, _MARGIN))
    draw = ImageDraw.Draw(picture)
    read = fields["verdict"] == "read"
    verdict = " ".join(map(str, fields["faces"])) if read else f"{fields['reason']}: {fields['detail']}"
    text = f"{name}: {fields['verdict']}, {verdict}"
    draw.text((8, 8), text, _READ if read else _REFUSED, ImageFont.load_default(22))
    for die in fields["dice"]:
        _draw_die(draw, die)
    return picture


def _mean(frames: list[Frame]) -> Image.Image:
    pictures = [Image.frombytes("L", (frame.width, frame.height), frame.pixels) for frame in frames]
    mean = pictures[0]
    for number, picture in enumerate(pictures[1:], start=2):
        mean = Image.blend(mean, picture, 1 / number)
    levels = sorted(mean.tobytes())
    bright = max(levels[int(0.98 * len(levels))], 1)
    return mean.point([min(int(level * _BRIGHT / bright), 255) for level in range(256)]).convert("RGB")


def _draw_die(draw: ImageDraw.ImageDraw, die: dict) -> None:
    """A die's square, its face beside it and its tilt and confidence below."""
    x, y = (_SCALE * (die[axis] + 0.5) for axis in ("x", "y"))
    y += _MARGIN
    half = _SCALE * die["side"] / 2
    angle = math.radians(die["angle"] + 45)
    reach = half * math.sqrt(2)
    turns = [angle + quarter * math.pi / 2 for quarter in range(4)]
    corners = [(x + reach * math.cos(turn), y + reach * math.sin(turn)) for turn in turns]
    draw.polygon(corners, outline=_DIE, width=2)
    draw.text((x + reach, y - reach), str(die["face"]), _DIE, ImageFont.load_default(30))
    tilt = "" if die["tilt_deg"] is None else f"{die['tilt_deg']}° "
    below = f"{tilt}{die['confidence']:.3f}"
    draw.text((x + reach, y - reach + 32), below, _DIE, ImageFont.load_default(16))
