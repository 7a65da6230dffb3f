"""The board's configuration: one readable JSON file, checked completely before anything uses it."""

import json

from tumbler.hal import settings
from tumbler.shapes import Anything, Choice, Table, Text, Whole

# name: (least, most). Times in ms or us as the name says; what each means stands where it is used.
LIMITS = {
    # strokes
    "debounce_us": (50, 5000),
    "gate_gap_um": (100, 10000),
    "min_width_us": (1000, 100000),
    "min_speed_mm_s": (10, 5000),
    "max_width_us": (10000, 1000000),
    # the round; the rules ask for three tumbles at the least (MBS 3.1, RWS 5.3.1)
    "min_tumbles": (3, 10),
    "drive_strokes": (3, 12),
    "max_tumbles": (3, 16),
    "tumble_ms": (1000, 30000),
    "stroke_gap_ms": (50, 5000),
    "settle_ms": (500, 30000),
    "read_ms": (1000, 120000),
    "agree_scenes": (2, 10),
    "refuse_scenes": (2, 10),
    # enclosure, rest and host
    "channel_debounce_ms": (5, 500),
    "cover_travel_ms": (500, 60000),
    "rest_mg": (1, 2000),
    "rest_ms": (100, 5000),
    "host_ms": (2000, 120000),
}
HAL = settings.TIMES

_LIMITS = Table({name: Whole(*bounds) for name, bounds in LIMITS.items()})


_SHAPE = Table(
    {
        "board": Choice(*settings.BACK_ENDS),
        # These two fit each other and the back end: see _faults.
        "profile": Anything(),
        "hal": Anything(),
        "limits": _LIMITS,
    }
)


class ConfigError(ValueError):
    """The configuration cannot be used; the message names the file and every key at fault."""


class Limits:
    """The numbers of the configuration's "limits", an attribute each."""

    def __init__(self, values):
        for name in LIMITS:
            setattr(self, name, values[name])


class Config:
    """board: the hal back end, hal: its settings; limits: Limits; raw: the file's bytes;
    profile: the reader's profile file, None where a sensor module reads the dice;
    shared: the host's line has other tumblers, so nothing is said unasked."""

    def __init__(self, values, raw):
        self.board = values["board"]
        self.hal = values["hal"]
        self.profile = values["profile"]
        self.limits = Limits(values["limits"])
        self.raw = raw
        self.shared = "direction" in self.hal.get("uart", ())


def load(path):
    """Read and check the configuration file at `path`; ConfigError names all that is wrong with it."""
    try:
        with open(path, "rb") as file:
            raw = file.read()
    except OSError:
        raise ConfigError("%s: not readable: copy the board's board.json there" % path) from None
    return parse(raw, path)


def parse(raw, path="board.json"):
    """Check the configuration `raw` (bytes of JSON); `path` is for the messages."""
    try:
        values = json.loads(raw)
    except ValueError:
        raise ConfigError("%s: not valid JSON" % path) from None
    if not isinstance(values, dict):
        raise ConfigError("%s: not a JSON object" % path)
    faults = _faults(values)
    if faults:
        raise ConfigError("%s: %s" % (path, "; ".join(faults)))
    return Config(values, raw)


def _faults(values):
    found = _SHAPE.faults("", values)
    if "hal" in values and values.get("board") in settings.BACK_ENDS:
        found += settings.faults(values["board"], values["hal"])
    if "profile" in values:
        found += _profile_faults(values)
    if not found:
        limits = values["limits"]
        if not limits["min_tumbles"] <= limits["drive_strokes"] <= limits["max_tumbles"]:
            found.append("limits: min_tumbles <= drive_strokes <= max_tumbles does not hold")
    return found


def _profile_faults(values):
    hal = values.get("hal")
    if not (isinstance(hal, dict) and "sensor" in hal):
        return Text().faults("profile", values["profile"])
    if values["profile"] is not None:
        return ["profile is for a camera's reader: it must be null with a sensor module"]
    return []
