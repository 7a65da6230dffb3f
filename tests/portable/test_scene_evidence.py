"""What a scene keeps: exactly the frames whose digest it tells, until something else is captured."""

import unittest
from hashlib import sha256

from tumbler.evidence import Evidence
from tumbler.hal import CameraError
from tumbler.scene import Scene

SIDE = 30


class Profile:
    width = height = SIDE
    lamps = 4
    digest = b"p" * 32


class Refusing:
    """A reader that refuses every scene."""

    profile = Profile()
    verdict, reason, detail = "refused", "unreadable", "dark"

    def begin(self):
        self.added = []

    def add(self, frame, lamp):
        self.added.append(bytes(frame))

    def finish(self):
        return self


class Camera:
    """Every frame differs; `broken`: none comes."""

    def __init__(self):
        self.count = 0
        self.broken = False

    def lamp(self, index):
        pass

    def capture(self, buffer):
        if self.broken:
            raise CameraError("no frame")
        self.count += 1
        for at in range(len(buffer)):
            buffer[at] = (at + 7 * self.count) & 0xFF


class Kept(unittest.TestCase):
    def setUp(self):
        self.camera = Camera()
        self.reader = Refusing()
        self.scene = Scene(self.camera, self.reader)
        self.scene.evidence = Evidence(4, SIDE * SIDE, spare=0)

    def read(self):
        event = None
        while event is None:
            event = self.scene.step()
        return event

    def kept(self):
        evidence = self.scene.evidence
        found = b""
        while len(found) < evidence.capacity:
            found += evidence.read(len(found), 512)
        return found

    def test_the_frames_that_were_read_are_those_of_the_digest(self):
        for _ in range(3):
            frames = self.read()[3]
            self.assertEqual(self.scene.evidence.digest, frames)
            self.assertEqual(self.kept(), b"".join(self.reader.added))
            self.assertEqual(sha256(self.kept()).digest(), frames)

    def test_a_scene_that_is_begun_leaves_no_evidence_of_the_one_before(self):
        self.read()
        self.scene.step()
        self.assertIsNone(self.scene.evidence.digest)
        self.scene.stop()
        self.assertIsNone(self.scene.evidence.digest)

    def test_a_trial_of_the_camera_leaves_none_even_when_it_fails(self):
        for broken in (False, True):
            self.camera.broken = False
            self.read()
            self.camera.broken = broken
            self.assertEqual(self.scene.works(), not broken)
            self.assertIsNone(self.scene.evidence.digest)

    def test_without_room_one_frame_is_read_at_a_time_with_the_same_digest(self):
        self.scene.evidence = Evidence(4, SIDE * SIDE, spare=10**12)
        if self.scene.evidence.capacity:
            return  # this interpreter does not tell how much memory it has
        frames = self.read()[3]
        self.assertEqual(sha256(b"".join(self.reader.added)).digest(), frames)
        self.assertIsNone(self.scene.evidence.digest)


if __name__ == "__main__":
    unittest.main()
