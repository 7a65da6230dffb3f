"""Bodies of link messages on the host: CBOR maps by definitions.MESSAGES, in deterministic form only."""

import hmac
from collections.abc import Iterable, Mapping
from typing import Any

import cbor2

from host_tools.link.errors import MessageInvalid
from tumbler import definitions

_MAX_UINT = 2**64 - 1
_RECORD_HEADER = 8  # the sequence, big-endian

# What cbor2 raises for hostile bytes of at most MAX_BODY, whatever tag or nesting they hold.
_DECODING_ERRORS = (
    cbor2.CBORError,
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    RecursionError,
    OSError,
)

# Fields whose numbers stand for names.
_TABLES = {
    "status": definitions.REPLY_STATUSES,
    "state": definitions.DEVICE_STATES,
    "faults": definitions.FACTS,
    "mode": definitions.PLAY_MODES,
    "fact": definitions.FACTS,
}


def pack(name: str, values: Mapping[str, Any], *, partial: bool = False) -> bytes:
    """The body of message `name` from its fields by name; `partial`: some may be missing."""
    fields, required = definitions.MESSAGES[name][2:]
    _check(name, fields or {}, () if partial else required, values)
    return cbor2.dumps({fields[field][0]: value for field, value in values.items()}, canonical=True)


def sealed(name: str, values: Mapping[str, Any], session: int, host_key: bytes) -> bytes:
    """The body of a message of definitions.SEALED, with its MAC for that session."""
    head = bytes([definitions.HOST_TYPES[name]]) + session.to_bytes(4)
    core = definitions.SEAL_LABEL + head + pack(name, values, partial=True)
    mac = hmac.digest(host_key, core, "sha256")[: definitions.MAC_BYTES]
    return pack(name, {**values, "mac": mac})


def unpack(name: str, body: bytes) -> dict[str, Any]:
    """The values of a received body by field name, numbers as they came. MessageInvalid."""
    fields, required = definitions.MESSAGES[name][2:]
    names = {key: field for field, (key, _) in fields.items()}
    values = {}
    for key, value in _map(name, body).items():
        if key not in names:
            raise MessageInvalid(f"{name}: key {key} is not a field of it")
        values[names[key]] = value
    _check(name, fields, required, values)
    return values


def unpack_record(body: bytes) -> tuple[int, bytes]:
    """Sequence and COSE_Sign1 of a RECORD body. MessageInvalid."""
    size = len(body) - _RECORD_HEADER
    if not 0 < size <= definitions.MAX_RECORD:
        raise MessageInvalid(f"record: {size} bytes; 1 to {definitions.MAX_RECORD} follow the sequence")
    return int.from_bytes(body[:_RECORD_HEADER]), body[_RECORD_HEADER:]


def named(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values with names in place of the numbers of tables. MessageInvalid for a number without a name."""
    result = dict(values)
    for field in _TABLES.keys() & values.keys():
        value = values[field]
        result[field] = [_name(field, n) for n in value] if isinstance(value, list) else _name(field, value)
    return result


def numbered(values: Mapping[str, Any]) -> dict[str, Any]:
    """The reverse of `named`, for arguments of a command. MessageInvalid for an unknown name."""
    result = dict(values)
    for field in _TABLES.keys() & values.keys():
        if values[field] not in _TABLES[field]:
            raise MessageInvalid(f"{field}: {values[field]!r} is none of {', '.join(_TABLES[field])}")
        result[field] = _TABLES[field][values[field]]
    return result


def _name(field: str, number: int) -> str:
    name = definitions.name_of(_TABLES[field], number)
    if name is None:
        raise MessageInvalid(f"{field}: {number} is none of the numbers defined for it")
    return name


def _map(name: str, body: bytes) -> dict[int, Any]:
    try:
        mapping = cbor2.loads(body)
        canonical = type(mapping) is dict and cbor2.dumps(mapping, canonical=True) == body
    except _DECODING_ERRORS as error:
        raise MessageInvalid(f"{name}: {error}") from None
    if not canonical:
        raise MessageInvalid(f"{name}: the body is not a map in deterministic CBOR")
    if any(type(key) is not int for key in mapping):
        raise MessageInvalid(f"{name}: a key is not an integer")
    return mapping


def _check(name: str, fields: Mapping[str, Any], required: Iterable[str], values: Mapping[str, Any]) -> None:
    for field in required:
        if field not in values:
            raise MessageInvalid(f"{name}: {field} is missing")
    for field, value in values.items():
        if field not in fields:
            raise MessageInvalid(f"{name}: {field} is not a field of it")
        if not _fits(fields[field][1], value):
            raise MessageInvalid(f"{name}: {field} is not {fields[field][1]}")


def _is_short(text: str) -> bool:
    try:
        return len(text.encode()) <= definitions.MAX_DETAIL
    except UnicodeEncodeError:  # a surrogate
        return False


def _fits(kind: str, value: Any) -> bool:
    if kind == "uint":
        return type(value) is int and 0 <= value <= _MAX_UINT
    if kind == "uints":
        return type(value) is list and all(_fits("uint", item) for item in value)
    if kind == "text":
        return type(value) is str and _is_short(value)
    if kind == "bool":
        return type(value) is bool
    if kind == "bytes":
        return type(value) is bytes and len(value) <= definitions.MAX_RECORD
    return type(value) is bytes and len(value) == int(kind.removeprefix("bytes:"))
