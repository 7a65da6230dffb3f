"""The real-pins command on an adapter that is no adapter: wires in the place of Blinka's module `board`."""

import sys
import types
from pathlib import Path

from host_tools.boards.board import load_board
from host_tools.pins.real import run_real
from host_tools.pins.wires import Wires, install

install()
board = load_board("blinka")
wires = Wires(lambda: 0)
adapter = types.ModuleType("board")
hal = board.settings["hal"]
for wiring in (*hal["inputs"].values(), *hal["outputs"].values(), hal["vibration"]):
    setattr(adapter, wiring["pin"], wires[wiring["pin"]])
sys.modules["board"] = adapter
run_real(board, Path(sys.argv[1]))
