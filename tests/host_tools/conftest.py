"""What tests of several parts of the host share: a PostgreSQL server."""

from collections.abc import Iterator

import pytest

from host_tools.testing.postgres_server import PostgresServer


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A real server on a private socket, stopped at the end."""
    with PostgresServer() as server:
        yield server
