"""COSE_Sign1 (RFC 9052 4.2) around a record's payload: tag 18, EdDSA, key id in the protected header."""

from tumbler import definitions
from tumbler.records import cbor
from tumbler.records.fields import RecordError

_TAG_18 = b"\xd2"


def protected_header(key_id):
    """The protected header's bytes: algorithm and key id (8 bytes)."""
    return cbor.encode({1: definitions.COSE_ALGORITHM, 4: key_id})


def to_sign(protected, payload):
    """The Sig_structure (RFC 9052 4.4) that the signature covers, as bytes."""
    return cbor.encode(["Signature1", protected, definitions.RECORD_LABEL, payload])


def sign1(protected, payload, signature):
    """The complete record from its parts, as bytes."""
    return _TAG_18 + cbor.encode([protected, {}, payload, signature])


def payload_of(record):
    """The payload bytes of a stored record, its signature unchecked; RecordError when it is no COSE_Sign1."""
    if len(record) > definitions.MAX_RECORD:
        raise RecordError("a record of %d bytes; %d are allowed" % (len(record), definitions.MAX_RECORD))
    if bytes(record[:1]) != _TAG_18:
        raise RecordError("the record does not start with the tag of COSE_Sign1")
    try:
        parts = cbor.decode(record[1:])
    except cbor.CborError as error:
        raise RecordError("the record is not CBOR of this protocol: %s" % error) from None
    if type(parts) is list and len(parts) == 4:
        protected, unprotected, payload, signature = parts
        headers_fit = type(protected) is bytes and unprotected == {}
        if headers_fit and type(payload) is bytes and type(signature) is bytes:
            return payload
    raise RecordError("the record is not the four parts of a COSE_Sign1")
