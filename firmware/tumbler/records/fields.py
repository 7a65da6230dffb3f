"""A record's payload: field names and values to a CBOR map and back, by definitions.RECORD_KINDS.

Values stand as the definitions type them: numbers for tables (a `fact` is FACTS["tilted"]), not their names.
"""

from tumbler import definitions
from tumbler.records import cbor
from tumbler.records.values import complaint

_VERSION_KEY = definitions.RECORD_FIELDS["version"][0]
_KIND_KEY = definitions.RECORD_FIELDS["kind"][0]
_NAMES = {entry[0]: name for name, entry in definitions.RECORD_FIELDS.items()}
# `version` and `kind` are put in and taken out here; the caller gives the rest.
_GIVEN = definitions.COMMON_FIELDS[2:]
_REQUIRED = {kind: _GIVEN + entry[1] for kind, entry in definitions.RECORD_KINDS.items()}
_ALLOWED = {
    kind: _REQUIRED[kind] + entry[2] + ("wall_ms",) for kind, entry in definitions.RECORD_KINDS.items()
}
_VOID_NUMBERS = [definitions.FACTS[name] for name in definitions.VOID_FACTS]


class RecordError(ValueError):
    """Values, or a payload, that make no record; the message names the kind and the field."""


def pack(kind_name, values):
    """The payload bytes of a `kind_name` record from `values` (name -> value, without version and kind)."""
    if kind_name not in definitions.RECORD_KINDS:
        raise RecordError("%s is not a kind of record" % kind_name)
    _check(kind_name, values)
    mapping = {definitions.RECORD_FIELDS[name][0]: value for name, value in values.items()}
    mapping[_VERSION_KEY] = definitions.PROTOCOL_VERSION
    mapping[_KIND_KEY] = definitions.RECORD_KINDS[kind_name][0]
    return cbor.encode(mapping)


def unpack(payload):
    """(kind name, values) of a payload, the inverse of `pack`; RecordError."""
    try:
        mapping = cbor.decode(payload)
    except cbor.CborError as error:
        raise RecordError("the payload is not CBOR of this protocol: %s" % error) from None
    if type(mapping) is not dict:
        raise RecordError("the payload is not a map")
    if mapping.pop(_VERSION_KEY, None) != definitions.PROTOCOL_VERSION:
        raise RecordError("the record's version is not %d" % definitions.PROTOCOL_VERSION)
    number = mapping.pop(_KIND_KEY, None)
    kind_name = definitions.name_of(definitions.RECORD_KINDS, number)
    if kind_name is None:
        raise RecordError("%s is not the number of a kind of record" % (number,))
    values = {}
    for key, value in mapping.items():
        if key not in _NAMES:
            raise RecordError("%s: key %d is not a field" % (kind_name, key))
        values[_NAMES[key]] = value
    _check(kind_name, values)
    return kind_name, values


def _check(kind_name, values):
    for name in _REQUIRED[kind_name]:
        if name not in values:
            raise RecordError("%s: %s is missing" % (kind_name, name))
    allowed = _ALLOWED[kind_name]
    for name, value in values.items():
        if name not in allowed:
            raise RecordError("%s: %s is not a field of this kind" % (kind_name, name))
        wrong = complaint(name, definitions.RECORD_FIELDS[name][1], value)
        if wrong:
            raise RecordError("%s: %s %s" % (kind_name, name, wrong))
    if kind_name == "void" and values["fact"] not in _VOID_NUMBERS:
        raise RecordError("void: fact %d is a fault of the device and voids no round" % values["fact"])
