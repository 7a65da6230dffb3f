"""The chapter of outgoing notices, written in the transaction of what they tell of, and who has had them."""

import json
from collections.abc import Mapping, Sequence

from host_tools.ledger.endings import Endings
from host_tools.ledger.rows import Notice
from host_tools.ledger.schema import ALARM_TOPICS, quoted
from host_tools.ledger.seals import NOTICES, insert_sealed

_NOTICE = "number, source, topic, round, body, made_ms"


class Outbox(Endings):
    """Notices by source. Their numbers are committed in order, whichever process they come from."""

    def notify(
        self, source: str, topic: str, round_id: bytes | None, body: Mapping[str, object], now_ms: int
    ) -> None:
        """Add an outgoing notice about a `source`: a table's name, or a device's id in hex.

        Where several processes write, they take turns until they commit: whoever reads up to a number has all
        notices below it."""
        self.store.serialise("notices")
        insert_sealed(
            self.store,
            NOTICES,
            {
                "source": source,
                "topic": topic,
                "round": round_id,
                "body": json.dumps(body, sort_keys=True),
                "made_ms": now_ms,
            },
        )

    def notices(self, source: str, after: int = 0, limit: int = 1000) -> list[Notice]:
        """A source's notices above number `after`, oldest first."""
        rows = self.store.rows(
            f"SELECT {_NOTICE} FROM notices WHERE source = ? AND number > ? ORDER BY number LIMIT ?",
            (source, after, limit),
        )
        return [Notice(*row) for row in rows]

    def notices_of(self, sources: Sequence[str], after: int = 0, limit: int = 1000) -> list[Notice]:
        """The notices of some sources above number `after`, in the order of their numbers."""
        marks = ", ".join("?" * len(sources))
        rows = self.store.rows(
            f"SELECT {_NOTICE} FROM notices WHERE number > ? AND source IN ({marks}) ORDER BY number LIMIT ?",
            (after, *sources, limit),
        )
        return [Notice(*row) for row in rows]

    def alarms(self, source: str) -> list[Notice]:
        """All alarms of a source and the answers to them, oldest first."""
        rows = self.store.rows(
            f"SELECT {_NOTICE} FROM notices WHERE source = ? AND topic IN ({quoted(ALARM_TOPICS)})"
            " ORDER BY number",
            (source,),
        )
        return [Notice(*row) for row in rows]

    def newest_notice(self) -> int:
        """The number of the newest notice of all; 0 when there is none."""
        row = self.store.row("SELECT coalesce(max(number), 0) FROM notices")
        return row[0] if row else 0

    def undelivered(self, consumer: str, source: str, limit: int = 1000) -> list[Notice]:
        """The notices of a source that a consumer was not marked to have had, oldest first."""
        return self.notices(source, self.delivered(consumer, source), limit)

    def delivered(self, consumer: str, source: str) -> int:
        """The number up to which a consumer has had the notices of a source; 0 before the first."""
        row = self.store.row(
            "SELECT number FROM deliveries WHERE consumer = ? AND source = ?", (consumer, source)
        )
        return row[0] if row else 0

    def mark_delivered(self, consumer: str, source: str, number: int) -> None:
        """Note that a consumer has had all notices of a source up to `number`; it never goes back."""
        self.store.write(
            "INSERT INTO deliveries (consumer, source, number) VALUES (?, ?, ?)"
            " ON CONFLICT (consumer, source) DO UPDATE SET number = excluded.number"
            " WHERE excluded.number > deliveries.number",
            (consumer, source, number),
        )
