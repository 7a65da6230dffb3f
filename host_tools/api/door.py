"""The door of the service: how many connections are inside, and who makes way when it is full.

A connection is a file of the process, and the ledger and the boards need files too. Whoever has no whole
request yet, or has had its answer, makes way for who comes: longest there, first out. So a stranger who
holds connections for nothing holds them against other such strangers, and `/health` is answered.
"""

import asyncio
import logging
import socket
import ssl
import time
from collections.abc import Callable

HANDSHAKE_S = 10.0  # TLS's, from the first byte to the last
TOLD_EVERY_S = 60.0  # a full door is told of once in this time, however many knock
_RETRY_S = 0.1  # after the system refused a file
_BACKLOG = 512  # connections that the system keeps until they are let in

_log = logging.getLogger(__name__)


class Guest(socket.socket):
    """A connection that was let in; `end` ends it at once, whatever it is doing."""

    end: Callable[[], object]

    def __init__(self, accepted: socket.socket, gone: Callable[["Guest"], None]) -> None:
        super().__init__(accepted.family, accepted.type, accepted.proto, accepted.detach())
        self._gone = gone

    def close(self) -> None:
        """Give the file back, and tell so."""
        super().close()
        self._gone(self)


class Door(asyncio.AbstractServer):
    """Lets at most `most` connections in; `greet` makes the protocol of one. In the place of asyncio's."""

    def __init__(
        self,
        most: int,
        greet: Callable[["Door", Guest], asyncio.Protocol],
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.sockets: list[socket.socket] = []
        self._most = most
        self._greet = greet
        self._tls = tls
        self._inside: set[Guest] = set()
        self._waiting: dict[Guest, None] = {}  # in the order in which they began to wait
        self._changed = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._told_at: dict[str, float] = {}

    async def open(self, host: str, port: int) -> None:
        """Listen at every address of `host`. Raises OSError where that is not to be had."""
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, address in dict.fromkeys((each[0], each[4]) for each in found):
            listener = socket.create_server(address[:2], family=family, backlog=_BACKLOG)
            listener.setblocking(False)
            self.sockets.append(listener)
        for listener in self.sockets:
            self._begin(self._accept(listener))

    def close(self) -> None:
        """Let nobody in any more; those inside stay."""
        for task in self._tasks:
            task.cancel()

    async def wait_closed(self) -> None:
        """See asyncio.AbstractServer."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def waits(self, guest: Guest) -> None:
        """The guest has nothing to be served with: from the first time on it makes way for others."""
        if guest in self._inside:
            self._waiting.setdefault(guest)
            self._changed.set()

    def is_served(self, guest: Guest) -> None:
        """The guest has asked for something: it stays until it has the answer."""
        self._waiting.pop(guest, None)

    # --- inside ---

    def _begin(self, work) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _accept(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        with listener:
            while True:
                await self._have_room()
                try:
                    accepted, _ = await loop.sock_accept(listener)
                except OSError as error:
                    self._tell(f"cannot let a connection in: {error}; those that wait for nothing make way")
                    self._end_longest()
                    await asyncio.sleep(_RETRY_S)
                    continue
                guest = Guest(accepted, self._is_gone)
                self._inside.add(guest)
                self.waits(guest)
                guest.end = self._begin(self._let_in(guest)).cancel
                await asyncio.sleep(0)  # the others' turn, however many knock

    async def _have_room(self) -> None:
        while len(self._inside) >= self._most:
            self._tell(f"{self._most} connections are open; those that wait for nothing make way")
            self._end_longest()
            self._changed.clear()
            await self._changed.wait()

    async def _let_in(self, guest: Guest) -> None:
        try:
            transport, _ = await asyncio.get_running_loop().connect_accepted_socket(
                lambda: self._greet(self, guest),
                guest,
                ssl=self._tls,
                ssl_handshake_timeout=HANDSHAKE_S if self._tls else None,
            )
            guest.end = transport.abort
        except OSError:  # it went away, or does not speak TLS
            guest.close()
        except asyncio.CancelledError:
            guest.close()
            raise

    def _end_longest(self) -> None:
        for guest in self._waiting:
            self.is_served(guest)
            guest.end()
            return

    def _is_gone(self, guest: Guest) -> None:
        self._inside.discard(guest)
        self._waiting.pop(guest, None)
        self._changed.set()

    def _tell(self, message: str) -> None:
        now = time.monotonic()
        if now - self._told_at.get(message, -TOLD_EVERY_S) >= TOLD_EVERY_S:
            self._told_at[message] = now
            _log.warning(message)
