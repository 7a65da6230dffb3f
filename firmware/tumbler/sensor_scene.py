"""One scene of a sensor module that reads by itself: answers that agree over time, or a refusal.

The module is not believed: an answer must hold three dice of plausible and like sizes in three places, and
several answers from different pictures, spread over time, must say the same. Three dice that lie to the pixel
where they lay before the tumble were never tumbled: the module shows an old picture, whatever number it gives
it. Tilt it does not measure; the record says 0.
"""

import hashlib

from tumbler.drivers import NOT_FLAT, UNKNOWN
from tumbler.hal import ReadingFault, SensorError

DICE = 3
_AGREE = 4  # answers in a row
_MOST_ANSWERS = 12  # of one scene
_INTERVAL_MS = 120  # between requests, so that a scene lasts about half a second
_TRIES = 3  # exchanges in a row that may fail before the sensor does
_LEAST_CONFIDENCE = 700  # thousandths, where the module tells it

# A scene that begins so long after a reading is another round's: in one round scenes follow each other, even
# when the table is bumped in between, and no round with its bets and strokes is as short.
_OTHER_ROUND_MS = 5000
_PLACE = 5  # fields of drivers.Seen that tell a die and its place
_TILTS = (0,) * DICE
_READ = "read"


class SensorScene:
    """Asks the sensor step by step; never blocks but in works().

    board: now(), idle(); sensor: a driver of make_sensor.
    """

    profile_digest = b""  # what the module knows of the dice is the module's own
    evidence = None  # it shows no frames: the records' digest is over its answers

    def __init__(self, board, sensor):
        self._board = board
        self._sensor = sensor
        self._failed = 0  # exchanges in a row
        self._places = None  # of the dice that were read last
        self._read_at = 0
        self._begin()

    def step(self):
        """Serve the sensor; the event ("read", ...) or ("refused", ...) once the scene is complete.

        SensorError (of hal) when the sensor does not answer, again and again, or shows an old picture.
        """
        now = self._board.now()
        try:
            answer = self._exchange(now)
        except SensorError:
            self._failed += 1
            self._begin()
            if self._failed < _TRIES:
                return None
            self._failed = 0
            raise
        if answer is None:
            return None
        self._failed = 0
        event = self._weigh(answer)
        if event is not None:
            self._begin()
        return event

    def stop(self):
        """Give up the scene, if one is begun."""
        self._failed = 0
        self._begin()

    def works(self):
        """True when the sensor answers now. It gives up a scene that is begun."""
        self.stop()
        try:
            self._sensor.request(self._board.now())
            while self._sensor.poll(self._board.now()) is None:
                self._board.idle()
        except ReadingFault:
            return False
        return True

    def _begin(self):
        self._asked = False
        self._ask_at = None  # None: at once
        self._answers = 0
        self._fresh = 0  # answers from different pictures
        self._frame = None  # number of the last picture
        self._objects = ()  # of the last answer
        self._verdict = ("", "")  # of the answers that agree
        self._agreeing = 0
        self._digest = hashlib.sha256()

    def _exchange(self, now):
        if self._asked:
            answer = self._sensor.poll(now)
            if answer is not None:
                self._asked = False
            return answer
        if self._ask_at is None:
            self._ask_at = self._began_at = now
        if now >= self._ask_at:
            self._asked = True
            self._ask_at = now + _INTERVAL_MS
            self._sensor.request(now)
        return None

    def _weigh(self, answer):
        self._answers += 1
        self._digest.update(answer.digest)
        if answer.frame is None or answer.frame != self._frame:
            self._fresh += 1
            self._compare(answer)
        self._frame = answer.frame
        self._objects = answer.objects
        if self._agreeing >= _AGREE:
            return self._event(answer)
        if self._answers < _MOST_ANSWERS:
            return None
        if self._fresh < _AGREE:
            raise SensorError("its picture stands still")
        return "refused", "unreadable", "answers disagree", self._digest.digest()

    def _compare(self, answer):
        verdict = judge(answer.objects)
        same = self._verdict == verdict
        if same and verdict[0] == _READ:
            same = _same_dice(self._objects, answer.objects)
        self._agreeing = self._agreeing + 1 if same else 1
        self._verdict = verdict

    def _event(self, answer):
        digest = self._digest.digest()
        if self._verdict[0] != _READ:
            return "refused", self._verdict[0], self._verdict[1], digest
        places = sorted(tuple(die)[:_PLACE] for die in answer.objects)
        if places == self._places and self._began_at - self._read_at >= _OTHER_ROUND_MS:
            raise SensorError("shows the dice of another round")
        self._places, self._read_at = places, self._board.now()
        faces = tuple(die.face for die in answer.objects)
        return _READ, faces, _TILTS, tuple(die.confidence or 0 for die in answer.objects), digest


def judge(objects):
    """What one answer's objects (drivers.Seen) are: ("read", sorted faces) or (a reader's fact, detail)."""
    if len(objects) > DICE:
        return "extra-object", "%d objects or more" % len(objects)
    if len(objects) < DICE:
        return "die-missing", "%d objects" % len(objects)
    faces = sorted(seen.face for seen in objects)
    if faces[0] == UNKNOWN:
        return "unreadable", "an object of no learned class"
    if not _plausible(objects):
        return "unreadable", "sizes or places no dice have"
    if NOT_FLAT in faces:
        return "not-flat", ""
    for seen in objects:
        if seen.confidence is not None and seen.confidence < _LEAST_CONFIDENCE:
            return "unreadable", "the module is unsure"
    return _READ, faces


def _plausible(objects):
    """Like sizes, nearly square, and no two in one place."""
    sides = [side for seen in objects for side in (seen.width, seen.height)]
    least = min(sides)
    # The box around a square die is at most 1.42 times as wide as the die.
    if least <= 0 or max(sides) > 2 * least:
        return False
    for index, seen in enumerate(objects):
        for other in objects[:index]:
            # Flat dice are at least one side apart, which is never less than half of a box.
            if _distance_square(seen, other) * 4 < least * least:
                return False
    return True


def _same_dice(before, after):
    """Whether every die of `after` was in its place with its face in `before`."""
    for seen in after:
        reach = min(seen.width, seen.height)
        if not any(
            seen.face == old.face and _distance_square(seen, old) * 16 < reach * reach for old in before
        ):
            return False
    return True


def _distance_square(a, b):
    return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)
