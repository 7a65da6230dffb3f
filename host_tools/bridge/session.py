"""What a table needs of its link, so that it can be played on any."""

from collections import Counter
from collections.abc import Callable
from typing import Any, Protocol

from host_tools import link


class Asked(Protocol):
    """What a table needs of `link.Questions`."""

    async def evidence(self, file: link.EvidenceFile) -> None: ...


class Session(Protocol):
    """What a table needs of `link.HostSession`."""

    counters: Counter[str]

    @property
    def questions(self) -> Asked: ...
    async def run(self) -> None: ...
    async def renew(self) -> None: ...
    async def command(self, name: str, **arguments: Any) -> link.Reply: ...


class NewSession(Protocol):
    """Makes the table's session: `functools.partial(HostSession, open_transport, sink, clock)`."""

    def __call__(
        self,
        *,
        only: bytes,
        on_status: Callable[[dict[str, Any]], None],
        on_event: Callable[[link.Event], None],
    ) -> Session: ...
