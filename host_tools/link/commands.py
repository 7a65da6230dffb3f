"""Commands to a device: sealed with its host key, one at a time, repeated until the reply comes."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from host_tools.link import messages
from host_tools.link.clock import Clock, done_by
from host_tools.link.errors import CommandInvalid, CommandTimeout, MessageInvalid
from host_tools.link.framing import encode_frame
from tumbler import definitions
from tumbler.rtt import RoundTrip

_LEAST_MS = 700  # above the longest stall of a device that signs and writes its flash
_LARGEST_ID = 2**53  # a reply is not authentic; it must not push the ids to the end of their range


@dataclass(frozen=True, slots=True)
class Reply:
    """A device's answer: `status` of REPLY_STATUSES, `state` of DEVICE_STATES, `detail` for people, and
    `sequence` of the newest record when the command was done."""

    status: str
    state: str
    detail: str
    sequence: int


@dataclass(frozen=True, slots=True)
class Peer:
    """The device as its HELLO described it."""

    device: bytes
    session: int
    boot: int
    host_key: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Outstanding:
    """A command whose reply is awaited."""

    id: int
    session: int
    frame: bytes
    reply: asyncio.Future[Reply]


class CommandDesk:
    """send_frame(session, frame) puts a frame on the line if that session is connected.

    Counted in `counters`: `command_repeats`, `stray_replies`.
    """

    def __init__(
        self, clock: Clock, send_frame: Callable[[int, bytes], Awaitable[None]], counters: Counter[str]
    ) -> None:
        self._clock = clock
        self._send_frame = send_frame
        self._counters = counters
        self._round_trip = RoundTrip(_LEAST_MS)
        self._outstanding: _Outstanding | None = None
        self._sent = 0  # how often the outstanding command was
        self._quiet_until = 0.0
        self._newest_id = 0

    @property
    def session(self) -> int | None:
        """The session to which a command is outstanding, or None."""
        return self._outstanding.session if self._outstanding else None

    async def quiet(self) -> None:
        """Return when the line may be used beside a command.

        A device that carries one out may be deaf, writing its flash: what can wait, waits for the reply, or
        as long as that may last.
        """
        while (outstanding := self._outstanding) and self._clock.now() < self._quiet_until:
            await done_by(self._clock, outstanding.reply, self._quiet_until)
            if outstanding.reply.done():
                return

    async def give(self, peer: Peer, name: str, values: dict[str, Any], deadline: float | None) -> Reply:
        """Have `peer` carry out the command `values` (of `command_values`). Raises CommandTimeout."""
        outstanding = self._outstanding = self._sealed(peer, values)
        try:
            return await self._reply_to(outstanding, name, deadline)
        finally:
            self._outstanding = None

    async def repeat(self) -> None:
        """Send what is outstanding once more, as the line is there again."""
        if self._outstanding:
            self._sent += 1
            self._quiet_until = self._clock.now() + _LEAST_MS / 1000
            await self._send_frame(self._outstanding.session, self._outstanding.frame)

    def on_reply(self, values: dict[str, Any]) -> None:
        """Take a REPLY of the device, with names for `status` and `state`."""
        outstanding = self._outstanding
        if not outstanding or values["id"] != outstanding.id or outstanding.reply.done():
            self._counters["stray_replies"] += 1
            return
        detail = values.get("detail", "")
        if values["status"] == "replayed" and detail.isdecimal() and int(detail) < _LARGEST_ID:
            # An earlier process gave newer ids, from a wall clock ahead of ours: go on above them.
            self._newest_id = max(self._newest_id, int(detail))
        outstanding.reply.set_result(Reply(values["status"], values["state"], detail, values["sequence"]))

    def fail(self, error: Exception) -> None:
        """Raise `error` where a reply is awaited."""
        if self._outstanding and not self._outstanding.reply.done():
            self._outstanding.reply.set_exception(error)

    def _sealed(self, peer: Peer, values: dict[str, Any]) -> _Outstanding:
        # Ids follow the wall clock: a new process begins above the old one in the same session.
        self._newest_id = max(self._newest_id + 1, self._clock.wall_ms())
        body = messages.sealed("command", {"id": self._newest_id, **values}, peer.session, peer.host_key)
        frame = encode_frame(definitions.HOST_TYPES["command"], peer.session, body)
        return _Outstanding(self._newest_id, peer.session, frame, asyncio.get_running_loop().create_future())

    async def _reply_to(self, outstanding: _Outstanding, name: str, deadline: float | None) -> Reply:
        self._sent = 0
        while True:
            await self.repeat()
            sent_at = self._clock.now()
            repeat_at = sent_at + self._round_trip.timeout / 1000
            wake_at = repeat_at if deadline is None else min(repeat_at, deadline)
            if await done_by(self._clock, outstanding.reply, wake_at):
                if self._sent == 1:
                    self._round_trip.measured(int((self._clock.now() - sent_at) * 1000))
                return outstanding.reply.result()
            if deadline is not None and self._clock.now() >= deadline:
                raise CommandTimeout(f"{name}: no reply; it may still be carried out, look at the records")
            self._counters["command_repeats"] += 1
            self._round_trip.missed()


def command_values(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The fields of a command of definitions.COMMANDS, without id and mac. Raises CommandInvalid."""
    if name not in definitions.COMMANDS:
        raise CommandInvalid(f"{name!r} is none of {', '.join(definitions.COMMANDS)}")
    number, required = definitions.COMMANDS[name]
    if set(arguments) != set(required):
        raise CommandInvalid(f"{name} takes {', '.join(required)}, not {', '.join(arguments) or 'nothing'}")
    values = {"command": number, **arguments}
    try:
        values = messages.numbered(values)
        messages.pack("command", values, partial=True)
    except MessageInvalid as error:
        raise CommandInvalid(str(error)) from None
    return values
