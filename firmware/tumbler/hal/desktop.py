# pyright: reportMissingImports=false, reportAttributeAccessIssue=false
# (this runs on CPython, the firmware is checked as MicroPython)
"""A desk: what surrounds the pins of a Blinka board; here the one with real pins, clock and UART.

`pin(name)`             the pin object that digitalio and analogio take.
`watch(name, heard)`    call heard(level, t_us) at each change of that pin from now on; False when the desk
                        cannot, and then the board looks by itself whenever it is idle.
`now_us() -> int`       microseconds, never going back.
`idle()`                sleep until something may have happened, at most a few ms.
`drive_stopped()`       the board has given up a run of strokes.
`expose(size)`          the camera is to deliver a frame of so many bytes; 0: no longer.
`frame()`               that frame once it is there, else None.
`line`                  receive(buffer) and send(data) of tumbler.hal.
`storage`, `entropy(n)`, `restart()`    as in tumbler.hal.
"""

import errno
import os
import sys
import termios
import time
import tty

from tumbler.hal import CameraError

_IDLE_S = 0.001
_BAUD = termios.B115200


class Line:
    """A serial line or pseudo-terminal, by its open file descriptor, which must not block."""

    def __init__(self, descriptor):
        self._descriptor = descriptor

    def receive(self, buffer):
        try:
            return os.readv(self._descriptor, [buffer])
        except BlockingIOError:
            return 0
        except OSError as error:
            if error.errno == errno.EIO:
                return 0  # the other end is closed: an open wire is silent
            raise

    def send(self, data):
        try:
            return os.write(self._descriptor, data)
        except BlockingIOError:
            return 0
        except OSError as error:
            if error.errno == errno.EIO:
                return len(data)  # nobody listens: the bytes leave the wire all the same
            raise


def open_line(path):
    """The serial port at `path`, raw, 115200 baud."""
    descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    tty.setraw(descriptor)
    settings = termios.tcgetattr(descriptor)
    settings[4] = settings[5] = _BAUD
    termios.tcsetattr(descriptor, termios.TCSANOW, settings)
    return Line(descriptor)


class Desktop:
    """Pins of the adapter that Blinka finds, by their names in its module `board`.

    line: to the host, by default the serial port that TUMBLER_UART names; storage: the folder of keys and
    journal, by default TUMBLER_STORAGE. Blinka has no interrupts, so strokes are as exact as the adapter is
    polled, and no camera.
    """

    entropy = staticmethod(os.urandom)

    def __init__(self, line=None, storage=None):
        self.line = line or open_line(os.environ["TUMBLER_UART"])
        self.storage = storage or os.environ["TUMBLER_STORAGE"]

    def pin(self, name):
        import board

        return getattr(board, name)

    def watch(self, name, heard):
        return False

    def now_us(self):
        return time.monotonic_ns() // 1000

    def idle(self):
        time.sleep(_IDLE_S)

    def drive_stopped(self):
        """Real strokes follow from pulses, and need no word."""

    def expose(self, size):
        if size:
            raise CameraError("this desktop has none")

    def frame(self):
        return None

    def restart(self):
        """The process starts over, with its arguments."""
        os.execv(sys.executable, sys.orig_argv)
