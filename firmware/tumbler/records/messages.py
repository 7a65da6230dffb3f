"""Bodies of link messages: names and values to bytes and back, by definitions.MESSAGES.

Values stand as the definitions type them: numbers for tables (a `fact` is FACTS["tilted"]), not their names.
RECORD is the one message without a map: its values are {"sequence": uint, "record": bytes}.
"""

from tumbler import definitions
from tumbler.records import cbor
from tumbler.records.values import complaint


class MessageError(ValueError):
    """A body that is not a message of this protocol; the message text names the message and the field."""


def pack_message(name, values):
    """The body bytes of message `name` with `values` (field name -> value); MessageError."""
    fields, required = _definition(name)
    if fields is None:
        return _pack_record(values)
    _check(name, fields, required, values)
    return _to_map(fields, values)


def unpack_message(type_byte, body):
    """(name, values) of a received body (bytes-like) of the type `type_byte`; MessageError."""
    name = definitions.name_of(definitions.MESSAGES, type_byte)
    if name is None:
        raise MessageError("0x%02x is not a message type" % type_byte)
    if len(body) > definitions.MAX_BODY:
        raise MessageError("%s: a body of %d bytes; %d are allowed" % (name, len(body), definitions.MAX_BODY))
    fields, required = _definition(name)
    if fields is None:
        return name, _unpack_record(body)
    values = _from_map(name, fields, body)
    _check(name, fields, required, values)
    return name, values


def mac_input(name, session, values):
    """What a sealed message's MAC is made over: label, type, `session` (uint, 32 bits), map without `mac`."""
    fields, required = _definition(name)
    core = {field: value for field, value in values.items() if field != "mac"}
    _check(name, fields, [field for field in required if field != "mac"], core)
    head = bytes([definitions.HOST_TYPES[name]]) + session.to_bytes(4, "big")
    return definitions.SEAL_LABEL + head + _to_map(fields, core)


def _definition(name):
    if name not in definitions.MESSAGES:
        raise MessageError("%s is not a message" % name)
    return definitions.MESSAGES[name][2:]


def _to_map(fields, values):
    return cbor.encode({fields[name][0]: value for name, value in values.items()})


def _from_map(name, fields, body):
    try:
        mapping = cbor.decode(body)
    except cbor.CborError as error:
        raise MessageError("%s: %s" % (name, error)) from None
    if type(mapping) is not dict:
        raise MessageError("%s: the body is not a map" % name)
    values = {}
    for key, value in mapping.items():
        field = definitions.name_of(fields, key)
        if field is None:
            raise MessageError("%s: key %d is not a field of it" % (name, key))
        values[field] = value
    return values


def _check(name, fields, required, values):
    for field in required:
        if field not in values:
            raise MessageError("%s: %s is missing" % (name, field))
    for field, value in values.items():
        if field not in fields:
            raise MessageError("%s: %s is not a field of it" % (name, field))
        wrong = complaint(field, fields[field][1], value)
        if wrong:
            raise MessageError("%s: %s %s" % (name, field, wrong))


def _pack_record(values):
    if sorted(values) != ["record", "sequence"]:
        raise MessageError("record: its values are sequence and record")
    wrong = complaint("sequence", "uint", values["sequence"])
    if wrong:
        raise MessageError("record: sequence " + wrong)
    if type(values["record"]) is not bytes:
        raise MessageError("record: record should be bytes")
    body = values["sequence"].to_bytes(8, "big") + values["record"]
    _check_record_size(body)
    return body


def _unpack_record(body):
    _check_record_size(body)
    return {"sequence": int.from_bytes(body[:8], "big"), "record": bytes(body[8:])}


def _check_record_size(body):
    size = len(body) - 8
    if not 0 < size <= definitions.MAX_RECORD:
        raise MessageError("record: %d bytes; 1 to %d follow the sequence" % (size, definitions.MAX_RECORD))
