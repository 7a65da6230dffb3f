"""Listening to a device without being its host: no welcome, no acknowledgement, no key needed."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable
from typing import Any

from host_tools.link import messages
from host_tools.link.clock import Clock, SystemClock
from host_tools.link.conversation import fresh_greeting
from host_tools.link.errors import MessageInvalid
from host_tools.link.framing import Frame, FrameParser, encode_frame
from host_tools.link.questions import ANSWERS, Questions
from host_tools.link.transport import Transport
from tumbler import definitions

_PING_S = 1.0
_SILENCE_S = 5.0

Told = Callable[[str, dict[str, Any]], None]


class Observer:
    """One open line. `told(name, values)` gets the HELLO of each conversation and each STATUS, named.

    `device`: its id, or None while none answers. `heard`: clock time of its last frame, or None. `questions`
    asks it. `counters`: errors by name, as heard here.
    """

    def __init__(self, transport: Transport, told: Told, clock: Clock | None = None) -> None:
        self.device: bytes | None = None
        self.heard: float | None = None
        self.counters: Counter[str] = Counter()
        self._transport = transport
        self._told = told
        self._clock = clock or SystemClock()
        self._session: int | None = None
        self._greeting = fresh_greeting()
        self.questions = Questions(self._clock, self._ask, self.counters)

    async def run(self) -> None:
        """Talk and listen until cancelled. Raises TransportLost."""
        talking = asyncio.create_task(self._talk())
        parser = FrameParser(self.counters)
        try:
            while True:
                for frame in parser.feed(await self._transport.read()):
                    with contextlib.suppress(MessageInvalid):
                        self._on_frame(frame)
        finally:
            talking.cancel()
            await asyncio.gather(talking, return_exceptions=True)

    async def _talk(self) -> None:
        while True:
            if self.heard is not None and self._clock.now() - self.heard > _SILENCE_S:
                self.device = self._session = self.heard = None
                self._greeting = fresh_greeting()
            if self._session is None:
                await self._send("greet", 0, {"greeting": self._greeting})
            else:
                await self._send("ping", self._session, {})
            await self._clock.sleep(_PING_S)

    async def _ask(self, name: str, values: dict[str, Any]) -> None:
        if self._session is not None:
            await self._send(name, self._session, values)

    async def _send(self, name: str, session: int, values: dict[str, Any]) -> None:
        frame = encode_frame(definitions.HOST_TYPES[name], session, messages.pack(name, values))
        await self._transport.write(frame)

    def _on_frame(self, frame: Frame) -> None:
        name = definitions.name_of(definitions.DEVICE_TYPES, frame.type_byte)
        if name == "hello":
            self._on_hello(frame.session, messages.unpack(name, frame.body))
        elif frame.session != self._session:
            return
        elif name == "status":
            self._told(name, messages.named(messages.unpack(name, frame.body)))
        elif name in ANSWERS:
            self.questions.on_answer(name, messages.unpack(name, frame.body))
        self.heard = self._clock.now()

    def _on_hello(self, session: int, hello: dict[str, Any]) -> None:
        if hello["greeting"] != self._greeting:
            self._session = None  # it may have been restarted, or greeted by somebody else: greet it
        elif session != self._session:
            self._session, self.device = session, hello["device"]
            self._told("hello", hello)
