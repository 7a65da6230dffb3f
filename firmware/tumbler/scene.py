"""One scene: a frame under each lamp, handed to the reader one at a time, with the digest of all of them."""

import hashlib

from tumbler.evidence import Evidence
from tumbler.hal import ReadingFault


class Scene:
    """Captures and reads scenes step by step, so that sensors and link are served between frames.

    board: lamp(index or None), capture(buffer); reader: begin, add, finish, profile (width, height, lamps).
    `profile`: the reader's; `frame`: the newest one, row by row; `evidence`: what is kept of the newest
    scene; `profile_digest`: for the records.
    """

    def __init__(self, board, reader):
        self.profile = reader.profile
        self.profile_digest = reader.profile.digest
        self._board = board
        self._reader = reader
        self.evidence = Evidence(reader.profile.lamps, reader.profile.width * reader.profile.height)
        self.frame = self.evidence.frame(0)
        self._lamp = None  # the next lamp, None between scenes
        self._digest = hashlib.sha256()

    def step(self):
        """Capture the next frame; the event ("read", ...) or ("refused", ...) after the last one, else None.

        CameraError (of hal) when the camera does not deliver.
        """
        lamp = self._lamp
        if lamp is None:
            lamp = 0
            self._digest = hashlib.sha256()
            self._reader.begin()
        self._capture(lamp)
        self._digest.update(self.frame)
        self._reader.add(self.frame, lamp)
        self._lamp = lamp + 1
        if self._lamp < self._reader.profile.lamps:
            return None
        self.stop()
        frames = self._digest.digest()
        self.evidence.complete(frames)
        return _event(self._reader.finish(), frames)

    def works(self):
        """True when the camera delivers a frame now. It gives up a scene that is begun."""
        try:
            self._capture(0)
        except ReadingFault:
            return False
        finally:
            self.stop()
        return True

    def _capture(self, lamp):
        self._lamp = lamp
        self.evidence.begin()
        self.frame = self.evidence.frame(lamp)
        self._board.lamp(lamp)
        self._board.capture(self.frame)

    def stop(self):
        """Give up the scene, if one is begun: lamps off, the next step starts a new one."""
        if self._lamp is not None:
            self._lamp = None
            self._board.lamp(None)


def _event(reading, frames):
    if reading.verdict != "read":
        return ("refused", reading.reason, reading.detail, frames)
    tilts = tuple(int(die.tilt_deg * 10 + 0.5) for die in reading.dice)
    confidences = tuple(int(die.confidence * 1000 + 0.5) for die in reading.dice)
    return ("read", tuple(reading.faces), tilts, confidences, frames)
