"""Reads scenes of raw frames under MicroPython with the kernels asked for, and prints all that was read.

    read_scenes.py viper|plain PROFILE FOLDER...       FOLDER: of one scene, with lamp0.raw, lamp1.raw ...

Prints a line a scene, and the kernels' module last.
"""

import gc
import sys

sys.path.insert(0, "firmware")
# Else what compiling the code leaves behind parts the heap.
gc.threshold(32768)  # pyright: ignore[reportAttributeAccessIssue]

if sys.argv[1] == "plain":
    sys.path.append("firmware/tumbler/reader")
    import kernels_plain  # pyright: ignore[reportMissingImports]

    sys.modules["tumbler.reader.kernels_viper"] = kernels_plain

from tumbler.reader import Reader, kernels, load_profile  # noqa: E402 - the heap is set first


def told(die):
    """Every figure of a die, to its last digit."""
    outline = die.outline
    figures = die.x, die.y, die.side, die.angle, die.tilt_deg, die.confidence
    return die.face, die.flat, figures, (outline.x, outline.y, outline.side, outline.angle)


def main(profile, folders):
    reader = Reader(load_profile(profile))
    frame = bytearray(reader.width * reader.height)
    for folder in folders:
        reader.begin()
        for lamp in range(reader.lamps):
            with open(folder + "/lamp" + str(lamp) + ".raw", "rb") as file:
                file.readinto(frame)  # pyright: ignore[reportAttributeAccessIssue]
            reader.add(frame, lamp)
        reading = reader.finish()
        print(
            reading.verdict,
            reading.faces,
            reading.reason,
            reading.detail,
            [told(die) for die in reading.dice],
        )
    print(sys.maxsize, kernels._chosen.__name__)


main(sys.argv[2], sys.argv[3:])
