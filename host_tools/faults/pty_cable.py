"""A cable to a host in another process: one pty in the place of both wires of `line.Cable`."""

import asyncio
import contextlib
import errno
import os
import pty
import tty


class PtyWire:
    """The device's end of a pty, as far as SimulatedDevice uses a cable's two wires; `port` is the host's."""

    def __init__(self) -> None:
        self.descriptor, self.slave = pty.openpty()
        tty.setraw(self.slave)
        self.port = os.ttyname(self.slave)
        os.set_blocking(self.descriptor, False)
        self.arrived = bytearray()
        self.news = asyncio.Event()

    def look(self) -> None:
        """Take what has come; an open wire is silent."""
        with contextlib.suppress(OSError):
            self.arrived += os.read(self.descriptor, 4096)
            self.news.set()

    def offer(self, data: bytes) -> int:
        """Send as much as the line takes."""
        try:
            return os.write(self.descriptor, data)
        except OSError as error:
            return len(data) if error.errno == errno.EIO else 0

    def stop(self) -> None:
        """What was written is with the host."""


class PtyCable:
    """Both wires of it."""

    def __init__(self) -> None:
        self.to_host = self.to_device = PtyWire()
