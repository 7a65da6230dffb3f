"""A payload's map against the definitions: integer keys to names, fields required, types."""

from collections.abc import Callable, Mapping
from typing import Any

from host_tools.records.errors import (
    Malformed,
    MissingField,
    UnknownField,
    UnknownKind,
    WrongField,
    WrongVersion,
)
from tumbler import definitions

_NAMES = {key: name for name, (key, _) in definitions.RECORD_FIELDS.items()}
_KINDS = {number: kind for kind, (number, _, _) in definitions.RECORD_KINDS.items()}
_REQUIRED = {
    kind: frozenset(definitions.COMMON_FIELDS + required)
    for kind, (_, required, _) in definitions.RECORD_KINDS.items()
}
_ALLOWED = {
    kind: _REQUIRED[kind] | frozenset(optional) | {"wall_ms"}
    for kind, (_, _, optional) in definitions.RECORD_KINDS.items()
}
_TABLES = {"mode": definitions.PLAY_MODES, "fact": definitions.FACTS, "channel": definitions.CHANNELS}
_ONE_A_DIE = ("tilts", "confidences")
_MAX_CONFIDENCE = 1000
_VOID_NUMBERS = frozenset(definitions.FACTS[name] for name in definitions.VOID_FACTS)


def to_names(payload: Any) -> dict[Any, Any]:
    """A decoded payload with names for the keys it should have; raises Malformed when it is no map."""
    if not isinstance(payload, dict):
        raise Malformed("the payload is not a map")
    return {_NAMES.get(key, key) if type(key) is int else key: value for key, value in payload.items()}


def kind_of(values: Mapping[Any, Any]) -> str:
    """The kind's name, once all fields are the kind's and as their types say.

    Raises WrongVersion, UnknownKind, MissingField, UnknownField or WrongField.
    """
    version = values.get("version")
    if type(version) is not int or version != definitions.PROTOCOL_VERSION:
        raise WrongVersion(f"record version {version!r}; these tools know {definitions.PROTOCOL_VERSION}")
    number = values.get("kind")
    kind = _KINDS.get(number) if type(number) is int else None
    if kind is None:
        raise UnknownKind(f"{number!r} is not the number of a kind of record")
    for name in sorted(_REQUIRED[kind] - values.keys()):
        raise MissingField(f"{kind}: {name} is missing")
    for name, value in values.items():
        if name not in _ALLOWED[kind]:
            raise UnknownField(f"{kind}: {name!r} is not a field of this kind")
        if not _is_allowed(name, value):
            raise WrongField(f"{kind}: {name} is {value!r}, not {definitions.RECORD_FIELDS[name][1]}")
    if values["sequence"] == 0:
        raise WrongField(f"{kind}: sequence is 0; the first record has 1")
    if kind == "void" and values["fact"] not in _VOID_NUMBERS:
        raise WrongField(f"void: fact {values['fact']} is a fault of the device and voids no round")
    return kind


def _is_allowed(name: str, value: Any) -> bool:
    declared = definitions.RECORD_FIELDS[name][1]
    if declared.startswith("bytes:"):
        return type(value) is bytes and len(value) == int(declared[6:])
    if not _CHECKS[declared](value):
        return False
    if name in _TABLES:
        return value in _TABLES[name].values()
    if name in _ONE_A_DIE:
        return len(value) == 3 and (name != "confidences" or max(value) <= _MAX_CONFIDENCE)
    return True


def _is_uint(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_uints(value: Any) -> bool:
    return type(value) is list and all(map(_is_uint, value))


def _is_text(value: Any) -> bool:
    return type(value) is str and len(value.encode()) <= definitions.MAX_DETAIL


def _is_faces(value: Any) -> bool:
    return _is_uints(value) and len(value) == 3 and all(1 <= face <= 6 for face in value)


def _is_strokes(value: Any) -> bool:
    return type(value) is list and all(_is_uints(stroke) and len(stroke) == 2 for stroke in value)


_CHECKS: dict[str, Callable[[Any], bool]] = {
    "uint": _is_uint,
    "bool": lambda value: type(value) is bool,
    "text": _is_text,
    "faces": _is_faces,
    "strokes": _is_strokes,
    "uints": _is_uints,
}
