"""The reader as a filter: raw frames on a stream in, one JSON line a scene out.

The host starts it under MicroPython to read picture files exactly as the device would.
"""

import json


def answer(reading):
    """A Reading as plain fields, ready for JSON."""
    dice = []
    for die in reading.dice:
        dice.append(
            {
                "face": die.face,
                "x": round(die.x, 2),
                "y": round(die.y, 2),
                "side": round(die.side, 2),
                "angle": round(die.angle, 1),
                "tilt_deg": round(die.tilt_deg, 1),
                "flat": die.flat,
                "margin": round(die.margin, 3),
                "confidence": round(die.confidence, 3),
            }
        )
    return {
        "verdict": reading.verdict,
        "faces": list(reading.faces),
        "reason": reading.reason,
        "detail": reading.detail,
        "dice": dice,
    }


def serve(reader, stream, write, ticks_ms, ticks_diff):
    """Read scenes until the stream ends; `write` gets a JSON line for each, with the milliseconds it took.

    stream: readinto; a scene is a frame for each lamp, width * height bytes, nothing between them.
    EOFError when the stream ends within a scene.
    """
    frame = bytearray(reader.width * reader.height)
    while True:
        spent = 0
        for lamp in range(reader.lamps):
            if not _fill(stream, frame):
                if lamp:
                    raise EOFError("the stream ended within a scene")
                return
            start = ticks_ms()
            if lamp == 0:
                reader.begin()
            reader.add(frame, lamp)
            spent += ticks_diff(ticks_ms(), start)
        start = ticks_ms()
        fields = answer(reader.finish())
        fields["ms"] = spent + ticks_diff(ticks_ms(), start)
        write(json.dumps(fields) + "\n")


def _fill(stream, frame):
    """Whether a whole frame came; False at the end of the stream, EOFError when it ends within the frame."""
    view = memoryview(frame)
    at = 0
    while at < len(frame):
        count = stream.readinto(view[at:])
        if not count:
            if at:
                raise EOFError("the stream ended within a frame")
            return False
        at += count
    return True
