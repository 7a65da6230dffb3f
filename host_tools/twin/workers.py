"""Numbered work on several cores: results in order of number, and no worker outlives who started it."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any, TypeVar

T = TypeVar("T")

_LOOK_S = 0.5
# Each worker has a core for itself: the threads of numpy's linear algebra would only fight for it.
_ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")

_work: Callable[[int], Any]


class WorkerLost(Exception):
    """A worker process ended in the middle of its work, as when memory ran out."""

    def __init__(self) -> None:
        super().__init__("a worker process was ended from outside; run the same command again to go on")


def in_order(work: Callable[[int], T], numbers: range, jobs: int) -> Iterator[T]:
    """`work(number)` for each of the numbers in `jobs` processes; what it raises is raised here.

    `work` is pickled once for each process, so what it opens there serves all its numbers. Raises WorkerLost.
    """
    for name in _ONE_THREAD:
        os.environ.setdefault(name, "1")
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (work, os.getpid()))
    try:
        yield from pool.map(_do, numbers)
    except BrokenProcessPool as error:
        raise WorkerLost from error
    finally:
        pool.shutdown(cancel_futures=True)


def _begin(work: Callable[[int], Any], parent: int) -> None:
    global _work  # noqa: PLW0603 - it is the process's
    _work = work
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to hear
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK_S)
    os._exit(1)


def _do(number: int) -> Any:
    return _work(number)
