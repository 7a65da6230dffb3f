"""The monitor's two views: a line for each thing seen, or the whole screen kept up to date."""

from collections import deque
from typing import Any

from rich.columns import Columns
from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

_RECORDS = 14
_QUIET = ("device", "boot", "sequence", "previous", "uptime_ms", "wall_ms", "kind")


def line_of(seen: dict[str, Any]) -> str | None:
    """One line for people; None for what is shown on the full screen only."""
    if "record" in seen:
        record = seen["record"]
        return f"record {record.get('sequence', '?'):>6}  {record['kind']:<20} {_details(record)}"
    if "status" in seen:
        return f"status         {_status(seen['status'])}"
    if "hello" in seen:
        hello = seen["hello"]
        kept = f"records {hello['first']}..{hello['last']}"
        return f"device         {hello['device'].hex()} boot {hello['boot']}, {kept}"
    if "event" in seen:
        return f"link           {seen['event']['kind']} {seen['event'].get('reason') or ''}".rstrip()
    return None


class FullScreen:
    """A context manager; `see` takes what is seen."""

    def __init__(self, title: str, console: Console | None = None) -> None:
        self._title = title
        self._records: deque[dict[str, Any]] = deque(maxlen=_RECORDS)
        self._status: dict[str, Any] = {}
        self._counters: dict[str, int] = {}
        self._statistics: dict[str, int] = {}
        self._link = "waiting for the device"
        self._live = Live(self._picture(), console=console, screen=True, auto_refresh=False)

    def __enter__(self) -> "FullScreen":
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def see(self, seen: dict[str, Any]) -> None:
        """Show it."""
        if "record" in seen:
            self._records.append(seen["record"])
        elif "status" in seen:
            self._status = seen["status"]
        elif "counters" in seen:
            self._counters = seen["counters"]
        elif "statistics" in seen:
            self._statistics = seen["statistics"]
        else:
            self._link = line_of(seen) or self._link
        self._live.update(self._picture(), refresh=True)

    def _picture(self) -> Group:
        records = Table("sequence", "record", "what it says", expand=True)
        for record in self._records:
            records.add_row(str(record.get("sequence", "?")), record["kind"], _details(record))
        faults = ", ".join(self._status.get("faults", ())) or "none"
        state = Table.grid(padding=(0, 2))
        for name in ("state", "strokes", "at_rest", "last", "uptime_ms", "crc_errors"):
            state.add_row(name, str(self._status.get(name, "")))
        state.add_row("faults", Text(faults, style="bold red" if faults != "none" else "green"))
        counted = [
            Panel(_counts(self._statistics), title="errors heard by the device"),
            Panel(_counts(self._counters), title="errors heard by the host"),
        ]
        return Group(
            Text(f"{self._title}   {self._link}", style="bold"),
            Columns([Panel(state, title="device"), *counted]),
            Panel(records, title="records"),
        )


def _counts(counts: dict[str, int]) -> Table:
    """What is not zero."""
    grid = Table.grid(padding=(0, 2))
    for name, count in sorted(counts.items()):
        if count:
            grid.add_row(name, str(count))
    return grid


def _details(record: dict[str, Any]) -> str:
    return " ".join(f"{name}={_short(value)}" for name, value in record.items() if name not in _QUIET)


def _short(value: Any) -> str:
    text = str(value)
    return text[:16] + "..." if len(text) > 40 else text


def _status(status: dict[str, Any]) -> str:
    faults = ", ".join(status["faults"]) or "none"
    rest = "at rest" if status["at_rest"] else "moving"
    return (
        f"{status['state']}, strokes {status['strokes']}, {rest}, faults: {faults},"
        f" last record {status['last']}, CRC errors {status['crc_errors']}"
    )
