"""Bytes to and from a device: a serial port, by path or URL, behind four small methods."""

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self

import serialx

from host_tools.link.errors import TransportLost

_CHUNK = 4096
_CLOSE_S = 2.0


class Transport(Protocol):
    """An open line. After TransportLost it is good for nothing but `close`."""

    async def read(self) -> bytes:
        """At least one byte, as soon as there is one. Raises TransportLost."""
        ...

    async def write(self, data: bytes) -> None:
        """Hand all of `data` to the line. Raises TransportLost."""
        ...

    async def close(self) -> None:
        """Give the line back; never raises for a line that is lost."""
        ...


class SerialTransport:
    """A serial port (or pty) opened by `open_serial`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def read(self) -> bytes:
        """See Transport."""
        try:
            data = await self._reader.read(_CHUNK)
        except (OSError, serialx.SerialException) as error:
            raise TransportLost(f"reading failed: {error}") from error
        if not data:
            raise TransportLost("the port was closed by the other end")
        return data

    async def write(self, data: bytes) -> None:
        """See Transport."""
        try:
            self._writer.write(data)
            await self._writer.drain()
        except (OSError, serialx.SerialException) as error:
            raise TransportLost(f"writing failed: {error}") from error

    async def close(self) -> None:
        """See Transport."""
        self._writer.close()
        # A vanished port reports its EIO here once more, and one that takes nothing must not hold its host.
        with contextlib.suppress(OSError, serialx.SerialException, TimeoutError):
            async with asyncio.timeout(_CLOSE_S):
                await self._writer.wait_closed()


@dataclass(frozen=True, slots=True)
class OpenPolicy:
    """What opening a port does to the board behind it, as its hardware.json says under "usb".

    Many boards reset by DTR or RTS, or are mute without DTR. `wait_s`: until a board that opening resets can
    hear. The lines are left as they are when the port is closed.
    """

    dtr: bool = True
    rts: bool = True
    wait_s: float = 0.0

    @classmethod
    def of(cls, usb: Mapping[str, Any] | None) -> Self:
        """The policy of a board's "usb" section, or the common one for a board without USB."""
        return cls(usb["dtr"], usb["rts"], usb.get("wait_ms", 0) / 1000) if usb else cls()


COMMON_POLICY = OpenPolicy()


async def open_serial(
    url: str, baudrate: int = 115200, policy: OpenPolicy = COMMON_POLICY
) -> SerialTransport:
    """Open a port for this process alone. Raises TransportLost, also when another process has it open."""
    dtr, rts = serialx.PinState.convert(policy.dtr), serialx.PinState.convert(policy.rts)
    as_it_is = serialx.PinState.UNDEFINED
    try:
        reader, writer = await serialx.open_serial_connection(
            url,
            baudrate=baudrate,
            exclusive=True,
            dtr_on_open=dtr,
            rts_on_open=rts,
            dtr_on_close=as_it_is,
            rts_on_close=as_it_is,
        )
    except (OSError, serialx.SerialException) as error:
        raise TransportLost(f"cannot open {url}: {error}") from error
    transport = SerialTransport(reader, writer)
    try:
        await asyncio.sleep(policy.wait_s)
    except asyncio.CancelledError:
        await transport.close()
        raise
    return transport
