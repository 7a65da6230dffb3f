"""Ledgers on both back ends: a SQLite file, and a schema of a PostgreSQL server."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from host_tools.ledger import Ledger, open_ledger


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new ledger can be made: a path, or the URL of an empty database."""
    if request.param == "sqlite":
        return str(tmp_path / "ledger.db")
    return request.getfixturevalue("postgres").new_database()


@pytest.fixture
def books(where: str) -> Iterator[Ledger]:
    """A new ledger."""
    with open_ledger(where) as ledger:
        yield ledger


@pytest.fixture
def closing() -> Iterator[ExitStack]:
    """Closes at the end what was entered into it."""
    with ExitStack() as stack:
        yield stack
