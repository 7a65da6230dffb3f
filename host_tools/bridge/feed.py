"""Events to any number of displays; a slow one loses its place, never the table's time or memory."""

import asyncio
from collections.abc import AsyncIterator

from host_tools.bridge.errors import EventsOverrun
from host_tools.bridge.events import Event

_BACKLOG = 4096  # events a display may be behind


class Feed:
    """One source, many followers."""

    def __init__(self) -> None:
        self._queues: set[asyncio.Queue[Event]] = set()

    def put(self, event: Event) -> None:
        """Give an event to every follower; one that is too far behind gets no more."""
        for queue in tuple(self._queues):
            try:
                queue.put_nowait(event)
            except asyncio.QueueFull:
                self._queues.discard(queue)

    def follow(self) -> AsyncIterator[Event]:
        """The events from now on. Raises EventsOverrun after the last one before a gap."""
        queue: asyncio.Queue[Event] = asyncio.Queue(_BACKLOG)
        self._queues.add(queue)
        return self._follow(queue)

    async def _follow(self, queue: asyncio.Queue[Event]) -> AsyncIterator[Event]:
        try:
            while queue in self._queues or not queue.empty():
                yield await queue.get()
        finally:
            self._queues.discard(queue)
        raise EventsOverrun("this display was too slow and has missed events; follow the table anew")
