"""A Blinka board of a tester: the firmware in a thread of this process, its pins moved by a plant.

It serves a scenario's player as a virtual board does. Power is cut while the firmware is idle, which is when
board time passes: it is dropped there, and power-on starts it anew over the same storage folder.
"""

import asyncio
import hashlib
import importlib
import importlib.util
import json
import os
import secrets
import threading
import traceback
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self

from host_tools.pins.desk import PinDesk, PowerCut
from host_tools.pins.hands import Hands
from host_tools.pins.wires import install
from host_tools.virtual_board.board import FRAMES, BoardError, Identity, check_proof, read_identity
from host_tools.virtual_board.build import FIRMWARE, ROOT
from host_tools.virtual_board.dice import RecordedScenes
from host_tools.virtual_board.line import Pace, UartTerminal
from host_tools.virtual_board.plant import Plant
from host_tools.virtual_board.scenario import Round, Scenario
from tumbler import config

STORAGE = "volume"


class BlinkaBoard:
    """One board, an async context manager; it comes without power.

    `speed` is board time by real time at most, None for as fast as it goes; it may be changed at any time.
    """

    board_json: ClassVar[Path] = ROOT / "boards" / "blinka" / "board.json"

    def __init__(
        self,
        directory: Path,
        scenario: Scenario,
        *,
        speed: float | None = 1.0,
        seed: str | None = None,
    ) -> None:
        """`directory` was made by `create`.

        Raises ScenarioError, BoardError, BlinkaUnusable.
        """
        install()
        self.identity = read_identity(directory)
        self.settings = config.load(os.fspath(directory / "board.json"))
        self.plant = Plant(scenario, RecordedScenes(scenario, FRAMES / scenario.frames))
        self.hands = Hands(self.plant, json.loads(self.settings.raw))
        self.speed = speed
        self.console = ""  # what went wrong in the firmware, as it would print it
        self._storage = (directory / STORAGE).resolve()
        self._seed = seed
        self._starts = 0
        self._thread: threading.Thread | None = None
        self._cutting = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._power = asyncio.Lock()
        self._pace = Pace()

    # --- making one

    @classmethod
    async def create(
        cls, directory: Path, *, seed: str | None = None, profile: str = "white_black_320.json"
    ) -> Identity:
        """Make a board in `directory`: a storage folder with keys, board.json and identity.json.

        `profile` is the reader's, a file of firmware/profiles. With `seed` the keys follow from it: for
        demonstrations and tests only. Raises BoardError when there is one already.
        """
        configuration = json.loads(cls.board_json.read_text()) | {"profile": profile}
        host_entropy = (
            hashlib.sha512(b"VIRTUAL ONLY " + seed.encode()).digest() if seed else secrets.token_bytes(64)
        )
        told = provision_folder(directory, _entropy(seed), host_entropy)
        (directory / "board.json").write_text(json.dumps(configuration, indent=2) + "\n")
        (directory / "identity.json").write_text(json.dumps(told, indent=2) + "\n")
        return read_identity(directory)

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._uart = UartTerminal()
        self.uart_path = self._uart.path
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._stop()
        self._uart.close()

    @cached_property
    def picture_size(self) -> tuple[int, int]:
        """Width and height of the pictures that the reader's profile is for."""
        profile = json.loads((FIRMWARE / "profiles" / self.settings.profile).read_text())
        return profile["width"], profile["height"]

    # --- power

    @property
    def powered(self) -> bool:
        """True while the board has power."""
        return self._thread is not None

    async def power_on(self) -> None:
        """Give the board power: the firmware starts. Nothing happens when it has power."""
        async with self._power:
            if self._thread is None:
                self._start()

    async def power_cut(self) -> None:
        """Cut the power the next time the firmware is idle; the storage folder keeps what was written."""
        async with self._power:
            await self._stop()

    def _start(self) -> None:
        self._uart.empty()
        self._cutting = False
        self._starts += 1
        seed = f"{self._seed} {self._starts}" if self._seed else None
        self.hands.power_on()
        self._desk = PinDesk(
            self.hands, self._uart.end, self._storage, _entropy(seed), self._hand_over, self._restart
        )
        self._thread = threading.Thread(target=self._run_firmware, args=(self._desk,), daemon=True)
        self._thread.start()

    async def _stop(self) -> None:
        if self._thread is None:
            return
        self._cutting = True
        while self._thread.is_alive():  # noqa: ASYNC110 - it asks for its turn meanwhile, and is told
            await asyncio.sleep(0.001)
        self._thread = None
        self._desk.clear()
        self.hands.power_off()

    async def _cycle_power(self, off_ms: int) -> None:
        await self.power_cut()
        await asyncio.sleep(off_ms / 1000 / self.speed if self.speed else 0)
        await self.power_on()

    # --- the player of the scenario

    def next_round(self) -> Round:
        """Begin the scenario's next round, the first one at the first call: dice lie as it says."""
        return self.plant.next_round()

    def cue(self, name: str) -> None:
        """Tell the plant what it cannot see: one of scenario.CUES."""
        self.plant.cue(name)

    async def happens(self, name: str) -> None:
        """Wait for the next time that `name` (a trigger of scenarios) happens."""
        seen = len(self.plant.log)
        while not any(what == name for _, what in self.plant.log[seen:]):  # noqa: ASYNC110
            await asyncio.sleep(0.002)

    # --- in the firmware's thread

    def _run_firmware(self, desk: PinDesk) -> None:
        from tumbler import start  # noqa: PLC0415 - only once Blinka serves wires
        from tumbler.hal import blinka  # noqa: PLC0415

        try:
            start.boot(blinka.Board(self.settings.hal, desk), self.settings)
        except PowerCut:
            pass
        except BaseException:
            self.console += traceback.format_exc()

    def _hand_over(self) -> bytes | None:
        answer = asyncio.run_coroutine_threadsafe(self._serve(), self._loop).result()
        if self._cutting:
            raise PowerCut
        return answer

    def _restart(self) -> None:
        if error := traceback.format_exc():
            self.console += error
        self._cutting = True
        self._loop.call_soon_threadsafe(self._spawn_cycle, 0)
        raise PowerCut

    # --- in the plant's

    async def _serve(self) -> bytes | None:
        await self._pace.step(self.speed)
        if self._cutting:
            return None
        answer = self.hands.turn()
        if self.plant.power_off_ms is not None:
            self._cutting = True
            self._spawn_cycle(self.plant.power_off_ms)
        return answer

    def _spawn_cycle(self, off_ms: int) -> None:
        task = asyncio.create_task(self._cycle_power(off_ms))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def provision_folder(directory: Path, entropy: Callable[[int], bytes], host_entropy: bytes) -> dict[str, str]:
    """Make an empty storage folder in `directory` and keys in it; returns what the device tells of itself.

    Raises BoardError when there is one already.
    """
    storage = directory / STORAGE
    if storage.exists():
        raise BoardError(f"{directory}: there is a board already")
    storage.mkdir(parents=True)
    challenge = secrets.token_bytes(32)
    told = _provisioning().provision(os.fspath(storage), challenge, host_entropy, entropy)
    check_proof(told, challenge)
    del told["proof"]
    return told


def _provisioning() -> Any:
    """The firmware's module provision.py, which is no part of its package."""
    spec = importlib.util.spec_from_file_location("provision", FIRMWARE / "provision.py")
    if spec is None or spec.loader is None:
        raise BoardError(f"{FIRMWARE}/provision.py is missing: get the project anew")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _entropy(seed: str | None) -> Callable[[int], bytes]:
    """The operating system's generator; VIRTUAL ONLY: with a seed all bytes follow from it."""
    if not seed:
        return os.urandom
    drawn = 0

    def draw(count: int) -> bytes:
        nonlocal drawn
        taken = b""
        while len(taken) < count:
            drawn += 1
            taken += hashlib.sha256(f"VIRTUAL ONLY {seed} {drawn}".encode()).digest()
        return taken[:count]

    return draw
