"""Whether the device's reading and the second reader's say the same.

Only a reading can agree with a reading. A refusal proves nothing against the other reader,
and supports it as little.
"""

from collections.abc import Mapping
from enum import StrEnum


class Agreement(StrEnum):
    """What two readers make of one scene."""

    AGREE = "agree"  # both read the same faces, or both refuse
    DIFFER = "differ"  # both read, and the faces differ: hold the round for a person
    UNSURE = "unsure"  # one read and the other refused: hold it, too


def compare(reading_record_fields: Mapping, second_reading: Mapping) -> Agreement:
    """Agreement of two readings by their "faces", in any order: dice have no names. Refused is no faces.

    reading_record_fields: the device's record or answer; second_reading: the fields of SecondReader.read.
    """
    first, second = (sorted(fields.get("faces") or ()) for fields in (reading_record_fields, second_reading))
    if first == second:
        return Agreement.AGREE
    return Agreement.DIFFER if first and second else Agreement.UNSURE
