"""Work on several cores: results in order, errors told, and no process left behind, even by kill -9."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from host_tools.twin.workers import WorkerLost, in_order

PARENT = """
import sys
from host_tools.twin.workers import in_order
from tests.host_tools.twin.test_workers import tell_and_sleep
if __name__ == "__main__":
    for pid in in_order(tell_and_sleep, range(4), 2):
        print(pid, flush=True)
"""


def later_first(number: int) -> int:
    """Takes longer the earlier it is."""
    time.sleep(0.2 if number == 0 else 0)
    return number * number


def fail_at_three(number: int) -> int:
    """Refuses the number three."""
    if number == 3:
        raise ValueError("three is refused")
    return number


def die_at_one(number: int) -> int:
    """Ends its process at number one."""
    if number == 1:
        os._exit(9)
    return number


def tell_and_sleep(number: int) -> int:
    """The process id at once for the first number; then it is busy for long."""
    if number:
        time.sleep(60)
    return os.getpid()


def test_results_come_in_order_whatever_takes_longer() -> None:
    assert list(in_order(later_first, range(3, 9), 3)) == [n * n for n in range(3, 9)]
    assert list(in_order(later_first, range(0), 2)) == []


def test_what_a_worker_raises_is_raised_after_the_results_before_it() -> None:
    results = in_order(fail_at_three, range(5), 2)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="three is refused"):
        next(results)


def test_a_worker_that_is_ended_from_outside_is_told() -> None:
    with pytest.raises(WorkerLost):
        list(in_order(die_at_one, range(4), 1))


def test_no_worker_outlives_a_killed_parent() -> None:
    root = Path(__file__).parents[3]
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], cwd=root, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        parent.send_signal(signal.SIGKILL)
    until = time.monotonic() + 20
    while _runs(worker):
        assert time.monotonic() < until, "the worker still runs"
        time.sleep(0.1)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
