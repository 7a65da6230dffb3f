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
# How far before the wall clock a reply may push the ids, ms. It is not authentic: whatever it says, the next
# process must still be able to go on above what was given then.
_MOST_AHEAD_MS = 10 * 365 * 86_400_000


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

    def is_boot_of(self, other: "Peer | None") -> bool:
        """Whether it is the same device, not restarted since: a command is carried out once in a boot."""
        return other is not None and (self.device, self.boot) == (other.device, other.boot)


@dataclass(slots=True)
class _Outstanding:
    """A command whose reply is awaited, as `peer` is to get it now."""

    peer: Peer
    values: dict[str, Any]
    reply: asyncio.Future[Reply]

    @property
    def frame(self) -> bytes:
        """It is known again by its id and contents, in whatever conversation it is repeated."""
        body = messages.sealed("command", self.values, self.peer.session, self.peer.host_key)
        return encode_frame(definitions.HOST_TYPES["command"], self.peer.session, body)


class CommandDesk:
    """send_frame(session, frame) puts a frame on the line if the conversation of that session goes on.

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
    def peer(self) -> Peer | None:
        """Whose reply is awaited, or None."""
        return self._outstanding.peer if self._outstanding else None

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
        # Ids follow the wall clock: a new process begins above the old one in the same boot.
        self._newest_id = max(self._newest_id + 1, self._clock.wall_ms())
        reply: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        outstanding = self._outstanding = _Outstanding(peer, {"id": self._newest_id, **values}, reply)
        try:
            return await self._reply_to(outstanding, name, deadline)
        finally:
            self._outstanding = None

    async def go_on(self, peer: Peer) -> None:
        """Send what is outstanding once more, in the conversation with `peer` that has begun."""
        outstanding = self._outstanding
        if outstanding and not outstanding.reply.done() and peer.is_boot_of(outstanding.peer):
            outstanding.peer = peer
            await self._send(outstanding)

    async def _send(self, outstanding: _Outstanding) -> None:
        self._sent += 1
        self._quiet_until = self._clock.now() + _LEAST_MS / 1000
        await self._send_frame(outstanding.peer.session, outstanding.frame)

    def on_reply(self, values: dict[str, Any]) -> None:
        """Take a REPLY of the device, with names for `status` and `state`."""
        outstanding = self._outstanding
        if not outstanding or values["id"] != outstanding.values["id"] or outstanding.reply.done():
            self._counters["stray_replies"] += 1
            return
        detail = values.get("detail", "")
        if values["status"] == "replayed" and detail.isdecimal():
            newest = int(detail)
            if newest < self._clock.wall_ms() + _MOST_AHEAD_MS:
                # An earlier process gave newer ids, from a wall clock ahead of ours: go on above them.
                self._newest_id = max(self._newest_id, newest)
        outstanding.reply.set_result(Reply(values["status"], values["state"], detail, values["sequence"]))

    def fail(self, error: Exception) -> None:
        """Raise `error` where a reply is awaited."""
        if self._outstanding and not self._outstanding.reply.done():
            self._outstanding.reply.set_exception(error)

    async def _reply_to(self, outstanding: _Outstanding, name: str, deadline: float | None) -> Reply:
        self._sent = 0
        while True:
            await self._send(outstanding)
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
