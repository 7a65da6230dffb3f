"""Exported records: JSON lines `{"device", "sequence", "record"}`, device in hex, record in hex or base64."""

import base64
import binascii
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from host_tools.records.audit import Auditor
from host_tools.records.errors import BundleUnreadable, Mislabelled, RecordRefused

_MAX_LINE = 4096  # a record of 640 bytes takes 1280 in hex


class Entry(NamedTuple):
    """One line of a bundle: whose record it says it is, the record's bytes, and the line's number."""

    device: bytes
    sequence: int
    raw: bytes
    line: int


class BundleReport(NamedTuple):
    """How many records of a bundle were verified, the first fault, and its line; None, None without one."""

    verified: int
    fault: RecordRefused | None
    line: int | None


def audit_bundle(path: Path, auditor: Auditor) -> BundleReport:
    """Verify a bundle up to its first fault, after what `auditor` has checked; raises BundleUnreadable."""
    verified = 0
    for entry in read_bundle(path):
        try:
            record = auditor.check(entry.raw)
            if (record.device, record.sequence) != (entry.device, entry.sequence):
                raise Mislabelled(f"it holds record {record.sequence} of device {record.device.hex()}")
        except RecordRefused as refused:
            return BundleReport(verified, refused, entry.line)
        verified += 1
    if verified == 0:
        raise BundleUnreadable(f"{path} has no records")
    return BundleReport(verified, None, None)


def read_bundle(path: Path) -> Iterator[Entry]:
    """The entries of a bundle; raises BundleUnreadable with the line that is none."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(iter(lambda: file.readline(_MAX_LINE + 1), b""), start=1):
                yield _entry(line, number, path)
    except OSError as error:
        raise BundleUnreadable(f"{path} cannot be read: {error.strerror}") from error


def _entry(line: bytes, number: int, path: Path) -> Entry:
    try:
        if len(line) > _MAX_LINE:
            raise ValueError(f"longer than {_MAX_LINE} bytes")
        content = json.loads(line)
        device, sequence, record = bytes.fromhex(content["device"]), content["sequence"], content["record"]
        if type(sequence) is not int or not isinstance(record, str):
            raise TypeError("sequence should be a number and record a text")
        return Entry(device, sequence, _bytes(record), number)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BundleUnreadable(f"{path}, line {number} is no exported record: {error}") from error


def _bytes(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        try:
            return base64.b64decode(text, validate=True)
        except binascii.Error:
            raise ValueError("the record is neither hex nor base64") from None
