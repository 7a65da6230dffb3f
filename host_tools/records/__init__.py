"""Verification of signed records on the host, with cbor2 and cryptography only.

Written apart from the device's code: of the firmware it loads nothing but the definitions.
"""

from host_tools.records.audit import Auditor, ChainReport, verify_chain
from host_tools.records.errors import RecordRefused, RegistryError
from host_tools.records.registry import NO_RECORDS, Device, Head, Registry, possession_message
from host_tools.records.verify import Record, Verifier

__all__ = [
    "NO_RECORDS",
    "Auditor",
    "ChainReport",
    "Device",
    "Head",
    "Record",
    "RecordRefused",
    "Registry",
    "RegistryError",
    "Verifier",
    "possession_message",
    "verify_chain",
]
