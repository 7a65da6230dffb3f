"""The exchange both HuskyLens protocols share: knock, wait for its answer, ask, collect what is announced.

The knock keeps question and answer together: the module answers in order, so once every knock is answered
what follows belongs to the question asked after that, and an answer left over from before is passed by.

Learned classes 1..6 are the faces; class 7 is a die that does not lie flat. The module must have learned
exactly these: with fewer it would call a die by the nearest class it has.
"""

import hashlib

from tumbler.drivers import NOT_FLAT, UNKNOWN, Answer
from tumbler.drivers.frames import FrameReader
from tumbler.drivers.port import port_of
from tumbler.hal import SensorError

CLASSES = 7
_CHUNK = 16  # bytes of one I2C read, as the maker's own library has it
_CHUNKS = 4  # reads of one poll at most
_MOST_SEEN = 8  # more than a round can have; what comes after them is passed by

# What a frame means, see HuskyLens.understand.
READY = "ready"
ANNOUNCED = "announced"
SEEN = "seen"
OTHER = "other"


def frame_of(content):
    """`content` with the sum of all its bytes behind it, as both protocols want it."""
    return bytes(content) + bytes([sum(content) & 0xFF])


def u16(frame, at):
    """The little-endian number at `at` of `frame`."""
    return frame[at] | frame[at + 1] << 8


def face_of(learned):
    """The face of a learned class, NOT_FLAT or UNKNOWN."""
    if 1 <= learned <= 6:
        return learned
    return NOT_FLAT if learned == CLASSES else UNKNOWN


def _sound(frame):
    return sum(frame[:-1]) & 0xFF == frame[-1]


class HuskyLens:
    """The exchange; a protocol adds what it says and hears.

    header, length_at (place of the data's length among the first five bytes), most (bytes of a frame),
    answer_ms (time an exchange may take), knock and ask (frames), and understand(frame), which gives
    (READY,), (ANNOUNCED, count, classes, frame number or None), (SEEN, drivers.Seen) or (OTHER,).
    """

    def __init__(self, bus, settings, header, length_at, most, answer_ms, knock, ask):
        self._port = port_of(bus, settings)
        self._knock = knock
        self._ask = ask
        self._answer_ms = answer_ms
        self._chunk = bytearray(_CHUNK)
        self._frames = FrameReader(header, 5, lambda head: head[length_at] + 6, most, _sound, _CHUNK)
        self._deadline = None  # of the exchange, None between exchanges
        self._owed = 0  # knocks not yet answered
        self._forget()

    def understand(self, frame):
        """What `frame` means to us; the protocols have it."""
        raise NotImplementedError

    def request(self, now):
        """Begin an exchange; what an earlier one still brings is passed by."""
        self._forget()
        self._owed += 1
        self._deadline = now + self._answer_ms
        self._guarded(self._port.send, self._knock)

    def poll(self, now):
        """None or the Answer; SensorError when there is none in time, or none that can be trusted."""
        if self._deadline is None:
            return None
        answer = self._guarded(self._listen)
        if answer is not None:
            self._deadline = None
        elif now >= self._deadline:
            self._give_up()
            raise SensorError(self._silence())
        return answer

    def _forget(self):
        self._asked = False
        self._heard = False
        self._begun = False  # the answer is announced
        self._frames.damaged = 0

    def _give_up(self):
        self._deadline = None
        self._owed = 0

    def _guarded(self, act, *arguments):
        try:
            return act(*arguments)
        except SensorError:
            self._give_up()
            raise

    def _silence(self):
        if self._frames.damaged:
            return "%d frames with a wrong sum" % self._frames.damaged
        return "half an answer" if self._heard else "silent: check its power and protocol"

    def _listen(self):
        for _ in range(_CHUNKS):
            count = self._port.receive(self._chunk)
            self._frames.feed(self._chunk, count)
            frame = self._frames.next()
            while frame is not None:
                answer = self._take(frame)
                if answer is not None:
                    return answer
                frame = self._frames.next()
            if count < _CHUNK:
                break
        return None

    def _take(self, frame):
        self._heard = True
        meaning = self.understand(frame)
        if not self._asked:
            if meaning[0] == READY:
                self._answered()
            return None
        if meaning[0] == ANNOUNCED:
            self._announced(meaning)
        elif meaning[0] == SEEN and self._begun:
            self._objects.append(meaning[1])
        else:
            return None
        self._digest.update(frame)
        if len(self._objects) < min(self._expected, _MOST_SEEN):
            return None
        return Answer(tuple(self._objects), self._number, self._digest.digest())

    def _answered(self):
        """One knock is answered; the question goes out after the last one."""
        self._owed -= 1
        if self._owed <= 0:
            self._asked = True
            self._port.send(self._ask)

    def _announced(self, meaning):
        _, self._expected, classes, self._number = meaning
        if classes != CLASSES:
            raise SensorError("has learned %d of %d classes" % (classes, CLASSES))
        self._begun = True
        self._objects = []  # what it has brought
        self._digest = hashlib.sha256()
