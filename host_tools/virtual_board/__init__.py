"""A virtual tumbler: the firmware in a MicroPython process, its flash image, UART, REPL and plant."""

from host_tools.virtual_board.board import BoardError, Identity, VirtualBoard
from host_tools.virtual_board.scenario import Scenario, ScenarioError, everyday, load_scenario

__all__ = ["BoardError", "Identity", "Scenario", "ScenarioError", "VirtualBoard", "everyday", "load_scenario"]
