"""What each field type of definitions.py allows, for records and messages alike."""

from tumbler import definitions
from tumbler.records import cbor

_MAX_UINT = 0xFFFFFFFFFFFFFFFF

# Fields whose numbers come from a table. "command" is not among them: an unknown one gets a reply of its own.
_NUMBERED = {
    "mode": tuple(definitions.PLAY_MODES.values()),
    "fact": tuple(definitions.FACTS.values()),
    "channel": tuple(definitions.CHANNELS.values()),
    "status": tuple(definitions.REPLY_STATUSES.values()),
    "state": tuple(definitions.DEVICE_STATES.values()),
}
_SIZES = {"bytes:8": 8, "bytes:16": 16, "bytes:32": 32}
_LARGEST = {"confidences": 1000}


def short_detail(text):
    """As much of `text` as a field of type text may hold."""
    while len(text.encode()) > definitions.MAX_DETAIL:
        text = text[:-1]
    return text


def complaint(name, kind, value):
    """None when `value` may stand in field `name` of type `kind`; otherwise what it should be, as text."""
    if kind == "uint":
        if not _is_uint(value):
            return "should be an unsigned 64-bit integer"
        if name in _NUMBERED and value not in _NUMBERED[name]:
            return "%d is none of the numbers defined for it" % value
    elif kind in _SIZES:
        if type(value) is not bytes or len(value) != _SIZES[kind]:
            return "should be %d bytes" % _SIZES[kind]
    elif kind == "bytes":
        if type(value) is not bytes or len(value) > definitions.MAX_RECORD:
            return "should be at most %d bytes" % definitions.MAX_RECORD
    elif kind == "text":
        if type(value) is not str or not _fits(value):
            return "should be text of at most %d bytes of UTF-8" % definitions.MAX_DETAIL
    elif kind == "bool":
        if type(value) is not bool:
            return "should be true or false"
    elif kind == "faces":
        if not _is_uints(value) or len(value) != 3 or min(value) < 1 or max(value) > 6:
            return "should be three numbers from 1 to 6"
    elif kind == "strokes":
        if not _is_strokes(value):
            return "should be pairs of unsigned integers, width and speed"
    elif kind == "uints":
        if not _is_uints(value):
            return "should be unsigned integers"
        if name in ("tilts", "confidences") and len(value) != 3:
            return "should have one number a die"
        if name in _LARGEST and max(value) > _LARGEST[name]:
            return "should be at most %d" % _LARGEST[name]
    else:
        return "has the undefined type %s" % kind
    return None


def _is_uint(value):
    return type(value) is int and 0 <= value <= _MAX_UINT


def _fits(text):
    try:
        return len(cbor.utf8(text)) <= definitions.MAX_DETAIL
    except cbor.CborError:
        return False


def _is_list(value):
    return type(value) in (list, tuple)


def _is_uints(value):
    if not _is_list(value):
        return False
    for number in value:  # noqa: SIM110 (MicroPython takes twice as long for all() of a generator)
        if type(number) is not int or not 0 <= number <= _MAX_UINT:
            return False
    return True


def _is_strokes(value):
    return _is_list(value) and all(_is_uints(stroke) and len(stroke) == 2 for stroke in value)
