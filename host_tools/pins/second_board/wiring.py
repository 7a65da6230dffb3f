"""Which pin of the second board is wired to which one of the board under test: a file, checked."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

WATCHED = ("drive", "cover-lock")
# A motor at the accelerometer, on while the plant shakes: dice come to rest only after something has moved.
SHAKER = "vibration"
_PARTS = ("drives", "watches")


class WrongWiring(Exception):
    """A wiring file that does not fit the board under test; the message names the file and what to change."""


@dataclass(frozen=True, slots=True)
class Wiring:
    """Pins of the second board by the name that the board under test has for its end of the wire."""

    drives: dict[str, int]
    watches: dict[str, int]


def load_wiring(path: Path, hal: Mapping[str, Any]) -> Wiring:
    """The wiring in the JSON file at `path`, complete for the board whose section `hal` this is.

    `{"drives": {"stroke-gate": 2, ..., "vibration": 20}, "watches": {"drive": 16, "cover-lock": 17}}`.
    Raises WrongWiring.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise WrongWiring(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise WrongWiring(f"{path}: this is not JSON: {error}") from error
    if not isinstance(content, dict) or set(content) != set(_PARTS):
        raise WrongWiring(f'{path}: an object with "drives" and "watches" is wanted, and nothing else')
    drives = _pins(path, "drives", content["drives"], (*hal["inputs"], SHAKER))
    watches = _pins(path, "watches", content["watches"], WATCHED)
    _refuse_shared(path, drives | watches)
    return Wiring(drives, watches)


def _pins(path: Path, part: str, told: Any, wanted: tuple[str, ...]) -> dict[str, int]:
    if not isinstance(told, dict):
        raise WrongWiring(f"{path}: {part}: an object of names and pin numbers is wanted")
    for name, pin in told.items():
        if name not in wanted:
            raise WrongWiring(f"{path}: {part}: {name!r} is none of {', '.join(wanted)}")
        if type(pin) is not int or pin < 0:
            raise WrongWiring(f"{path}: {part}: {name}: a pin number is wanted, not {pin!r}")
    if missing := [name for name in wanted if name not in told]:
        raise WrongWiring(f"{path}: {part}: no pin for {', '.join(missing)}: wire it and name its pin")
    return {name: told[name] for name in wanted}


def _refuse_shared(path: Path, pins: dict[str, int]) -> None:
    users: dict[int, str] = {}
    for name, pin in pins.items():
        if pin in users:
            raise WrongWiring(f"{path}: pin {pin} is used twice, for {users[pin]} and {name}")
        users[pin] = name
