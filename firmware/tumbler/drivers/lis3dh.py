"""LIS3DH accelerometer (ST DocID17530; LIS2DH12 and IIS2DH have the same registers): vibration and tilt.

200 samples a second go through the chip's own 32-sample FIFO, so that nothing is missed between polls up to
160 ms apart; of a longer gap the newest 32 samples are seen. Vibration is the distance of a sample from the
slow average, which is gravity. All of it is integer arithmetic.
"""

from tumbler.drivers.port import I2cPort
from tumbler.hal import SensorError

WHO_AM_I = 0x0F
ID = 0x33
CTRL_REG1 = 0x20
OUT_X_L = 0x28
FIFO_CTRL = 0x2E
FIFO_SRC = 0x2F
AUTO_INCREMENT = 0x80
DEPTH = 32  # samples of the FIFO

_SAMPLE = 6  # bytes
_EMPTY, _OVERRUN, _STORED = 0x20, 0x40, 0x1F  # of FIFO_SRC
# CTRL_REG1..6: 200 Hz and all axes; no high-pass filter; no interrupts; blocks of data updated whole, +-4 g,
# 12 bits; FIFO on; nothing else.
_SETUP = bytes([0x67, 0x00, 0x00, 0x98, 0x40, 0x00])
_STREAM = bytes([0x80])  # FIFO_CTRL: the newest samples are kept
_BYPASS = bytes([0x00])  # FIFO_CTRL: empties it
_MG_SHIFT = 3  # 12 bits of 2 mg, left-justified in 16

_AVERAGE_SHIFT = 7  # the average follows within 128 samples, 0.64 s
_SILENCE_MS = 80  # below the shortest rest_ms, so that silence never passes for rest
_LEAST_GRAVITY, _MOST_GRAVITY = 800, 1200  # milli-g: what a sound sensor at rest can show
_JUDGED_AFTER_MS = 3000  # of quiet, when the average has settled whatever came before
_QUIET = 100 * 100  # square of milli-g

_PRODUCT_SHIFT = 6
# arctan of 2**-n in hundredths of a degree, for the angle by CORDIC.
_ARCTANS = (4500, 2657, 1404, 713, 358, 179, 90, 45, 22, 11, 6, 3, 1)


def angle_between(a, b):
    """Whole degrees (0..180) between two vectors of integers up to a few thousand."""
    # The products of two vectors of 1 g, scaled down so that their squares stay small ints on a board.
    along = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] >> _PRODUCT_SHIFT
    x = a[1] * b[2] - a[2] * b[1] >> _PRODUCT_SHIFT
    y = a[2] * b[0] - a[0] * b[2] >> _PRODUCT_SHIFT
    z = a[0] * b[1] - a[1] * b[0] >> _PRODUCT_SHIFT
    return (_arctan(_root(x * x + y * y + z * z), along) + 50) // 100


def _arctan(across, along):
    """The angle of (along, across), across not below 0, in hundredths of a degree."""
    if along < 0:
        return 18000 - _arctan(across, -along)
    angle = 0
    for step, turn in enumerate(_ARCTANS):
        if across > 0:
            along, across = along + (across >> step), across - (along >> step)
            angle += turn
        elif across < 0:
            along, across = along - (across >> step), across + (along >> step)
            angle -= turn
    return max(angle, 0)


def _root(square):
    """The whole part of the square root."""
    root = 1
    while root * root <= square:
        root <<= 1
    while root * root > square:
        root = (root + square // root) >> 1
    return root


class Accelerometer:
    """See drivers.make_accelerometer.

    settings: "address" (24 or 25), "tilt_deg" (what counts as tilted), and where the board is not mounted
    flat, "rest": the direction of gravity at rest as [x, y, z] in milli-g (flat: [0, 0, 1000]).
    """

    def __init__(self, bus, settings):
        self._port = I2cPort(bus, settings["address"])
        self._rest = tuple(settings.get("rest", (0, 0, 1000)))
        self._tilt_deg = settings["tilt_deg"]
        self._byte = bytearray(1)
        self._samples = bytearray(DEPTH * _SAMPLE)
        self._view = memoryview(self._samples)
        self._average = [0, 0, 0]  # milli-g << _AVERAGE_SHIFT
        self._peak = 0  # square of milli-g
        self._heard_at = None  # when samples last came; None: the chip is not set up

    def poll(self, now):
        """Take the samples there are; at first, and after a fault, set the chip up.

        SensorError names the fault; the next poll sets the chip up anew.
        """
        try:
            self._sample(now)
        except SensorError:
            self._heard_at = None
            raise

    def vibration(self):
        """The peak since the last call in milli-g; 0 while no samples have come."""
        peak, self._peak = self._peak, 0
        return _root(peak)

    def gravity(self):
        """The slow average as (x, y, z) in milli-g: what "rest" is to be at the installation."""
        x, y, z = self._average
        return x >> _AVERAGE_SHIFT, y >> _AVERAGE_SHIFT, z >> _AVERAGE_SHIFT

    def tilt(self):
        """Whole degrees between gravity and where it is at rest."""
        return angle_between(self.gravity(), self._rest)

    def tilted(self):
        """True when the tilt is as large as the setting; before the first sample it is 0."""
        return self.tilt() >= self._tilt_deg

    def _sample(self, now):
        if self._heard_at is None:
            self._set_up(now)
            return
        stored = self._register(FIFO_SRC)
        # FSS counts to 31; with the overrun bit all 32 places are full.
        count = 0 if stored & _EMPTY else (stored & _STORED) + (1 if stored & _OVERRUN else 0)
        if not count:
            if now - self._heard_at > _SILENCE_MS:
                raise SensorError("accelerometer: no samples")
            return
        self._heard_at = now
        self._port.read_registers(OUT_X_L | AUTO_INCREMENT, self._view[: count * _SAMPLE])
        quiet = True
        for at in range(0, count * _SAMPLE, _SAMPLE):
            quiet = self._take(at) < _QUIET and quiet
        self._judge(quiet, now)

    def _set_up(self, now):
        found = self._register(WHO_AM_I)
        if found != ID:
            raise SensorError("accelerometer: id 0x%02x, not 0x%02x" % (found, ID))
        self._port.write_registers(FIFO_CTRL, _BYPASS)
        self._port.write_registers(CTRL_REG1 | AUTO_INCREMENT, _SETUP)
        self._port.write_registers(FIFO_CTRL, _STREAM)
        view = self._view[: len(_SETUP)]
        self._port.read_registers(CTRL_REG1 | AUTO_INCREMENT, view)
        if bytes(view) != _SETUP:
            raise SensorError("accelerometer: keeps no settings")
        self._heard_at = now
        self._averaging = False  # the average begins with the next sample
        self._quiet_since = None

    def _register(self, number):
        self._port.read_registers(number, self._byte)
        return self._byte[0]

    def _take(self, at):
        """One sample into average and peak; returns the square of its distance from the average."""
        square = 0
        for axis in range(3):
            low, high = self._samples[at + 2 * axis], self._samples[at + 2 * axis + 1]
            raw = high << 8 | low
            mg = (raw - 0x10000 if raw & 0x8000 else raw) >> _MG_SHIFT
            if not self._averaging:
                self._average[axis] = mg << _AVERAGE_SHIFT
            away = mg - (self._average[axis] >> _AVERAGE_SHIFT)
            self._average[axis] += away
            square += away * away
        self._averaging = True
        self._peak = max(self._peak, square)
        return square

    def _judge(self, quiet, now):
        """A sensor at rest shows one g; one that shows anything else for long is broken or was read wrong."""
        if not quiet:
            self._quiet_since = None
        elif self._quiet_since is None:
            self._quiet_since = now
        elif now - self._quiet_since >= _JUDGED_AFTER_MS:
            x, y, z = self.gravity()
            gravity = _root(x * x + y * y + z * z)
            if not _LEAST_GRAVITY <= gravity <= _MOST_GRAVITY:
                raise SensorError("accelerometer: gravity of %d mg" % gravity)
