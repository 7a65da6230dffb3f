"""The pytest plugin (docs/testers.md): fixtures `tumbler_board`, `tumbler_pins` and `tumbler_scenes`, and the
mark `tumbler`.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from host_tools.testing.tester import BoardUnderTest, PinsUnderTest
    from host_tools.twin.studio import Shot

_MARK = "tumbler(mode='covered', scenario=None): what the board of `tumbler_board` plays."


def pytest_configure(config: pytest.Config) -> None:
    """Tell pytest of the mark."""
    config.addinivalue_line("markers", _MARK)


@pytest.fixture
def tumbler_board(request: pytest.FixtureRequest, tmp_path: Path) -> "Iterator[BoardUnderTest]":
    """A running tumbler with its table, new for each test: see docs/testers.md."""
    from host_tools.testing.tester import board_under_test  # noqa: PLC0415 - only where it is used

    mark = request.node.get_closest_marker("tumbler")
    with board_under_test(tmp_path / "tumbler", **(mark.kwargs if mark else {})) as board:
        yield board


@pytest.fixture
def tumbler_pins(tumbler_board: "BoardUnderTest") -> "PinsUnderTest":
    """The pins of that tumbler."""
    return tumbler_board.pins


@pytest.fixture
def tumbler_scenes() -> "Callable[..., Shot]":
    """Fresh labelled scenes of the twin: `tumbler_scenes(seed, category="flat", ...)` (docs/testers.md)."""
    from host_tools.testing.scenes import scene_of  # noqa: PLC0415

    return scene_of
