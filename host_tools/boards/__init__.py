"""The boards: what the device loads (board.json) and what host and engineer know (hardware.json), checked."""

from host_tools.boards.board import BOARDS, Board, known_boards, load_board
from host_tools.boards.errors import BoardFileError, Fault, UnknownBoard

__all__ = ["BOARDS", "Board", "BoardFileError", "Fault", "UnknownBoard", "known_boards", "load_board"]
