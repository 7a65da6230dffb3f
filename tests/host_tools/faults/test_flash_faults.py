"""The journal's ring keeps its promises under every fault of the flash, and the proof can fail."""

import pytest

from host_tools.faults import flash
from tumbler.journal import JournalDamaged, pages
from tumbler.journal.ring import Ring


def test_every_fault_at_the_size_of_the_tests():
    done = flash.run(seed=20)
    assert done["cuts"] > 1500
    assert done["cuts_in_recovery"] > 500
    assert done["bits_refused"] > 300
    assert done["reordered"] > 150


def no_erase(ring: Ring, number: int, sequence: int) -> None:
    """The block is taken as it is."""
    header = pages.pack_header(ring._id, number, len(ring._blocks), sequence, ring.acknowledged)
    ring._program(number, 0, header)


def always_droppable(ring: Ring, number: int) -> bool:
    return number != ring._newest


def seal_first(ring: Ring, sequence: int, packed: bytearray) -> None:
    """As if a record could be sealed before it is there."""
    if ring._free + len(packed) // pages.PAGE > pages.PAGES:
        ring._use_next(sequence)
    page, ring._free = ring._free, ring._free + len(packed) // pages.PAGE
    ring._program(ring._newest, page, pages.SEAL)
    ring._program(ring._newest, page, packed)


def forgets_the_torn_page(ring: Ring, number: int, page: int):
    """As if what is torn were blank."""
    kind, frame = EXAMINE(ring, number, page)
    return (0 if kind == 1 else kind), frame


EXAMINE = Ring._examine
MISTAKES = [
    ("_erase", no_erase),
    ("_droppable", always_droppable),
    ("_write", seal_first),
    ("_examine", forgets_the_torn_page),
    ("_set_seal", lambda ring, number, page: None),
]


@pytest.mark.parametrize(("method", "mistake"), MISTAKES, ids=[name for name, _ in MISTAKES])
def test_a_journal_with_a_mistake_is_found_out(method, mistake, monkeypatch):
    monkeypatch.setattr(Ring, method, mistake)
    with pytest.raises((flash.FaultFound, JournalDamaged)):
        flash.run(seed=20)


def test_a_seed_plays_the_same_day_again():
    days = []
    for _ in range(2):
        medium, promises = flash.new_medium(), flash.Promises()
        flash.play_day(
            lambda medium=medium, promises=promises: flash.Device(medium, promises), flash.Numbers(5), 40
        )
        days.append((bytes(medium.content), promises.appended))
    assert days[0] == days[1]
