"""Simulated tumblers of many tables, on a pty each, in a few processes, with the firmware as it is.

Nothing goes wrong at these tables; what is measured is the service at the other end of the lines.
"""

import asyncio
import multiprocessing
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from random import Random

from host_tools.faults.device import SimulatedDevice
from host_tools.faults.fast_time import run_fast
from host_tools.faults.pty_cable import PtyCable
from host_tools.faults.world import World
from host_tools.records import Device

_START_S = 120.0  # for all of a process' tumblers to be there, on a busy machine
_BETWEEN_S = 0.02  # from one power-on to the next


@dataclass(frozen=True, slots=True)
class FleetTumbler:
    """A tumbler as the host sees it: its port, and how it is registered (`proof` of its key)."""

    port: str
    registered: Device
    challenge: bytes
    proof: bytes


class FleetFailed(RuntimeError):
    """A process of the fleet has ended, or a tumbler's firmware has failed; the message says how."""


class Fleet:
    """A context manager; inside, the tumblers run, one for each of `modes` (covered, open).

    `speed`: how many times as fast as real time the tumblers live."""

    def __init__(self, modes: Sequence[str], seed: str, *, processes: int = 1, speed: float = 1.0) -> None:
        self.tumblers: list[FleetTumbler] = []
        self._fork = multiprocessing.get_context("fork")
        self._processes: list[BaseProcess] = []
        self._pipes: list[Connection] = []
        self._shares = [list(enumerate(modes))[number::processes] for number in range(processes)]
        self._seed = seed
        self._speed = speed

    def __enter__(self) -> "Fleet":
        try:
            for share in self._shares:
                ours, theirs = self._fork.Pipe()
                arguments = (theirs, share, self._seed, self._speed)
                process = self._fork.Process(target=_run, args=arguments, daemon=True)
                process.start()
                self._processes.append(process)
                self._pipes.append(ours)
            self.tumblers = self._told_by_all()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.kill()
            process.join()

    def records(self) -> list[list[bytes]]:
        """Stop; every record that each tumbler has promised to keep. Raises FleetFailed."""
        for pipe in self._pipes:
            pipe.send("stop")
        return self._told_by_all()

    def pids(self) -> list[int]:
        """Its processes."""
        return [process.pid for process in self._processes if process.pid is not None]

    def _told_by_all(self) -> list:
        """What each process tells of its tumblers, in the tumblers' order."""
        told = {}
        for pipe in self._pipes:
            if not pipe.poll(_START_S):
                raise FleetFailed("the tumblers' process does not answer")
            try:
                answer = pipe.recv()
            except EOFError:
                raise FleetFailed("the tumblers' process has ended") from None
            if isinstance(answer, str):
                raise FleetFailed(answer)
            told |= answer
        return [told[number] for number in sorted(told)]


def _run(pipe: Connection, share: list[tuple[int, str]], seed: str, speed: float) -> None:
    run_fast(_live(pipe, share, seed), speed)


async def _live(pipe: Connection, share: list[tuple[int, str]], seed: str) -> None:
    loop = asyncio.get_running_loop()
    failures: list[BaseException] = []
    stopped = asyncio.Event()
    devices = {}
    told = {}
    for number, mode in share:
        rng = Random(f"{seed}/{number}")
        cable = PtyCable()
        device = _device(rng, mode, cable, failures)
        loop.add_reader(cable.to_device.descriptor, cable.to_device.look)
        device.power_on()
        devices[number] = device
        challenge = rng.randbytes(16)
        port = cable.to_device.port
        told[number] = FleetTumbler(port, device.registered, challenge, device.possession(challenge))
        await asyncio.sleep(_BETWEEN_S)
    pipe.send(told)
    loop.add_reader(pipe.fileno(), stopped.set)
    await stopped.wait()
    if failures:
        pipe.send(f"a tumbler's firmware failed: {failures[0]!r}")
    else:
        pipe.send({number: device.records for number, device in devices.items()})


def _device(rng: Random, mode: str, cable: PtyCable, failures: list[BaseException]) -> SimulatedDevice:
    world = World(rng, covered=mode == "covered")
    world.calm = True
    return SimulatedDevice(rng, world, cable, failures.append)
