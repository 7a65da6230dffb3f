"""What the tests of bring-up share besides fixtures: scenarios, and a technician at a virtual board."""

import asyncio
import dataclasses

from host_tools.bringup.flash import flash
from host_tools.bringup.remote import Remote
from host_tools.virtual_board import Scenario
from host_tools.virtual_board.scenario import Event, Round

ORDINARY = Scenario("Ordinary", "covered", (Round("0008", "read", (2, 4, 5)),))
START_S = 30  # more than a board waits for its host


def quiet(text):
    """No progress."""


def altered(strokes=(), camera="", **levels):
    """The ordinary scenario with strokes, a camera or channels as they should not be."""
    named = {name.replace("_", "-"): level for name, level in levels.items()}
    event = Event("power-on", levels=named, camera=camera)
    played = dataclasses.replace(ORDINARY.rounds[0], events=(event,), strokes=tuple(strokes))
    return dataclasses.replace(ORDINARY, rounds=(played,))


class Running:
    """A powered board and what a technician does with it, each in a thread, as the board runs in this one."""

    def __init__(self, board):
        self.board = board
        self.port = board.repl_path

    async def printed(self, text):
        """Wait until the board has printed it."""
        async with asyncio.timeout(START_S):
            while text not in self.board.console:  # noqa: ASYNC110 - nobody announces it
                await asyncio.sleep(0.02)

    async def plays(self):
        """Wait until the application runs: only it lets the board's time pass."""
        before = self.board.plant.time_us
        async with asyncio.timeout(START_S):
            while self.board.plant.time_us <= before:  # noqa: ASYNC110 - nobody announces it
                await asyncio.sleep(0.02)

    async def restart(self):
        """Cut the power, forget what was printed, give power again; what the board prints then."""
        await self.board.power_cut()
        self.board.repl.output.clear()
        await self.board.power_on()
        await self.printed(">>> ")
        return self.board.console

    async def restart_application(self):
        """Cut the power and give it again; return when the application runs."""
        await self.board.power_cut()
        await self.board.power_on()
        await self.plays()

    async def do(self, step, *arguments, remote=Remote):
        """step(remote, *arguments) with the REPL open."""

        def run():
            with remote(self.port, wait_s=8) as opened:
                return step(opened, *arguments)

        return await asyncio.to_thread(run)

    async def flash(self, virtual, build, remote=Remote):
        return await self.do(flash, virtual, build, quiet, remote=remote)

    async def run(self, code):
        def step(remote):
            remote.enter()
            return remote.run(code)

        return await self.do(step)
