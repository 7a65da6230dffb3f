"""The device's records and messages: CBOR, field checks, COSE_Sign1 and the hash chain."""
