"""Strict CBOR for untrusted bytes: a scan that builds nothing, then cbor2, then the bytes compared.

cbor2 alone takes trailing bytes, doubled keys, longer forms and tags of all kinds; the scan lets only
integers, byte strings, text, arrays, maps and bool reach it, at most MAX_DEPTH deep.
"""

from typing import Any

import cbor2

from host_tools.records.errors import Malformed, NotCanonical

MAX_DEPTH = 8

_ARRAY, _MAP = 4, 5
_SIZES = {24: 1, 25: 2, 26: 4, 27: 8}
_BOOLS = b"\xf4\xf5"


def decode(data: bytes, what: str) -> Any:
    """The value of which `data` is the deterministic form (RFC 8949 4.2.1); `what` names it in errors.

    Raises Malformed, or NotCanonical when only the form is wrong.
    """
    _scan(data, what)
    try:
        value = cbor2.loads(data)
    except (cbor2.CBORDecodeError, ValueError) as error:
        raise Malformed(f"{what}: {error}") from error
    if cbor2.dumps(value, canonical=True) != data:
        raise NotCanonical(f"{what}: map keys are doubled or out of order")
    return value


def _scan(data: bytes, what: str) -> None:
    """Walk over all heads of one item; raises Malformed or NotCanonical."""
    at = 0
    open_items = [1]  # items still to come, one count for each level
    while open_items:
        if open_items[-1] == 0:
            open_items.pop()
            continue
        open_items[-1] -= 1
        if at >= len(data):
            raise Malformed(f"{what}: the data ends at byte {at}, inside an item")
        initial, start = data[at], at
        at += 1
        if initial in _BOOLS:
            continue
        major, low = initial >> 5, initial & 0x1F
        if major > _MAP:
            raise Malformed(f"{what}: byte {start} is neither integer, bytes, text, array, map nor bool")
        argument, at = _argument(data, at, low, what)
        if major < 2:
            continue
        need = 2 * argument if major == _MAP else argument
        if need > len(data) - at:
            raise Malformed(f"{what}: byte {start} claims {need} bytes or items; {len(data) - at} are left")
        if major < _ARRAY:
            at += argument
            continue
        if len(open_items) > MAX_DEPTH:
            raise Malformed(f"{what}: byte {start} nests arrays and maps deeper than {MAX_DEPTH}")
        open_items.append(need)
    if at != len(data):
        raise Malformed(f"{what}: {len(data) - at} bytes after its end")


def _argument(data: bytes, at: int, low: int, what: str) -> tuple[int, int]:
    """The number in or after an initial byte, and where the next item starts."""
    if low < 24:
        return low, at
    if low == 31:
        raise NotCanonical(f"{what}: an indefinite length before byte {at}")
    if low not in _SIZES:
        raise Malformed(f"{what}: a reserved length before byte {at}")
    end = at + _SIZES[low]
    if end > len(data):
        raise Malformed(f"{what}: the data ends inside the number at byte {at}")
    number = int.from_bytes(data[at:end])
    if number < (24 if low == 24 else 1 << (4 * _SIZES[low])):
        raise NotCanonical(f"{what}: the number at byte {at} is not in its shortest form")
    return number, end
