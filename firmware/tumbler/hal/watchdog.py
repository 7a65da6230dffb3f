"""The watchdog: it resets the board unless every part of the main loop comes round again and again."""

from tumbler.hal.pins import Unsupported

# What must come round in the main loop for the watchdog to be fed.
LINK, STROKES, CHANNELS, REST = range(4)


class Watchdog:
    """It does nothing before start()."""

    def __init__(self):
        self._all = 1 << LINK | 1 << STROKES | 1 << CHANNELS | 1 << REST
        self._seen = 0
        self._dog = None

    def start(self, machine, timeout_ms):
        """Start it, after which nothing stops it; Unsupported when the port's cannot wait that long."""
        try:
            self._dog = machine.WDT(timeout=timeout_ms)
        except (ValueError, OSError, AttributeError) as error:
            raise Unsupported("hal.watchdog_ms: %d ms: %s" % (timeout_ms, error)) from None

    def came(self, part):
        """The loop has come to `part`."""
        self._seen |= 1 << part

    def round(self):
        """Feed it if every part came since the last time; returns whether."""
        if self._seen != self._all:
            return False
        self._seen = 0
        if self._dog is not None:
            self._dog.feed()
        return True
