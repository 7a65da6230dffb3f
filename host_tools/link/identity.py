"""Finding a device by who it is, not by the name of its port, which changes when it is plugged in again."""

import asyncio
import glob
import os
from collections import Counter
from collections.abc import Callable, Sequence

from host_tools.link import messages
from host_tools.link.conversation import fresh_greeting
from host_tools.link.errors import MessageInvalid, TransportLost
from host_tools.link.framing import FrameParser, encode_frame
from host_tools.link.transport import COMMON_POLICY, OpenPolicy, SerialTransport, open_serial
from tumbler import definitions

_GREET_S = 0.5
ANSWER_S = 3.0  # above a device's longest stall; a board that opening resets needs its start beside


async def open_by_identity(  # noqa: PLR0913 - who is looked for, where and how
    device: bytes,
    candidates: Sequence[str],
    *,
    baudrate: int = 115200,
    policy: OpenPolicy = COMMON_POLICY,
    answer_s: float = ANSWER_S,
    new_greeting: Callable[[], int] = fresh_greeting,
) -> SerialTransport:
    """The open port behind which the device (id of 8 bytes) answers, whatever its name is now.

    `candidates`: paths, URLs and glob patterns, as /dev/serial/by-id/* or /dev/ttyACM*. Every port is opened
    for this process alone, so one on which a session runs is passed over; the greeting names the device, so
    another one stays as it is, and its port is given back as soon as it is known. `new_greeting`: see
    Conversation. Raises TransportLost, with what was found on each port.
    """
    ports = ports_of(candidates)
    tries: list[asyncio.Task[tuple[SerialTransport | None, str]]] = []
    for port in ports:
        probe = _probe(port, device, new_greeting(), baudrate, policy, answer_s)
        tries.append(asyncio.create_task(probe))
    found: list[str] = []
    chosen: SerialTransport | None = None
    try:
        for finished in asyncio.as_completed(tries):
            transport, what = await finished
            if transport:
                chosen = transport
                return chosen
            found.append(what)
    finally:
        await _give_back(tries, chosen)
    told = "; ".join(sorted(found)) or f"no port is {' or '.join(candidates)}"
    raise TransportLost(f"device {device.hex()} is on none of the ports: {told}")


def ports_of(candidates: Sequence[str]) -> list[str]:
    """The ports that `candidates` (see open_by_identity) are now, each once though it has several names."""
    named: dict[str, str] = {}
    for candidate in candidates:
        for port in sorted(glob.glob(candidate)) if glob.has_magic(candidate) else [candidate]:
            named.setdefault(os.path.realpath(port), port)
    return list(named.values())


async def _probe(  # noqa: PLR0913, PLR0917 - who is looked for, where and how
    port: str, device: bytes, greeting: int, baudrate: int, policy: OpenPolicy, answer_s: float
) -> tuple[SerialTransport | None, str]:
    """The open port when the device answers on it, else None and what is there instead."""
    try:
        transport = await open_serial(port, baudrate, policy)
    except TransportLost as error:
        return None, str(error)
    kept = False
    try:
        answered = await _answer(transport, device, greeting, answer_s)
        kept = answered == device
    except TransportLost as error:
        return None, f"{port}: {error}"
    except TimeoutError:
        return None, f"{port}: silent"
    finally:
        if not kept:
            await transport.close()
    return (transport, "") if kept else (None, f"{port}: device {answered.hex()}")


async def _answer(transport: SerialTransport, device: bytes, greeting: int, answer_s: float) -> bytes:
    """Id of the device that answers, or of another one that is there. Raises TimeoutError, TransportLost.

    A HELLO of the device that a serial server has kept answers no greeting of now.
    """
    greeted = asyncio.create_task(_greet(transport, device, greeting))
    parser = FrameParser(Counter())
    try:
        async with asyncio.timeout(answer_s):
            while True:
                for frame in parser.feed(await transport.read()):
                    if frame.type_byte == definitions.DEVICE_TYPES["hello"]:
                        try:
                            hello = messages.unpack("hello", frame.body)
                        except MessageInvalid:  # of another release, perhaps: no device that is looked for
                            continue
                        if hello["device"] != device or hello["greeting"] == greeting:
                            return hello["device"]
    finally:
        greeted.cancel()
        await asyncio.gather(greeted, return_exceptions=True)


async def _greet(transport: SerialTransport, device: bytes, greeting: int) -> None:
    body = messages.pack("greet", {"device": device, "greeting": greeting})
    while True:
        await transport.write(encode_frame(definitions.HOST_TYPES["greet"], 0, body))
        await asyncio.sleep(_GREET_S)


async def _give_back(
    tries: Sequence[asyncio.Task[tuple[SerialTransport | None, str]]], chosen: SerialTransport | None
) -> None:
    """End the tries that are under way; what they opened is closed, but for the chosen one."""
    for each in tries:
        each.cancel()
    for done in await asyncio.gather(*tries, return_exceptions=True):
        if isinstance(done, tuple) and done[0] and done[0] is not chosen:
            await done[0].close()
