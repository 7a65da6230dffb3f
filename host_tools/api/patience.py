"""How long a connection is waited for: to ask in whole, to take its answer, to go when it was told to.

uvicorn limits how long a connection is idle between two requests, and nothing else: half a request, and an
answer that nobody takes, would stay for ever.
"""

import asyncio
import functools
from collections.abc import Callable

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from host_tools.api.door import Door, Guest
from host_tools.api.refusals import refusal

IDLE_S = 30.0  # before the first byte of a request, and between two requests
REQUEST_S = 20.0  # from a request's first byte to the last of its body
TAKE_S = 30.0  # to take what was written


class PatientHttp(H11Protocol):
    """HTTP for one guest of the door: one whose request takes too long is told so (408) and sent away."""

    def __init__(self, door: Door, guest: Guest, **uvicorn) -> None:
        super().__init__(**uvicorn)
        self._door = door
        self._guest = guest
        self._limits = _Limits(self.loop)
        self.ws_protocol_class = functools.partial(PatientSocket, door, guest)  # type: ignore[assignment]

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """See asyncio.Protocol."""
        super().connection_made(transport)
        self.timeout_keep_alive_task = self.loop.call_later(IDLE_S, self.timeout_keep_alive_handler)

    def connection_lost(self, exc: Exception | None) -> None:
        """See asyncio.Protocol."""
        self._limits.stop()
        super().connection_lost(exc)
        self._unset_keepalive_if_required()

    def data_received(self, data: bytes) -> None:
        """See asyncio.Protocol."""
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """See uvicorn."""
        super().on_response_complete()
        self._look()

    def timeout_keep_alive_handler(self) -> None:
        """See uvicorn."""
        super().timeout_keep_alive_handler()
        self._look()

    def pause_writing(self) -> None:
        """See asyncio.Protocol."""
        super().pause_writing()
        self._limits.set("take", TAKE_S, self._guest.end)

    def resume_writing(self) -> None:
        """See asyncio.Protocol."""
        self._limits.stop("take")
        super().resume_writing()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """See uvicorn."""
        self._limits.stop()
        self._door.is_served(self._guest)
        super().handle_websocket_upgrade(event)

    # --- inside ---

    def _look(self) -> None:
        """After each step: what is this connection waited for?"""
        if self.transport.get_protocol() is not self:
            return  # it has become a WebSocket
        if self.transport.is_closing():
            self._limits.stop("request")
            self._limits.set("take", TAKE_S, self._guest.end)
            self._door.waits(self._guest)
        elif self._is_asking():
            self._limits.set("request", REQUEST_S, self._send_away)
            self._door.waits(self._guest)
        else:
            self._limits.stop("request")
            answered = self.cycle is None or self.cycle.response_complete
            (self._door.waits if answered else self._door.is_served)(self._guest)

    def _is_asking(self) -> bool:
        """Whether a part of a request has come, and not yet the whole."""
        their = self.conn.their_state
        return their is h11.SEND_BODY or (their is h11.IDLE and bool(self.conn.trailing_data[0]))

    def _send_away(self) -> None:
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._write_late()
        if self.cycle is not None:  # the app gets no half of a request, and nobody its answer
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.close()
        self._look()

    def _write_late(self) -> None:
        late = refusal(408, "too-slow", f"a request must be here within {REQUEST_S:.0f} s; ask again")
        headers = [*late.raw_headers, (b"connection", b"close")]
        for event in (
            h11.Response(status_code=408, headers=headers, reason=b"Request Timeout"),
            h11.Data(data=bytes(late.body)),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")


class PatientSocket(WebSocketsSansIOProtocol):
    """A WebSocket of one guest of the door: told to go, it goes, whether it answers or not."""

    def __init__(self, door: Door, guest: Guest, **uvicorn) -> None:
        super().__init__(**uvicorn)
        self._door = door
        self._guest = guest
        self._limits = _Limits(self.loop)

    def connection_lost(self, exc: Exception | None) -> None:
        """See asyncio.Protocol."""
        self._limits.stop()
        super().connection_lost(exc)

    def handle_connect(self, event) -> None:
        """See uvicorn."""
        super().handle_connect(event)
        if self.close_sent:
            self._part()

    def on_task_complete(self, task: asyncio.Task[None]) -> None:
        """See uvicorn."""
        super().on_task_complete(task)
        self._part()

    def _part(self) -> None:
        self._limits.set("go", self.close_timeout + 1.0, self._guest.end)
        self._door.waits(self._guest)


class _Limits:
    """Limits of time by name: one that runs is not begun again."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._running: dict[str, asyncio.TimerHandle] = {}

    def set(self, name: str, seconds: float, at_end: Callable[[], object]) -> None:
        """Begin one, unless it runs."""
        if name not in self._running:
            self._running[name] = self._loop.call_later(seconds, at_end)

    def stop(self, *names: str) -> None:
        """End these, or all."""
        for name in names or tuple(self._running):
            running = self._running.pop(name, None)
            if running is not None:
                running.cancel()
