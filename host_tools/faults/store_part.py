"""Part `store`: the store fails under a real bridge: full, read-only, restarted, or wanted by others."""

import contextlib
import os
import shutil
import signal
import subprocess
import time
import traceback
from collections.abc import Callable, Iterator
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random
from typing import Any

from host_tools.faults.device import PromiseBroken
from host_tools.faults.live import IN_USE, UNAVAILABLE, UNUSABLE, Sitting
from host_tools.testing.postgres_server import PostgresServer

FULL = 40  # times that each fault happens
_DISK = 16 << 20
_REFUSAL_S = 60.0
_LEASE_S = 10.0  # longer than a busy machine keeps a bridge waiting


def run(seed: int, size: int, out: Path, scratch: Path) -> dict[str, Any]:
    """Each fault `size` times, on a table of its own. What needs root's rights is left out without them."""
    del out
    figures: dict[str, Any] = {"part": "store", "times": size, "left_out": [], "broken": []}
    for number, (name, fault) in enumerate(_FAULTS.items()):
        if name in _ROOTS and os.geteuid() != 0:
            figures["left_out"].append(name)
            continue
        try:
            figures[name] = fault(f"{seed}/{name}", ("covered", "open")[number % 2], size, scratch / name)
        except Exception as error:  # whatever it is, it is this fault's result
            why = {"fault": name, "seed": seed, "why": repr(error), "trace": traceback.format_exc()}
            figures["broken"].append(why)
    return figures


def _second_bridge(
    seed: str, mode: str, times: int, folder: Path, where: str | None = None
) -> dict[str, Any]:
    """Somebody starts another bridge of the table by mistake: it refuses, and the first one plays on."""
    with Sitting(folder, where or str(folder / "ledger.db"), mode, seed, _LEASE_S) as sitting:
        first = sitting.start()
        for _ in range(times):
            second = sitting.start_blindly()
            second.join(_REFUSAL_S)
            if second.exitcode != IN_USE:
                raise PromiseBroken(f"the second bridge was not refused: {sitting.why(second)}")
        sitting.kill(first)
    return sitting.figures


def _second_bridge_postgresql(seed: str, mode: str, times: int, folder: Path) -> dict[str, Any]:
    with PostgresServer() as server:
        return _second_bridge(seed, mode, times, folder, server.new_database())


def _database_restarted(seed: str, mode: str, times: int, folder: Path) -> dict[str, Any]:
    """The server is shut down or crashes, at any moment, and comes back a little later."""
    rng = Random(seed)
    with PostgresServer() as server, Sitting(folder, server.new_database(), mode, seed) as sitting:
        bridge = sitting.start()
        for _ in range(times):
            time.sleep(rng.uniform(0.2, 1.5))
            server.stop(rng.choice((signal.SIGINT, signal.SIGQUIT)))
            time.sleep(rng.uniform(0, 1.5))
            server.start()
            bridge = _alive(sitting, bridge)
        sitting.kill(bridge)
    return sitting.figures


def _disk_full(seed: str, mode: str, times: int, folder: Path) -> dict[str, Any]:
    """The disk is full for a while, to the last few pages."""
    rng = Random(seed)
    with _disk(folder / "disk") as disk, Sitting(folder, str(disk / "ledger.db"), mode, seed) as sitting:
        bridge = sitting.start()
        for _ in range(times):
            time.sleep(rng.uniform(0.2, 1.5))
            _fill(disk / "ballast", rng.randrange(8))
            time.sleep(rng.uniform(0.1, 1.5))
            (disk / "ballast").unlink()
            bridge = _alive(sitting, bridge)
        sitting.kill(bridge)
    return sitting.figures


def _read_only(seed: str, mode: str, times: int, folder: Path) -> dict[str, Any]:
    """The disk is read-only when the bridge is started again: it refuses, and plays once it may write."""
    with _disk(folder / "disk") as disk, Sitting(folder, str(disk / "ledger.db"), mode, seed) as sitting:
        for _ in range(times):
            bridge = sitting.start()
            time.sleep(1)
            sitting.kill(bridge)
            _mount("-o", "remount,ro", str(disk))
            refused = sitting.start_blindly()
            refused.join(_REFUSAL_S)
            _mount("-o", "remount,rw", str(disk))
            if refused.exitcode != UNUSABLE:
                raise PromiseBroken(f"a read-only store was not refused: {sitting.why(refused)}")
    return sitting.figures


_FAULTS: dict[str, Callable[[str, str, int, Path], dict[str, Any]]] = {
    "second-bridge-sqlite": _second_bridge,
    "second-bridge-postgresql": _second_bridge_postgresql,
    "database-restarted": _database_restarted,
    "disk-full": _disk_full,
    "read-only": _read_only,
}
_ROOTS = ("disk-full", "read-only")


def _alive(sitting: Sitting, bridge: BaseProcess) -> BaseProcess:
    """The bridge, or the next one when it has ended because its store was gone."""
    if bridge.exitcode is None:
        return bridge
    if bridge.exitcode != UNAVAILABLE:
        raise PromiseBroken(f"the bridge has ended: {sitting.why(bridge)}")
    return sitting.start()


@contextlib.contextmanager
def _disk(folder: Path) -> Iterator[Path]:
    """A small file system of its own."""
    folder.mkdir(parents=True)
    _mount("-t", "tmpfs", "-o", f"size={_DISK}", "tmpfs", str(folder))
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def _mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True)


def _fill(ballast: Path, pages: int) -> None:
    """Take all room but so many pages, although the bridge takes some meanwhile."""
    with ballast.open("wb") as file:
        while (room := shutil.disk_usage(ballast.parent).free - pages * 4096) > 0:
            with contextlib.suppress(OSError):
                os.posix_fallocate(file.fileno(), os.fstat(file.fileno()).st_size, room)
