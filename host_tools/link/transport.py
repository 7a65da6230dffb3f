"""Bytes to and from a device: a serial port, by path or URL, behind four small methods."""

import asyncio
import contextlib
from typing import Protocol

import serialx

from host_tools.link.errors import TransportLost

_CHUNK = 4096


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
        # A vanished port reports its EIO here once more.
        with contextlib.suppress(OSError, serialx.SerialException):
            await self._writer.wait_closed()


async def open_serial(url: str, baudrate: int = 115200) -> SerialTransport:
    """Open a port for this process alone; prefer a stable name as /dev/serial/by-id/... TransportLost."""
    try:
        reader, writer = await serialx.open_serial_connection(url, baudrate=baudrate, exclusive=True)
    except (OSError, serialx.SerialException) as error:
        raise TransportLost(f"cannot open {url}: {error}") from error
    return SerialTransport(reader, writer)
