"""What happens, as a stream for any number of readers: durable events by number, and hints without one.

The durable ones are the notices of the ledger: a reader that was away asks for those after the last number
it had and misses none. Hints (strokes, dice at rest, a device lost) are for displays and may be missed. One
that is too slow is cut off; it takes up the stream again where it stopped.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence

from host_tools.ledger import Ledger, Notice
from host_tools.service.errors import NumberAhead, SlowReader, StreamEnded
from host_tools.service.views import EventView

BACKLOG = 1000  # events that a reader may be behind
PAGE = 500  # notices read at a time


class Stream:
    """The events of the tables `sources`; `newest` is the number of the newest durable one that was told."""

    def __init__(self, books: Ledger, sources: Sequence[str]) -> None:
        self._books = books
        self._sources = tuple(sources)
        self._readers: dict[asyncio.Queue[EventView | None], str | None] = {}
        self.newest = books.newest_notice()  # whatever is there counts as told

    @property
    def readers(self) -> int:
        """How many follow now."""
        return len(self._readers)

    def hint(self, event: EventView) -> None:
        """Tell all readers something that they may miss."""
        self._tell(event)

    def catch_up(self) -> None:
        """Tell all readers of the notices that are durable by now, in the order of their numbers."""
        while page := self._books.notices_of(self._sources, self.newest, PAGE):
            for notice in page:
                self.newest = notice.number
                self._tell(_event(notice))

    def close(self) -> None:
        """End the stream for all readers: the service stops."""
        for queue in tuple(self._readers):
            self._drop(queue)

    def events(self, after: int, table: str | None = None, limit: int = PAGE) -> list[EventView]:
        """The durable events above number `after`, of one table or all. Raises NumberAhead."""
        self._require_reached(after)
        return [_event(notice) for notice in self._books.notices_of(self._of(table), after, limit)]

    def follow(self, after: int | None = None, table: str | None = None) -> AsyncIterator[EventView]:
        """The durable events above number `after` (None: from now on) and all that happens from now on.

        Raises NumberAhead, SlowReader after the last event before a gap, StreamEnded as the service stops."""
        if after is not None:
            self._require_reached(after)
        queue: asyncio.Queue[EventView | None] = asyncio.Queue(BACKLOG)
        self._readers[queue] = table
        return self._follow(queue, self.newest if after is None else after, table)

    async def _follow(
        self, queue: asyncio.Queue[EventView | None], after: int, table: str | None
    ) -> AsyncIterator[EventView]:
        try:
            while page := self.events(after, table):
                for event in page:
                    after = event.sequence or after
                    yield event
            while queue in self._readers or not queue.empty():
                event = await queue.get()
                if event is None:
                    raise StreamEnded("the service stops; follow again when it is back")
                if event.sequence is None or event.sequence > after:
                    yield event
        finally:
            self._readers.pop(queue, None)
        raise SlowReader("too slow: events were missed; follow again after the last number you have")

    def _require_reached(self, after: int) -> None:
        if after > self.newest and after > (newest := self._books.newest_notice()):
            raise NumberAhead(
                f"no event has number {after}, the newest is {newest}; "
                "was the ledger restored? Follow from the tables' sequence"
            )

    def _tell(self, event: EventView) -> None:
        for queue, table in tuple(self._readers.items()):
            if table not in (None, event.table) and event.table:
                continue
            try:
                queue.put_nowait(event)
            except asyncio.QueueFull:
                del self._readers[queue]

    def _drop(self, queue: asyncio.Queue[EventView | None]) -> None:
        if queue.full():
            queue.get_nowait()
        queue.put_nowait(None)

    def _of(self, table: str | None) -> tuple[str, ...]:
        return self._sources if table is None else (table,)


def _event(notice: Notice) -> EventView:
    return EventView(
        sequence=notice.number,
        table=notice.source,
        kind=notice.topic,
        round=notice.round.hex() if notice.round else None,
        at_ms=notice.made_ms,
        body=json.loads(notice.body),
    )
