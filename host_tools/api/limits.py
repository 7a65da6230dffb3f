"""Bounds against rude clients: how often, how much, and what a browser may do with an answer."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from host_tools.api.refusals import Limited, refusal
from host_tools.console import CONTENT_SECURITY_POLICY

MOST_BYTES = 1_048_576  # of a request's body
BURST_S = 2.0  # so many seconds of requests may come at once
_MOST_REMEMBERED = 10_000

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

SECURITY_HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


ONLY_TLS = "max-age=31536000"  # for a year


class RateLimit:
    """A bucket a name that fills with `per_s` and holds BURST_S seconds of it. `now` never goes back."""

    def __init__(self, now: Callable[[], float], per_s: float) -> None:
        self._now = now
        self._per_s = per_s
        self._most = max(1.0, per_s * BURST_S)
        self._buckets: dict[str, tuple[float, float]] = {}  # what is left, and when it was counted

    def take(self, name: str) -> None:
        """Count a request. Raises Limited when the bucket is empty."""
        now = self._now()
        if len(self._buckets) >= _MOST_REMEMBERED:
            self._buckets = {key: each for key, each in self._buckets.items() if not self._is_full(each, now)}
        left = self._left(self._buckets.get(name, (self._most, now)), now)
        if left < 1.0:
            raise Limited((1.0 - left) / self._per_s)
        self._buckets[name] = (left - 1.0, now)

    def _left(self, bucket: tuple[float, float], now: float) -> float:
        left, at = bucket
        return min(self._most, left + (now - at) * self._per_s)

    def _is_full(self, bucket: tuple[float, float], now: float) -> bool:
        return self._left(bucket, now) >= self._most


class BodyLimit:
    """Refuses a body of more than MOST_BYTES, told or not, before it is in memory."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            body = await _body(scope, receive)
        except _Gone:
            return  # half a request is none: nothing is done, and nobody is there for an answer
        except _TooLarge:
            answer = refusal(413, "too-large", f"a request has at most {MOST_BYTES} bytes; send less at once")
            await answer(scope, receive, send)
            return
        await self._app(scope, _again(body, receive), send)


class _Gone(Exception):
    """The client went before its request was whole."""


class _TooLarge(Exception):
    """The body is larger than may be, told or not."""


async def _body(scope: MutableMapping[str, Any], receive: Receive) -> bytes:
    """The whole body. Raises _Gone, _TooLarge."""
    told = dict(scope["headers"]).get(b"content-length", b"0")
    if not told.isdigit() or int(told[:20]) > MOST_BYTES:
        raise _TooLarge
    parts: list[bytes] = []
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            raise _Gone
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > MOST_BYTES:
            raise _TooLarge
        more = message.get("more_body", False)
    return b"".join(parts)


def _again(body: bytes, receive: Receive) -> Receive:
    """Give the body that was taken in one piece, then what comes after it."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


class SecurityHeaders:
    """Puts SECURITY_HEADERS on every answer; answers of the API are kept nowhere. `tls`: a browser is told to
    come with nothing else (RFC 6797)."""

    def __init__(self, app: App, *, tls: bool) -> None:
        self._app = app
        told = SECURITY_HEADERS | ({"strict-transport-security": ONLY_TLS} if tls else {})
        self._extra = [(name.encode(), value.encode()) for name, value in told.items()]

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        kept = b"no-store" if scope["path"].startswith("/api") else b"no-cache"

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *self._extra, (b"cache-control", kept)]
            await send(message)

        await self._app(scope, receive, with_headers)
