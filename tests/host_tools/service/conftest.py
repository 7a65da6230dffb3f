"""What tests of the service share: a ledger of either kind."""

import pytest


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest) -> str:
    """A ledger that is not there yet."""
    if request.param == "sqlite":
        return "ledger.sqlite"
    return request.getfixturevalue("postgres").new_database()
