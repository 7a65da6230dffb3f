"""Group commit: a thread does the work that waits in one transaction, so no event loop waits for a disk.

While one transaction is being made durable, the work that arrives waits and then shares the next one. Nothing
is delayed on purpose: alone, a piece of work is committed at once.
"""

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from host_tools.ledger.errors import LedgerClosed
from host_tools.ledger.store import Store

MOST = 256  # pieces of work in one transaction

T = TypeVar("T")


class _Job:
    """A piece of work and the future of who waits for it."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self.work = work
        self.future: Future[Any] = Future()
        self.result: Any = None
        self.error: BaseException | None = None

    def tell(self, lost: BaseException | None = None) -> None:
        """Answer who waits: with the work's own error, or why its transaction was lost, or its result."""
        error = self.error or lost
        if error is not None:
            self.future.set_exception(error)
        else:
            self.future.set_result(self.result)


class Writer:
    """The one thread that writes for all tables of a store; it starts with the first work."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._guard = threading.Lock()
        self._closed = False

    def submit(self, work: Callable[[], T]) -> "Future[T]":
        """Have `work` done inside a transaction; the future is done when that is durable, or undone."""
        job = _Job(work)
        with self._guard:
            if self._closed:
                raise LedgerClosed("the ledger is closed")
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="ledger writer", daemon=True)
                self._thread.start()
            self._waiting.put(job)
        return job.future

    def close(self) -> None:
        """Finish what waits and end the thread; twice is harmless."""
        with self._guard:
            self._closed = True
            thread, self._thread = self._thread, None
            if thread is not None:
                self._waiting.put(None)
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while True:
            jobs, last = self._take()
            if jobs:
                self._commit_together(jobs)
            if last:
                return

    def _take(self) -> tuple[list[_Job], bool]:
        """Wait for work, then take all that waits; whether the end was reached."""
        jobs: list[_Job] = []
        job = self._waiting.get()
        while job is not None:
            if job.future.set_running_or_notify_cancel():
                jobs.append(job)
            if len(jobs) == MOST:
                break
            try:
                job = self._waiting.get_nowait()
            except queue.Empty:
                return jobs, False
        return jobs, job is None

    def _commit_together(self, jobs: list[_Job]) -> None:
        lost: BaseException | None = None
        try:
            with self._store.transaction():
                for job in jobs:
                    self._do(job, alone=len(jobs) == 1)
        except BaseException as error:
            lost = error
        for job in jobs:
            job.tell(lost)

    def _do(self, job: _Job, *, alone: bool) -> None:
        """Do one piece; its own error undoes it alone, unless the whole transaction is gone with it."""
        if alone:
            job.result = job.work()
            return
        try:
            with self._store.savepoint():
                job.result = job.work()
        except BaseException as error:
            if not self._store.in_transaction:
                raise
            job.error = error
