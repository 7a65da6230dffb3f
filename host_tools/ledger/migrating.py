"""Bringing a ledger up to date: tables and walls of each newer schema, and seals for rows that had none."""

from collections.abc import Callable

from host_tools.ledger.schema import MIGRATIONS, Migration
from host_tools.ledger.seals import SEALED_SINCE, seal_old_rows
from host_tools.ledger.store import Store


def migrate(store: Store, version: int, script_of: Callable[[Migration], str]) -> None:
    """Inside the store's transaction: from schema `version` (0: none yet) to the newest, rows and all.
    `script_of` writes a migration in the store's dialect; to note the new version is the caller's."""
    for migration in MIGRATIONS[version:]:
        store.execute(script_of(migration))
    if 0 < version < SEALED_SINCE:
        store.lower_walls()
        seal_old_rows(store)
        store.raise_walls()
