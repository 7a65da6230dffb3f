"""The hash chain: each record holds the next sequence number and the SHA-256 of the record before it."""

import hashlib

from tumbler import definitions
from tumbler.records import cose, fields
from tumbler.records.fields import RecordError


class Chain:
    """Makes a device's next record; `seal` does not move on, so one that never reached the journal never was.

    device_id: 8 bytes; boot: this boot's counter; sequence: of the newest record in the journal (0: none);
    previous: SHA-256 of that record (FIRST_PREVIOUS: none); signer: has key_id (8 bytes) and
    sign(message, entropy) -> 64 bytes; entropy: callable, n -> n random bytes.
    """

    def __init__(self, device_id, boot, sequence, previous, signer, entropy):
        self.device_id = device_id
        self.boot = boot
        self.sequence = sequence
        self.previous = previous
        self._signer = signer
        self._entropy = entropy
        self._protected = cose.protected_header(signer.key_id)
        self._sealed = None

    def seal(self, kind_name, uptime_ms, values):
        """The next record, signed, as bytes; `values` are the fields beyond COMMON_FIELDS. RecordError."""
        payload = self.payload(kind_name, uptime_ms, values)
        signature = self._signer.sign(cose.to_sign(self._protected, payload), self._entropy)
        record = cose.sign1(self._protected, payload, signature)
        limit = definitions.MAX_RECORD
        if len(record) > limit:
            raise RecordError("%s: a record of %d bytes; %d are allowed" % (kind_name, len(record), limit))
        self._sealed = record
        return record

    def payload(self, kind_name, uptime_ms, values):
        """The payload bytes that `seal` would sign."""
        complete = dict(values)
        for name in definitions.COMMON_FIELDS:
            if name in complete:
                raise RecordError("%s: %s is not the caller's to set" % (kind_name, name))
        complete["device"] = self.device_id
        complete["boot"] = self.boot
        complete["sequence"] = self.sequence + 1
        complete["previous"] = self.previous
        complete["uptime_ms"] = uptime_ms
        return fields.pack(kind_name, complete)

    def advance(self, record):
        """Move on: `record`, the newest sealed one, is in the journal. RecordError for any other."""
        if self._sealed is None or record != self._sealed:
            raise RecordError("only the newest sealed record can be moved on from")
        self._sealed = None
        self.sequence += 1
        self.previous = hashlib.sha256(record).digest()
