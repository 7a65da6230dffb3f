"""Whether a received record is genuine and follows the committed head; whatever is unsure is refused."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import cbor2

from host_tools.records import canonical, schema
from host_tools.records.errors import (
    BadSignature,
    BootRepeated,
    BootUnannounced,
    BootWentBack,
    Equivocation,
    Fork,
    Gap,
    KeyChangeRefused,
    Malformed,
    Replay,
    Superseded,
    UnknownDevice,
    UnknownKey,
    WrongAlgorithm,
)
from host_tools.records.keys import is_signed
from host_tools.records.registry import Device, Head, Registry
from tumbler import definitions

_TAG_18 = b"\xd2"  # COSE_Sign1, RFC 9052 4.2
_ALGORITHM, _KEY_ID = 1, 4  # COSE header parameters, RFC 9052 3.1
_SIGNATURE_SIZE = 64
_OWN = ("version", "kind", "device", "boot", "sequence")  # attributes of Record

DigestOf = Callable[[bytes, int], bytes | None]


@dataclass(frozen=True, slots=True)
class Record:
    """A verified record. `fields` has the other fields by name, the numbers of tables as numbers.

    Byte strings: device 8, digest 32 (SHA-256 of raw), raw as received.
    """

    device: bytes
    boot: int
    sequence: int
    kind: str
    fields: Mapping[str, Any]
    digest: bytes
    raw: bytes

    @property
    def head(self) -> Head:
        """The head once this record is committed."""
        return Head(self.sequence, self.digest, self.boot)


class Verifier:
    """Verifies records of registered devices.

    digest_of(device, sequence) -> SHA-256 of the committed record of that sequence, or None: tells a replay
    from an equivocation when the record is older than the head. Without it, such a record is Superseded.
    """

    def __init__(self, registry: Registry, digest_of: DigestOf = lambda device, sequence: None) -> None:
        self._registry = registry
        self._digest_of = digest_of

    def verify(self, raw: bytes, head: tuple[int, bytes, int]) -> Record:
        """The record of `raw`, which follows `head` (sequence, digest, boot); raises RecordRefused."""
        record = self.authenticate(raw)
        self.check_order(record, Head(*head))
        return record

    def authenticate(self, raw: bytes) -> Record:
        """The record of `raw`, genuine but in any place of its chain; raises RecordRefused."""
        protected, payload, signature = _parts(raw)
        values = schema.to_names(canonical.decode(payload, "the payload"))
        device = self._device(values, _key_id(protected))
        message = cbor2.dumps(["Signature1", protected, definitions.RECORD_LABEL, payload])
        if not is_signed(device.public_key, signature, message):
            raise BadSignature(f"a record of device {device.id.hex()} is not signed by its key")
        kind = schema.kind_of(values)
        if kind == "key-change":
            raise KeyChangeRefused(
                f"device {device.id.hex()} changed its key in record {values['sequence']};"
                " provision it anew, as another device"
            )
        fields = {name: value for name, value in values.items() if name not in _OWN}
        digest = hashlib.sha256(raw).digest()
        return Record(device.id, values["boot"], values["sequence"], kind, fields, digest, bytes(raw))

    def _device(self, values: dict[Any, Any], key_id: bytes) -> Device:
        claimed = values.get("device")
        if not isinstance(claimed, bytes):
            raise UnknownDevice("the record names no device")
        device = self._registry.device(claimed)
        if key_id != device.key_id:
            raise UnknownKey(
                f"device {device.id.hex()} is registered with key {device.key_id.hex()},"
                f" the record names {key_id.hex()}"
            )
        return device

    def check_order(self, record: Record, head: Head) -> None:
        """Raises ChainBroken unless the record is the very next one after `head`."""
        where = f"record {record.sequence} of device {record.device.hex()}"
        if record.sequence <= head.sequence:
            self._refuse_old(record, head, where)
        if record.sequence > head.sequence + 1:
            raise Gap(f"{where}: {head.sequence + 1} is next; ask for it")
        if record.fields["previous"] != head.digest:
            raise Fork(f"{where} follows another record than the committed {head.sequence}")
        if record.boot < head.boot:
            raise BootWentBack(f"{where}: boot {record.boot} after boot {head.boot}")
        if record.boot > head.boot and record.kind != "boot":
            raise BootUnannounced(f"{where}: boot {record.boot} after {head.boot}, without a boot record")
        if record.boot == head.boot and record.kind == "boot":
            raise BootRepeated(f"{where}: a second boot record of boot {record.boot}")

    def _refuse_old(self, record: Record, head: Head, where: str) -> None:
        if record.sequence == head.sequence:
            known = head.digest
        else:
            known = self._digest_of(record.device, record.sequence)
        if known is None:
            raise Superseded(f"{where} is older than the head {head.sequence}; compare the two")
        if known == record.digest:
            raise Replay(f"{where} is committed already")
        raise Equivocation(f"{where} differs from the committed one; take the device out of service")


def _parts(raw: bytes) -> tuple[bytes, bytes, bytes]:
    """Protected header, payload and signature of a COSE_Sign1; raises Malformed."""
    if len(raw) > definitions.MAX_RECORD:
        raise Malformed(f"a record of {len(raw)} bytes; {definitions.MAX_RECORD} are allowed")
    if raw[:1] != _TAG_18:
        raise Malformed("the record does not start with the tag of COSE_Sign1")
    parts = canonical.decode(bytes(raw[1:]), "the record")
    if not isinstance(parts, list) or [type(part) for part in parts] != [bytes, dict, bytes, bytes]:
        raise Malformed("the record is not the four parts of a COSE_Sign1")
    protected, unprotected, payload, signature = parts
    if unprotected:
        raise Malformed("the record has an unprotected header; it should be empty")
    if len(signature) != _SIGNATURE_SIZE:
        raise Malformed(f"a signature of {len(signature)} bytes; Ed25519 has {_SIGNATURE_SIZE}")
    return protected, payload, signature


def _key_id(protected: bytes) -> bytes:
    """The key id in a protected header; raises Malformed or WrongAlgorithm."""
    header = canonical.decode(protected, "the protected header")
    if not isinstance(header, dict) or header.keys() != {_ALGORITHM, _KEY_ID}:
        raise Malformed("the protected header should hold algorithm and key id, nothing else")
    if type(header[_ALGORITHM]) is not int or header[_ALGORITHM] != definitions.COSE_ALGORITHM:
        raise WrongAlgorithm(f"algorithm {header[_ALGORITHM]!r}; records use {definitions.COSE_ALGORITHM}")
    key_id = header[_KEY_ID]
    if type(key_id) is not bytes:
        raise Malformed("the key id is not a byte string")
    return key_id
