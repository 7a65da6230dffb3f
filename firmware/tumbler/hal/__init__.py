"""What a board offers the controller: each back end is a module with `Board(config)` (config: board.json).

`now() -> int`             ms since boot; does not wrap.
`level(name) -> bool`      a channel of definitions.CHANNELS; True means what the name says.
`edges()`                  iterator of (channel, level, t_us): edges of "stroke-gate" and "stroke-top" since
                           the last call, in order; t_us is microseconds since boot on the clock of now().
                           ReadingFault, after the last one, when edges were lost.
`vibration() -> int`       milli-g, the peak since the last call; ReadingFault when it cannot be measured.
`start_strokes(count)`     run the drive for `count` strokes; the back end stops it by itself after
`stop_drive()`             the config's drive_limit_ms, whatever the controller does.
`release_cover(released)`  True: the cover may be opened. Locked at power-on and without power.
`lamp(index or None)`      exactly that lamp on, or none.
`capture(buffer)`          fill `buffer` with one grey frame, a byte a pixel, row by row; CameraError when no
                           whole frame came within the config's camera_limit_ms.
`sensor`                   the driver of a sensor module that reads the dice by itself (drivers.make_sensor);
                           only boards that have one in place of a camera.
`receive(buffer) -> int`   UART input, never blocking: how many bytes are now in `buffer`, 0 for none.
`send(data) -> int`        UART output, never blocking: how many bytes were taken.
`entropy(n) -> bytes`      from the hardware generator.
`storage`                  folder of the mounted littlefs volume.
`flash`                    the block device that the volume is on (extended block protocol), None where it
                           cannot be reached.
`idle()`                   sleep until something may have happened, at most a few ms.
`start_watchdog()`         call once, when the main loop begins: from then on the board resets itself unless
                           receive, edges, level, vibration and idle are called again and again.
`restart()`                reset the board; does not return.

Time may stand still between calls of `idle` or `capture`: wait by calling `idle`, never by spinning on `now`.
"""

_PERIOD = 1 << 30  # of the microsecond tick of the common ports (time.ticks_us)


class ReadingFault(Exception):
    """What sees the dice does not work; `part` says what that is. A sensor fault until a re-check passes."""

    part = ""


class CameraError(ReadingFault):
    """The camera gave no whole frame in time: check its cable and power, then re-check the fault."""

    part = "camera"


class SensorError(ReadingFault):
    """A sensor module or accelerometer does not answer as documented: check cable, power and address."""

    part = "sensor"


class StorageDamaged(Exception):
    """The flash volume does not mount. Only provisioning formats it: its records may still be readable."""


class Uptime:
    """Extends a microsecond tick that wraps every 2**30 us into one that does not.

    `advance(raw)` must see the tick at least once a period (about 18 minutes).
    """

    def __init__(self, raw):
        self._raw = raw
        self.us = 0

    def advance(self, raw):
        """Take the newest raw tick; returns microseconds since the first one."""
        self.us += (raw - self._raw) % _PERIOD
        self._raw = raw
        return self.us

    def at(self, raw):
        """Microseconds since the first tick of a raw tick within half a period of the newest one."""
        offset = (raw - self._raw) % _PERIOD
        return self.us + (offset - _PERIOD if offset >= _PERIOD // 2 else offset)
