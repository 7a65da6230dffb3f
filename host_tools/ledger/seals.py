"""Seals over what no table's journal has: when a device's records came, and the notices of a source.

Each row seals itself and the row before it of the same device or source, so that none can be changed, moved
or taken out of the middle. That a source's newest rows are gone is noticed when they were delivered; of a
device's, in any case, for its head says how many there are.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from host_tools.ledger.store import Row, Store

FIRST_SEAL = bytes(32)  # what stands for the seal before the first one
SEALED_SINCE = 6  # schema; rows of an older ledger are sealed when it is migrated

_PAGE = 500
BEFORE_ALL = -(2**63)  # no row has a lower number: what is hidden below the first one is read too


class Sealed(NamedTuple):
    """A table whose rows are sealed: a chain for each value of `chain`, in the order of `order`."""

    table: str
    chain: str
    order: str
    columns: tuple[str, ...]


RECORDS = Sealed(
    "records",
    "device",
    "sequence",
    ("device", "sequence", "boot", "kind", "round", "digest", "received_ms"),
)
NOTICES = Sealed("notices", "source", "number", ("source", "topic", "round", "body", "made_ms"))


def chained(previous: bytes, told: Sequence[object]) -> bytes:
    """SHA-256 over the seal before and what is told, as JSON."""
    text = json.dumps(told, default=bytes.hex, separators=(",", ":"))
    return hashlib.sha256(previous + text.encode()).digest()


def insert_sealed(store: Store, sealed: Sealed, row: Mapping[str, Any]) -> None:
    """Add a row as the next of its chain."""
    newest = store.row(
        f"SELECT seal FROM {sealed.table} WHERE {sealed.chain} = ? ORDER BY {sealed.order} DESC LIMIT 1",
        (row[sealed.chain],),
    )
    seal = chained(newest[0] if newest else FIRST_SEAL, [row[name] for name in sealed.columns])
    store.insert(sealed.table, {**row, "seal": seal})


def seal_old_rows(store: Store) -> None:
    """Inside a transaction, with the walls down: seal every row of a ledger that had no seals."""
    for sealed in (RECORDS, NOTICES):
        for chain in store.distinct(sealed.table, sealed.chain):
            previous = FIRST_SEAL
            for order, _, told in _rows(store, sealed, chain, BEFORE_ALL):
                previous = chained(previous, told)
                store.write(
                    f"UPDATE {sealed.table} SET seal = ? WHERE {sealed.chain} = ? AND {sealed.order} = ?",
                    (previous, chain, order),
                )


def seal_findings(store: Store, recent: int | None) -> Iterator[str]:
    """The rows that are not what was sealed, among the `recent` newest of each chain or all."""
    for sealed in (RECORDS, NOTICES):
        for chain in store.distinct(sealed.table, sealed.chain):
            name = chain.hex() if isinstance(chain, bytes) else chain
            after, previous = _start(store, sealed, chain, recent)
            for order, seal, told in _rows(store, sealed, chain, after):
                if chained(previous, told) != seal:
                    yield f"{sealed.table} of {name}: {sealed.order} {order} is not what was sealed"
                previous = seal or FIRST_SEAL


def _start(store: Store, sealed: Sealed, chain: object, recent: int | None) -> tuple[int, bytes]:
    """After which row, and from which seal, a check begins."""
    if recent is not None:
        row = store.row(
            f"SELECT {sealed.order}, seal FROM {sealed.table} WHERE {sealed.chain} = ?"
            f" ORDER BY {sealed.order} DESC LIMIT 1 OFFSET ?",
            (chain, recent),
        )
        if row:
            return row[0], row[1] or FIRST_SEAL
    return BEFORE_ALL, FIRST_SEAL


def _rows(store: Store, sealed: Sealed, chain: object, after: int) -> Iterator[tuple[int, bytes | None, Row]]:
    """The rows of a chain after one, in order: what orders them, their seals, and what the seals are over."""
    while page := store.rows(
        f"SELECT {sealed.order}, seal, {', '.join(sealed.columns)} FROM {sealed.table}"
        f" WHERE {sealed.chain} = ? AND {sealed.order} > ? ORDER BY {sealed.order} LIMIT ?",
        (chain, after, _PAGE),
    ):
        for order, seal, *told in page:
            yield order, seal, tuple(told)
        after = page[-1][0]
