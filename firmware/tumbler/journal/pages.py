"""The ring's pages: how a record lies in flash pages of 256 bytes, and what the first page of a block says.

A block is 4 KiB: page 0 is its header, pages 1 to 15 hold records. A record takes one to three pages of one
block: magic (2 bytes), length (2), sequence (8), how far the acknowledged record is behind it (2), how far
the oldest one that a replay needs (2), the record, CRC-32 of all that (4), big-endian. The last four bytes
of each page stay erased: those of a record's first page are its seal, programmed to zero once the whole
record has been read back. So a record that is wrong and sealed is damaged, and one that is wrong and not
sealed was never promised. Programming a page for a second time clears bits only, which NOR flash without ECC
allows.

A header is there twice, so that no single bit decides whether a block was just being erased. Before an erase
it is programmed to zero: an erase that has only begun may change bits of records and none of a header.
"""

import struct
from binascii import crc32

from tumbler.definitions import MAX_RECORD

BLOCK = 4096
PAGE = 256
PAGES = BLOCK // PAGE
USABLE = PAGE - 4  # bytes of a page; the rest is for the seal
ERASED = b"\xff" * PAGE
SEAL = b"\xff" * USABLE + b"\x00" * 4
SPENT = b"\x00" * PAGE  # over the header of a block that is about to be erased
FRAME = 16  # bytes before a record
FARTHEST = 0xFFFF

_RECORD = ">HHQHH"
_MAGIC = 0x5B1D
_CRC = 4
_HEADER = ">4s8sHHQQ"
_HEADER_MAGIC = b"SBR1"
_HEADER_SIZE = 36  # with its CRC
_SECOND_COPY = PAGE // 2

MOST_PAGES = -(-(FRAME + MAX_RECORD + _CRC) // USABLE)
# Pages of a block that records of any size fill for certain: too few are left for the largest one.
LEAST_FILLED = PAGES - 1 - (MOST_PAGES - 1)


def count_for(length):
    """How many pages a record of `length` bytes takes."""
    return -(-(FRAME + length + _CRC) // USABLE)


def pack(sequence, record, acknowledged, needed):
    """The pages of a record, not sealed."""
    behind = min(sequence - acknowledged, FARTHEST), min(sequence - needed, FARTHEST)
    content = struct.pack(_RECORD, _MAGIC, len(record), sequence, *behind) + record
    content += struct.pack(">I", crc32(content))
    packed = bytearray(ERASED * count_for(len(record)))
    for number in range(len(packed) // PAGE):
        part = content[number * USABLE : (number + 1) * USABLE]
        packed[number * PAGE : number * PAGE + len(part)] = part
    return packed


def unpack_frame(content):
    """(length, sequence, acknowledged, needed) of what begins a record's first page; None when nothing
    does."""
    magic, length, sequence, acknowledged, needed = struct.unpack(_RECORD, content[:FRAME])
    if magic != _MAGIC or not 0 < length <= MAX_RECORD:
        return None
    return length, sequence, max(0, sequence - acknowledged), max(0, sequence - needed)


def is_whole(content, length):
    """Whether `content` (the usable bytes of a record's pages, one after the other) has the right CRC."""
    end = FRAME + length
    return struct.unpack(">I", content[end : end + _CRC])[0] == crc32(content[:end])


def pack_header(id, number, count, first, acknowledged):
    """A block's first page: block `number` of `count`, whose records begin with `first` (0: it has none)."""
    header = struct.pack(_HEADER, _HEADER_MAGIC, id, number, count, first, acknowledged)
    header += struct.pack(">I", crc32(header))
    packed = bytearray(ERASED)
    packed[: len(header)] = header
    packed[_SECOND_COPY : _SECOND_COPY + len(header)] = header
    return packed


def unpack_header(page, id, number, count):
    """(first, acknowledged) of a block's first page; None when it is not that of this ring's block
    `number`."""
    for start in (0, _SECOND_COPY):
        header = page[start : start + _HEADER_SIZE]
        if struct.unpack(">I", header[-_CRC:])[0] == crc32(header[:-_CRC]):
            magic, found, at, of, first, acknowledged = struct.unpack(_HEADER, header[:-_CRC])
            if (magic, found, at, of) == (_HEADER_MAGIC, id, number, count):
                return first, acknowledged
    return None
