"""A virtual board: its folder with the flash image, the MicroPython process, UART, REPL, power and time.

UART: the process has the controlling end of a pseudo-terminal, hosts open `uart_path`, which stays the same
over power cycles. While nobody has it open, what the board sends is lost, as on a wire that leads nowhere; a
host that closes it may cut short what it has just sent.
"""

import asyncio
import contextlib
import fcntl
import hashlib
import json
import os
import secrets
import shutil
import signal
import socket
import termios
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from host_tools.records import possession_message
from host_tools.records.keys import is_signed
from host_tools.virtual_board.build import INTERPRETER, ROOT, build
from host_tools.virtual_board.dice import Dice, RecordedScenes
from host_tools.virtual_board.line import Pace, UartTerminal
from host_tools.virtual_board.plant import Plant
from host_tools.virtual_board.repl import SOFT_REBOOT, Repl
from host_tools.virtual_board.scenario import Round, Scenario

# Less than a board with PSRAM has: room for a scene's frames as evidence (307 KB at 320x240) beside the
# reader's buffers and what rounds need. In 560k a board without that room plays, and keeps no evidence.
HEAP = "1400k"
FLASH_BYTES = 352 * 4096  # the file system of a Pico
FRAMES = ROOT / "tests" / "frames"
BOARD_JSON = ROOT / "boards" / "virtual" / "board.json"
DEVICE = Path(__file__).with_name("device")
OWN_PROFILE = "profile"  # folder of a reader's profile that is none of the firmware's


class BoardError(Exception):
    """The virtual board cannot do that; the message says why."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What a board told when it was provisioned: device id (8 bytes), public key (32) and host key (32)."""

    device: bytes
    public_key: bytes
    host_key: bytes


class VirtualBoard:
    """One virtual board, an async context manager; it comes without power.

    `speed` is board time by real time at most, None for as fast as it goes; it may be changed at any time.
    Time passes only while the firmware is idle, so a slow machine slows the board and never makes it late.
    """

    def __init__(  # noqa: PLR0913  (what a board is made of)
        self,
        directory: Path,
        scenario: Scenario,
        *,
        dice: Dice | None = None,
        speed: float | None = 1.0,
        seed: str | None = None,
        application: Path | None = None,
        flashed: bool = False,
        heap: str = HEAP,
    ) -> None:
        """`directory` was made by `create`; `dice` take the place of the scenario's recorded scenes.
        `application` (a .py file) runs in place of the firmware's main.py. A `flashed` board, whose
        `directory` may also be made by `create_blank`, boots what is on its volume, as a real one. `heap`:
        its size, as 560k. Raises ScenarioError, BoardError."""
        if not flashed:
            read_identity(directory)
        self.plant = Plant(scenario, dice or RecordedScenes(scenario, FRAMES / scenario.frames))
        self.speed = speed
        self._directory = directory.resolve()
        self._seed = seed
        self._flashed = flashed
        self._heap = heap
        self._firmware = build(application, _own_profile(directory))
        self._process: asyncio.subprocess.Process | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._power = asyncio.Lock()
        self._failure: BaseException | None = None
        self._pace = Pace()
        self._waits_since: float | None = None  # for the firmware to say something; None: it is our turn

    # --- making one

    @staticmethod
    async def create(
        directory: Path, *, seed: str | None = None, profile: str | Path = "white_black_320.json"
    ) -> Identity:
        """Make a board in `directory`: a formatted flash image with keys, and identity.json.

        `profile` is the reader's, a name in firmware/profiles or a file elsewhere. With `seed` the keys
        follow from it: for demonstrations and tests only. Raises BoardError when it fails or there is a
        board.
        """
        image = _blank_image(directory)
        if isinstance(profile, Path):
            (directory / OWN_PROFILE).mkdir()
            shutil.copy(profile, directory / OWN_PROFILE)
            profile = profile.name
        configuration = json.loads(BOARD_JSON.read_text()) | {"profile": profile}
        (directory / "board.json").write_text(json.dumps(configuration, indent=2) + "\n")
        challenge = secrets.token_bytes(32)
        host_entropy = (
            hashlib.sha512(b"VIRTUAL ONLY " + seed.encode()).digest() if seed else secrets.token_bytes(64)
        )
        environment = {
            "TUMBLER_CONFIGURATION": os.fspath(directory / "board.json"),
            "TUMBLER_CHALLENGE": challenge.hex(),
            "TUMBLER_HOST_ENTROPY": host_entropy.hex(),
            "TUMBLER_SEED": seed or "",
        }
        try:
            told = json.loads(await _run_format(directory, environment))
            check_proof(told, challenge)
        except BaseException:
            image.unlink()
            raise
        del told["proof"]
        (directory / "identity.json").write_text(json.dumps(told, indent=2) + "\n")
        return read_identity(directory)

    @staticmethod
    async def create_blank(directory: Path) -> None:
        """Make a board in `directory` with an empty volume, as a new one with MicroPython on it."""
        image = _blank_image(directory)
        try:
            await _run_format(directory, {})
        except BaseException:
            image.unlink()
            raise

    async def __aenter__(self) -> Self:
        self._repl = Repl()
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
        self._repl.close()
        self._uart.close()
        if self._failure is not None and error is None:
            raise self._failure

    # --- what users of a board see

    @property
    def identity(self) -> Identity:
        """What the board told when it was made. Raises BoardError for one that was made blank."""
        return read_identity(self._directory)

    @property
    def repl_path(self) -> str:
        """Terminal of the REPL: `mpremote connect PATH ...` works on it."""
        return self._repl.path

    @property
    def console(self) -> str:
        """What the board has printed lately."""
        return self._repl.output.decode(errors="replace")

    @property
    def repl(self) -> Repl:
        """The REPL's terminal."""
        return self._repl

    @property
    def pid(self) -> int | None:
        """Process id of the firmware, which leads its own process group; None without power."""
        return self._process.pid if self._process else None

    @property
    def powered(self) -> bool:
        """True while the board has power."""
        return self._process is not None

    async def power_on(self) -> None:
        """Give the board power: the firmware starts. Nothing happens when it has power."""
        async with self._power:
            if self._process is None:
                await self._start("application")

    async def power_cut(self) -> None:
        """Cut the power at once; the flash image keeps what was written."""
        async with self._power:
            await self._stop()

    # --- the player of the scenario

    def next_round(self) -> Round:
        """Begin the scenario's next round, the first one at the first call: dice lie as it says."""
        return self.plant.next_round()

    def cue(self, name: str) -> None:
        """Tell the plant what it cannot see: one of scenario.CUES."""
        self.plant.cue(name)

    async def happens(self, name: str) -> None:
        """Wait for the next time that `name` (a trigger of scenarios) happens; raises what made it fail."""
        seen = len(self.plant.log)
        while not any(what == name for _, what in self.plant.log[seen:]):
            if self._failure is not None:
                raise self._failure
            await asyncio.sleep(0.002)

    # --- power and process

    async def _start(self, start: str, raw: bool = False) -> None:
        self._uart.empty()
        terminal = self._repl.attach(raw)
        plant_end, board_end = socket.socketpair()
        files = (self._uart.end, board_end.fileno())
        environment = _environment(self._directory, self._firmware) | {
            "TUMBLER_UART": str(self._uart.end),
            "TUMBLER_PLANT": str(board_end.fileno()),
            "TUMBLER_START": start,
            "TUMBLER_FLASHED": "1" if self._flashed else "",
            # Another one at each start: a seeded board must not repeat its session ids.
            "TUMBLER_SEED": f"{self._seed} {_count_start(self._directory)}" if self._seed else "",
        }
        try:
            process = await asyncio.create_subprocess_exec(
                *_command("boot.py", self._heap, "-i"),
                stdin=terminal,
                stdout=terminal,
                stderr=terminal,
                env=environment,
                pass_fds=files,
                start_new_session=True,
                preexec_fn=_take_terminal,  # one system call: safe between fork and exec
            )
        finally:
            os.close(terminal)
            board_end.close()
        self._process = process
        self.plant.power_on()
        self._spawn(self._serve_plant(process, plant_end))
        self._spawn(self._watch(process))

    async def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        self.plant.power_off()
        with contextlib.suppress(ProcessLookupError):  # it has just ended by itself
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
        self._repl.detach()

    def _spawn(self, work) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self._failure = self._failure or task.exception()

    async def _watch(self, process: asyncio.subprocess.Process) -> None:
        """A process that ends by itself was soft-reset from its REPL or interrupted; the board is back."""
        code = await process.wait()
        async with self._power:
            if self._process is not process:
                return
            raw = self._repl.raw
            await self._stop()
            if code == -signal.SIGINT:
                # The port dies of a Ctrl-C between a program and the prompt; on a board the prompt comes.
                await self._start("repl", raw)
            elif code < 0:
                raise BoardError(f"MicroPython died of {signal.Signals(-code).name}:\n{self.console[-2000:]}")
            else:
                self._repl.say(SOFT_REBOOT)
                await self._start("repl" if raw else "application", raw)

    async def _cycle_power(self, off_ms: int) -> None:
        await self.power_cut()
        await asyncio.sleep(off_ms / 1000 / self.speed if self.speed else 0)
        await self.power_on()

    async def _guard(self, process: asyncio.subprocess.Process, silence_s: float) -> None:
        """The watchdog of a board whose program hangs, so that its time stands still."""
        while self._process is process:
            await asyncio.sleep(1)
            waits = self._waits_since
            if waits is not None and asyncio.get_running_loop().time() - waits > silence_s:
                self._spawn(self._cycle_power(0))
                return

    # --- time

    async def _serve_plant(self, process: asyncio.subprocess.Process, end: socket.socket) -> None:
        reader, writer = await asyncio.open_connection(sock=end)
        try:
            while self._process is process:
                self._waits_since = asyncio.get_running_loop().time()
                line = await reader.readline()
                self._waits_since = None
                if not line.endswith(b"\n"):
                    return
                message = json.loads(line)
                if "watchdog" in message:
                    self._spawn(self._guard(process, message["watchdog"] / 1000))
                    continue
                if "restart" in message:
                    self._spawn(self._cycle_power(0))
                    return
                if self.plant.receive(message):
                    await self._pace.step(self.speed)
                    answer = self.plant.answer()
                    if not answer:
                        self._spawn(self._cycle_power(self.plant.power_off_ms or 0))
                        return
                    writer.write(answer)
                    await writer.drain()
        except ConnectionError:
            pass  # the process has ended
        finally:
            writer.close()


def _take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _command(script: str, heap: str, *options: str) -> list[str]:
    return [os.fspath(INTERPRETER), "-X", f"heapsize={heap}", *options, os.fspath(DEVICE / script)]


def _environment(directory: Path, firmware: Path) -> dict[str, str]:
    image = os.fspath(directory.resolve() / "flash.img")
    return {"TUMBLER_FLASH": image, "TUMBLER_FIRMWARE": os.fspath(firmware), "HOME": os.fspath(directory)}


def _count_start(directory: Path) -> int:
    counter = directory / "starts"
    count = int(counter.read_text()) + 1 if counter.exists() else 1
    counter.write_text(str(count))
    return count


def _blank_image(directory: Path) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    image = directory / "flash.img"
    if image.exists():
        raise BoardError(f"{directory}: there is a board already")
    image.write_bytes(b"\xff" * FLASH_BYTES)
    return image


def _own_profile(directory: Path) -> Path | None:
    return next((directory / OWN_PROFILE).glob("*.json"), None)


async def _run_format(directory: Path, environment: dict[str, str]) -> bytes:
    process = await asyncio.create_subprocess_exec(
        *_command("format.py", HEAP),
        env=_environment(directory, build()) | environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        output, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    if process.returncode:
        raise BoardError(f"formatting failed:\n{output.decode(errors='replace')}")
    return output


def check_proof(told: dict[str, str], challenge: bytes) -> None:
    """A board that was provisioned has the private key of what it told. Raises BoardError."""
    device, public_key, proof = (bytes.fromhex(told[name]) for name in ("device", "public_key", "proof"))
    if not is_signed(public_key, proof, possession_message(device, challenge)):
        raise BoardError("the board did not prove that it has its private key")


def read_identity(directory: Path) -> Identity:
    """What the board in `directory` told when it was provisioned. Raises BoardError."""
    try:
        told = json.loads((directory / "identity.json").read_text())
        return Identity(**{name: bytes.fromhex(told[name]) for name in ("device", "public_key", "host_key")})
    except (OSError, ValueError, KeyError) as error:
        raise BoardError(f"{directory}: no provisioned board here: {error}") from error
