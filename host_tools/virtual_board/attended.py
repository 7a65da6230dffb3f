"""A virtual board attended by a person: its paths, what happens on it, and a few words to make it happen."""

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Awaitable, Callable
from typing import Any

from host_tools.virtual_board.board import VirtualBoard
from host_tools.virtual_board.scenario import CUES

HELP = f"Type: cut, on, round, {', '.join(CUES)}, or quit."
LOOK_S = 0.05

Tell = Callable[[dict[str, Any]], None]


async def attend(board: VirtualBoard, tell: Tell) -> None:
    """Power the board on and serve until "quit" or the end of standard input.

    `tell` gets one dict for each thing to show: first the paths, then what happens with its time in ms.
    """
    tell(
        {
            "uart": board.uart_path,
            "repl": board.repl_path,
            "device": board.identity.device.hex(),
            "title": board.plant.scenario.title,
        }
    )
    await board.power_on()
    watching = asyncio.create_task(_watch(board, tell))
    lines = standard_input()
    try:
        while (words := await lines.get()) not in ("quit", None):
            await _obey(board, words, tell)
    finally:
        watching.cancel()


async def _obey(board: VirtualBoard, words: str, tell: Tell) -> None:
    actions: dict[str, Callable[[], Awaitable[None]]] = {"cut": board.power_cut, "on": board.power_on}
    if words in actions:
        await actions[words]()
    elif words == "round":
        tell({"ms": board.plant.time_us // 1000, "round": f"scene {board.next_round().scene}"})
    elif words in CUES:
        board.cue(words)
    elif words:
        tell({"error": f"{words!r} is not known. {HELP}"})


def standard_input() -> "asyncio.Queue[str | None]":
    """The lines of standard input as they come, stripped; None at its end.

    Read by a thread that may be left waiting: a terminal, pipe or file will do, and Ctrl-C ends all at once.
    """
    lines: asyncio.Queue[str | None] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def put(line: str | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody wants it any more
            loop.call_soon_threadsafe(lines.put_nowait, line)

    def read() -> None:
        begun = b""
        while data := os.read(sys.stdin.fileno(), 1024):
            *whole, begun = (begun + data).split(b"\n")
            for line in whole:
                put(line.decode(errors="replace").strip())
        put(None)

    threading.Thread(target=read, daemon=True).start()
    return lines


async def _watch(board: VirtualBoard, tell: Tell) -> None:
    seen = 0
    while True:
        log = board.plant.log
        for at_us, what in log[seen:]:
            tell({"ms": at_us // 1000, "event": what})
        seen = len(log)
        await asyncio.sleep(LOOK_S)
