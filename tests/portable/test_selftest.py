"""The bench's self-test on a board with a sensor module: channels, strokes, rest, scene, the UART's echo."""

import unittest

from tumbler import selftest
from tumbler.config import LIMITS, Limits
from tumbler.link.framing import FrameParser, encode_frame


class Settings:
    """As config.Config of a board without a camera."""

    profile = None
    hal = {"uart": {"baud": 57600}}

    def __init__(self):
        values = {name: least for name, (least, _) in LIMITS.items()}
        values.update(drive_strokes=3, tumble_ms=3000, rest_mg=60, rest_ms=200, min_width_us=8000)
        values.update(gate_gap_um=1000, min_speed_mm_s=250, max_width_us=100000)
        self.limits = Limits(values)


class Board:
    """A tumbler at rest whose drive makes `width_us` strokes; time passes with idle, 5 ms each."""

    def __init__(self, width_us=14000):
        self.levels = dict(selftest.AT_REST)
        self.driven = 0
        self.stopped = False
        self.sent = b""
        self.incoming = []
        self._width_us = width_us
        self._ms = 0
        self._edges = []
        self._peak = 5

    def now(self):
        return self._ms

    def idle(self):
        self._ms += 5

    def level(self, name):
        return self.levels[name]

    def edges(self):
        edges, self._edges = self._edges, []
        return iter(edges)

    def vibration(self):
        peak, self._peak = self._peak, 5
        return peak

    def start_strokes(self, count):
        self.driven = count
        self._peak = 2500
        at = self._ms * 1000
        for i in range(count):
            rise = at + i * 300000
            for name, level, t_us in (
                ("stroke-gate", True, rise),
                ("stroke-top", True, rise + 1000),
                ("stroke-top", False, rise + 1000 + self._width_us),
                ("stroke-gate", False, rise + 2000 + self._width_us),
            ):
                self._edges.append((name, level, t_us))

    def stop_drive(self):
        self.stopped = True

    def receive(self, buffer):
        if not self.incoming:
            return 0
        data = self.incoming.pop(0)
        buffer[: len(data)] = data
        return len(data)

    def send(self, data):
        taken = bytes(data[:50])
        self.sent += taken
        return len(taken)


class Scene:
    """What sees the dice."""

    def __init__(self, works):
        self._works = works

    def works(self):
        return self._works


class SelfTest(unittest.TestCase):
    def setUp(self):
        self.told = {}
        self._tell = selftest._tell
        selftest._tell = self.hear

    def tearDown(self):
        selftest._tell = self._tell

    def hear(self, test, ok, expected, found, advice):
        self.told[test] = bool(ok), found

    def bench(self, board, works=True, free=100000):
        return selftest.Bench(board, Settings(), Scene(works), free)

    def run_all(self, bench):
        bench.channels()
        bench.strokes()
        bench.picture(None)
        bench.photograph(0)
        bench.scene()

    def failed(self):
        return sorted([test for test, (ok, _) in self.told.items() if not ok])

    def test_a_good_board(self):
        board = Board()
        bench = self.bench(board)
        self.run_all(bench)
        self.assertEqual(self.failed(), [])
        self.assertEqual(self.told["strokes"][1], [[14000, 1000]] * 3)
        self.assertTrue(board.stopped)
        self.assertEqual(bench.baud, 57600)

    def test_each_channel_at_the_wrong_level(self):
        for name in selftest.AT_REST:
            board = Board()
            board.levels[name] = not board.levels[name]
            self.told = {}
            self.run_all(self.bench(board))
            safe = name not in ("dome-closed", "dome-intact", "door-closed")
            self.assertEqual(self.failed(), [name] if safe else sorted([name, "strokes"]))
            self.assertEqual(board.driven, 3 if safe else 0)

    def test_narrow_strokes(self):
        board = Board(width_us=6000)
        self.run_all(self.bench(board))
        self.assertEqual(self.failed(), ["strokes"])

    def test_a_silent_module_and_too_little_memory(self):
        self.run_all(self.bench(Board(), works=False, free=1000))
        self.assertEqual(self.failed(), ["dice-sensor", "memory"])

    def test_the_uart_echoes_whole_frames_until_the_last_one(self):
        board = Board()
        frames = [encode_frame(0x7F, number, bytes([number]) * 100) for number in range(3)]
        wire = b"".join(frames) + b"\x00damaged\x00" + encode_frame(0x7F, 0, b"end")
        board.incoming = [wire[at : at + 64] for at in range(0, len(wire), 64)]
        self.bench(board).link(60000)
        back = FrameParser().feed(board.sent)
        self.assertEqual([bytes(body) for _, _, body in back][:3], [bytes([n]) * 100 for n in range(3)])
        self.assertEqual(len(back), 4)
        self.assertTrue(board.now() < 1000)


if __name__ == "__main__":
    unittest.main()
