"""`Tables` over HTTP and WebSocket, for a program with a token.

A call that gets no answer is not repeated: only the caller knows whether it may be. Wagers and withdrawals
may, with the same ids. The stream of events comes back by itself and goes on after the last number it had.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote, urlencode

import httpx
from pydantic import TypeAdapter
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from host_tools.bridge.wagering import Wager, WagerAnswer, WithdrawalAnswer
from host_tools.client.tables import Refused, Unreachable
from host_tools.service.views import EventView, RoundView, TableView, WagerView

AT_ONCE = 16  # requests; more wait here: httpx looks at all of them again whenever one begins or ends
TIMEOUT_S = 30.0  # above what a step at the tumbler is waited for
RETRY_S = (0.2, 5.0)  # from the first to the longest wait before the stream is opened again
_REFUSALS = 4400  # close codes from here on are HTTP's statuses with 4000 added
_PASSING = (429, 503)  # refusals after which the stream is asked for again


def _reader(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


_TABLE, _TABLES = _reader(TableView), _reader(list[TableView])
_ROUND, _ROUNDS = _reader(RoundView), _reader(list[RoundView])
_EVENT, _EVENTS = _reader(EventView), _reader(list[EventView])
_WAGERS = _reader(list[WagerView])
_PLACED, _WITHDRAWN = _reader(list[WagerAnswer]), _reader(list[WithdrawalAnswer])


class HttpTables:
    """The tables of the service at `url`, as the program with that `token` may use them; an async context
    manager. `tls` is the SSL context for https (None: the system's certificates).

    Methods are those of `Tables`; they raise Refused and Unreachable."""

    def __init__(self, url: str, token: str, *, tls: ssl.SSLContext | None = None) -> None:
        self._url = url.rstrip("/") + "/api"
        self._tls = tls
        self._headers = {"Authorization": f"Bearer {token}"}
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._http = httpx.AsyncClient(
            headers=self._headers,
            timeout=TIMEOUT_S,
            limits=httpx.Limits(max_connections=AT_ONCE, max_keepalive_connections=AT_ONCE),
            verify=tls if tls is not None else True,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.aclose()

    async def tables(self) -> list[TableView]:
        """See Tables."""
        return _TABLES.validate_json(await self._get("tables"))

    async def table(self, table: str) -> TableView:
        """See Tables."""
        return _TABLE.validate_json(await self._get("tables", table))

    async def open_round(self, table: str) -> RoundView:
        """See Tables."""
        return _ROUND.validate_json(await self._post({}, "tables", table, "rounds"))

    async def tumble(self, table: str, round_id: str) -> RoundView:
        """See Tables."""
        return _ROUND.validate_json(await self._post({}, "tables", table, "rounds", round_id, "tumble"))

    async def no_more_bets(self, table: str, round_id: str) -> RoundView:
        """See Tables."""
        path = ("tables", table, "rounds", round_id, "no-more-bets")
        return _ROUND.validate_json(await self._post({}, *path))

    async def load_shoe(self, table: str, reason: str) -> TableView:
        """See Tables."""
        return _TABLE.validate_json(await self._post({"reason": reason}, "tables", table, "shoe"))

    async def enter_card(self, table: str, shoe: str, position: int, face: int) -> RoundView:
        """See Tables."""
        body = {"shoe": shoe, "position": position, "face": face}
        return _ROUND.validate_json(await self._post(body, "tables", table, "shoe", "cards"))

    async def announce(self, table: str, round_id: str) -> RoundView:
        """See Tables."""
        return _ROUND.validate_json(await self._post({}, "tables", table, "rounds", round_id, "announce"))

    async def change_dice(self, table: str, dice_set: str, inspected_ms: int | None = None) -> None:
        """See Tables."""
        await self._post({"dice_set": dice_set, "inspected_ms": inspected_ms}, "tables", table, "dice")

    async def place(self, table: str, round_id: str, wagers: Sequence[Wager]) -> list[WagerAnswer]:
        """See Tables."""
        body = {"wagers": [asdict(each) for each in wagers]}
        return await self._batch(_PLACED, body, "tables", table, "rounds", round_id, "wagers")

    async def withdraw(self, table: str, round_id: str, ids: Sequence[str]) -> list[WithdrawalAnswer]:
        """See Tables."""
        body = {"ids": list(ids)}
        return await self._batch(_WITHDRAWN, body, "tables", table, "rounds", round_id, "withdrawals")

    async def wagers(self, table: str, round_id: str) -> list[WagerView]:
        """See Tables."""
        return _WAGERS.validate_json(await self._get("tables", table, "rounds", round_id, "wagers"))

    async def round(self, table: str, round_id: str) -> RoundView:
        """See Tables."""
        return _ROUND.validate_json(await self._get("tables", table, "rounds", round_id))

    async def rounds(self, table: str, before: str | None = None, limit: int = 10) -> list[RoundView]:
        """See Tables."""
        asked = {"limit": limit} | ({"before": before} if before else {})
        return _ROUNDS.validate_json(await self._get("tables", table, "rounds", asked=asked))

    async def events(self, after: int = 0, table: str | None = None) -> list[EventView]:
        """See Tables."""
        asked = {"after": after} | ({"table": table} if table is not None else {})
        return _EVENTS.validate_json(await self._get("events", asked=asked))

    async def follow(self, after: int | None = None, table: str | None = None) -> AsyncIterator[EventView]:
        """See Tables. A stream that was lost is opened again; hints of the time between are lost, durable
        events are not, for it always goes on by number. Raises Refused."""
        wait_s = RETRY_S[0]
        while True:
            try:
                after = await self._newest(table) if after is None else after
                async for event in self._stream(after, table):
                    wait_s = RETRY_S[0]
                    after = event.sequence if event.sequence is not None else after
                    yield event
            except (Refused, Unreachable, OSError, InvalidHandshake, ConnectionClosed, TimeoutError) as lost:
                _raise_refusal(lost)
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, RETRY_S[1])

    async def _newest(self, table: str | None) -> int:
        """The number from which "from now on" counts."""
        known = await self.tables() if table is None else [await self.table(table)]
        return max((each.sequence for each in known), default=0)

    async def _stream(self, after: int, table: str | None) -> AsyncIterator[EventView]:
        asked = {"after": after} | ({"table": table} if table is not None else {})
        url = f"ws{self._url.removeprefix('http')}/events?{urlencode(asked)}"
        tls = self._tls or (True if url.startswith("wss") else None)
        async with connect(url, additional_headers=self._headers, max_size=2**24, ssl=tls) as socket:
            while True:
                yield _EVENT.validate_json(await socket.recv())

    # --- inside ---

    async def _get(self, *path: str, asked: Mapping[str, Any] | None = None) -> bytes:
        return _content(await self._ask("GET", path, params=asked))

    async def _post(self, body: object, *path: str) -> bytes:
        return _content(await self._ask("POST", path, json=body))

    async def _batch(self, reader: TypeAdapter[Any], body: object, *path: str) -> Any:
        """The answers of a batch, also when nothing was taken."""
        answer = await self._ask("POST", path, json=body)
        told = answer.json() if answer.status_code == 409 else {}
        if told.get("answers"):
            return reader.validate_python(told["answers"])
        return reader.validate_json(_content(answer))

    async def _ask(self, method: str, path: Sequence[str], **asked: Any) -> httpx.Response:
        url = "/".join([self._url, *(quote(each, safe="") for each in path)])
        try:
            async with self._turns:
                return await self._http.request(method, url, **asked)
        except httpx.TransportError as error:
            raise Unreachable(f"no answer from {self._url}: {type(error).__name__} {error}") from error


def _content(answer: httpx.Response) -> bytes:
    if answer.is_success:
        return answer.content
    try:
        told = answer.json()
    except ValueError:
        told = {}
    raise Refused(answer.status_code, told.get("error", ""), told.get("message", answer.reason_phrase))


def _raise_refusal(lost: Exception) -> None:
    """A stream that the service has closed for good is not opened again."""
    if isinstance(lost, Refused) and lost.status not in _PASSING:
        raise lost
    closed = lost.rcvd if isinstance(lost, ConnectionClosed) else None
    if closed is not None and closed.code >= _REFUSALS and closed.code - 4000 not in _PASSING:
        raise Refused(closed.code - 4000, "refused", closed.reason) from lost
