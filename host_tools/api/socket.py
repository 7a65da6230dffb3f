"""The stream of events over WebSocket; a client that reads too slowly is cut off and told why."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import asdict

from fastapi import APIRouter, WebSocket, WebSocketDisconnect

from host_tools.api.bodies import NUMBER_LIMIT
from host_tools.api.guard import COOKIE, guard_of, require_same_site, service_of
from host_tools.api.refusals import Limited
from host_tools.link.tasks import together
from host_tools.people import NotAllowed, NotSignedIn, Person
from host_tools.service.errors import NumberAhead, SlowReader, StreamEnded, TableUnknown
from host_tools.service.playing import Playing
from host_tools.service.views import EventView

SEND_S = 10.0  # how long a client may take to take an event
CHECK_S = 15.0  # how often it is asked whether the session still lasts
MOST_SOCKETS = 2000  # where the process may have as many connections as that takes

# Close codes: those of RFC 6455 7.4.1, and HTTP's with 4000 added.
NOT_SIGNED_IN = 4401
_CODES: dict[type[Exception], int] = {
    NotSignedIn: NOT_SIGNED_IN,
    NotAllowed: 4403,
    TableUnknown: 4404,
    NumberAhead: 4416,
    ValueError: 4422,
    Limited: 4429,
}
_MOST_REASON = 123  # bytes of a reason, RFC 6455 5.5
GOING_AWAY, TRY_AGAIN = 1001, 1013

router = APIRouter()


@router.websocket("/events")
async def follow_events(socket: WebSocket) -> None:
    """The durable events above number `after` (none: from now on) and all hints, of one `table` or all."""
    await socket.accept()
    open_sockets: set[WebSocket] = socket.app.state.sockets
    if len(open_sockets) >= socket.app.state.most_sockets:
        await socket.close(TRY_AGAIN, f"{len(open_sockets)} sockets are open; come back later")
        return
    open_sockets.add(socket)
    try:
        code, reason = await _serve(socket)
    finally:
        open_sockets.discard(socket)
    with contextlib.suppress(RuntimeError, WebSocketDisconnect, TimeoutError):
        async with asyncio.timeout(SEND_S):  # one that reads nothing takes no farewell either
            await socket.close(code, reason)


async def _serve(socket: WebSocket) -> tuple[int, str]:
    """Serve until there is a reason to close."""
    try:
        require_same_site(socket)
        person, _ = guard_of(socket).person(socket)
        events = Playing(service_of(socket), person).follow(*_asked(socket))
    except tuple(_CODES) as error:
        code = next(code for kind, code in _CODES.items() if isinstance(error, kind))
        return code, str(error).encode()[:_MOST_REASON].decode(errors="ignore")
    return await together(_send(socket, events), _listen(socket), _watch_session(socket, person))


async def _send(socket: WebSocket, events: AsyncIterator[EventView]) -> tuple[int, str]:
    try:
        async for event in events:
            async with asyncio.timeout(SEND_S):
                await socket.send_json(asdict(event))
    except SlowReader as error:
        return TRY_AGAIN, str(error)
    except StreamEnded as error:
        return GOING_AWAY, str(error)
    except TimeoutError:
        return TRY_AGAIN, "too slow: nothing was taken for too long; follow again after your last number"
    except (WebSocketDisconnect, RuntimeError):
        return GOING_AWAY, ""
    return GOING_AWAY, ""


async def _listen(socket: WebSocket) -> tuple[int, str]:
    """Clients have nothing to say here; what they say is dropped, that they go is noticed."""
    while True:
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return GOING_AWAY, ""


async def _watch_session(socket: WebSocket, person: Person) -> tuple[int, str]:
    """A stream ends with its session or its account."""
    service = service_of(socket)
    while True:
        await asyncio.sleep(CHECK_S)
        account = service.accounts.find(person.name)
        if account is None or account.closed:
            return NOT_SIGNED_IN, "the account was closed"
        if not person.program and not service.sessions.lasts(socket.cookies.get(COOKIE, "")):
            return NOT_SIGNED_IN, "the session has ended; sign in again"


def _asked(socket: WebSocket) -> tuple[int | None, str | None]:
    text, table = socket.query_params.get("after"), socket.query_params.get("table")
    if text is None:
        return None, table
    if not text.isascii() or not text.isdigit() or len(text) > 16 or int(text) > NUMBER_LIMIT:
        raise ValueError("after must be the number of an event")
    return int(text), table
