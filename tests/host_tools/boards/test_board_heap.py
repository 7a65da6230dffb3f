"""Every board's application fits its heap, with what rounds need beside it."""

import sys

import pytest

from host_tools.boards import BOARDS, known_boards, load_board
from tumbler.assembly import LEAST_FREE

sys.path.insert(0, str(BOARDS.parent))

from benchmarks import heap

WITH_HEAP = [name for name in known_boards() if load_board(name).hardware["heap_kb"]]


def test_every_microcontroller_states_its_heap():
    assert {"esp32-s3", "openmv", "pico", "pico2"} == set(WITH_HEAP)


@pytest.mark.parametrize("name", WITH_HEAP)
@pytest.mark.usefixtures("node")
def test_the_application_fits_the_heap_with_what_rounds_need(name):
    board = load_board(name)
    kept = heap.kept(board)
    # A measurement that misses the frame buffer, or all of the application, is none.
    least = 100_000
    if board.profile is not None:
        camera = board.settings["hal"]["camera"]
        least += camera["width"] * camera["height"]
    assert least < kept <= board.hardware["heap_kb"] * 1024 - LEAST_FREE
