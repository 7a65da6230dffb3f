"""The bench without a terminal: words from standard input, and a line for each record, round and event."""

import asyncio
import contextlib

from host_tools.pins.bench import Bench
from host_tools.pins.describe import describe_record
from host_tools.pins.rounds import Rounds
from host_tools.pins.words import BadWords, Words
from host_tools.virtual_board.attended import standard_input

LOOK_S = 0.02


async def serve_lines(bench: Bench, play_all: bool) -> int:
    """Serve until "quit" or the end of the input, or play the whole scenario; returns the exit status.

    It is 1 when a round of the scenario ended otherwise than it says, or a line was not understood.
    """
    rounds = Rounds(bench, say)
    watching = asyncio.create_task(_tell_records(bench))
    try:
        if play_all:
            await rounds.play_all()
            wrong = rounds.unexpected
        else:
            wrong = await _obey_input(Words(bench, rounds, say))
            await rounds.end()
        await asyncio.sleep(LOOK_S * 2)  # the last record is told too
    finally:
        rounds.give_up()
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching
    return 1 if wrong else 0


async def _obey_input(words: Words) -> int:
    wrong = 0
    lines = standard_input()
    while not words.ended and (line := await lines.get()) is not None:
        try:
            await words.obey(line)
        except BadWords as error:
            wrong += 1
            say(f"error: {error}")
    return wrong


async def _tell_records(bench: Bench) -> None:
    told = 0
    while True:
        for record in bench.records(told):
            say(describe_record(record))
            told = record.sequence
        await asyncio.sleep(LOOK_S)


def say(line: str) -> None:
    """One line of output, at once."""
    print(line, flush=True)
