"""What the drivers share: ports on fake buses, and whole frames out of streams of bytes."""

import errno
import unittest

from fake_buses import I2c, Uart

from tumbler.drivers.frames import FrameReader
from tumbler.drivers.port import I2cPort, UartPort, port_of
from tumbler.hal import SensorError


class Speaker:
    """A device on a UART."""

    def __init__(self, out=b""):
        self.out = bytearray(out)
        self.heard = b""

    def hear(self, data):
        self.heard += data


class Ports(unittest.TestCase):
    def test_the_bus_tells_which_port_it_is(self):
        self.assertTrue(isinstance(port_of(I2c({}), {"address": 1}), I2cPort))
        self.assertTrue(isinstance(port_of(Uart(Speaker()), {}), UartPort))

    def test_a_uart_gives_what_came_in_and_no_more(self):
        port = UartPort(Uart(Speaker(b"abcdefg")))
        buffer = bytearray(4)
        self.assertEqual((port.receive(buffer), bytes(buffer)), (4, b"abcd"))
        self.assertEqual((port.receive(buffer), bytes(buffer[:3])), (3, b"efg"))
        self.assertEqual(port.receive(buffer), 0)

    def test_a_uart_that_announced_bytes_and_gives_none(self):
        class Hollow(Uart):
            def readinto(self, buffer, count):
                return None

        self.assertEqual(UartPort(Hollow(Speaker(b"abc"))).receive(bytearray(4)), 0)

    def test_a_uart_takes_all_or_fails(self):
        speaker = Speaker()
        uart = Uart(speaker)
        UartPort(uart).send(b"abc")
        self.assertEqual(speaker.heard, b"abc")
        for room in (0, 2):
            uart.room = room
            with self.assertRaises(SensorError):
                UartPort(uart).send(b"abc")

    def test_every_error_of_a_bus_is_a_sensor_error(self):
        for number in (errno.ENODEV, errno.EIO, errno.ETIMEDOUT, errno.EINVAL):

            class Broken:
                def fail(self, *arguments):
                    raise OSError(number, "broken")  # noqa: B023  (used within this turn of the loop)

                writeto = readfrom_into = writeto_mem = readfrom_mem_into = any = readinto = write = fail

            i2c, uart = I2cPort(Broken(), 0x3D), UartPort(Broken())
            for act in (
                lambda i2c=i2c: i2c.send(b"a"),
                lambda i2c=i2c: i2c.receive(bytearray(1)),
                lambda i2c=i2c: i2c.read_registers(0, bytearray(1)),
                lambda i2c=i2c: i2c.write_registers(0, b"a"),
                lambda uart=uart: uart.send(b"a"),
                lambda uart=uart: uart.receive(bytearray(1)),
            ):
                with self.assertRaises(SensorError) as raised:
                    act()
                self.assertTrue(len("sensor: " + str(raised.exception)) <= 48, raised.exception)


MOST, CHUNK = 12, 5


def frame(content):
    """A frame of these tests: "<", length of all, content, sum of the content."""
    return b"<" + bytes([len(content) + 3]) + content + bytes([sum(content) & 0xFF])


def reader():
    return FrameReader(
        b"<", 2, lambda head: head[1], MOST, lambda view: sum(view[2:-1]) & 0xFF == view[-1], CHUNK
    )


class Frames(unittest.TestCase):
    def found(self, stream, chunk=CHUNK):
        """The frames of `stream`, fed in pieces of `chunk` bytes."""
        frames, found = reader(), []
        for at in range(0, len(stream), chunk):
            piece = stream[at : at + chunk]
            frames.feed(piece, len(piece))
            view = frames.next()
            while view is not None:
                found.append(bytes(view))
                view = frames.next()
        self.damaged = frames.damaged
        return found

    def test_frames_of_every_length_in_pieces_of_every_size(self):
        whole = [frame(bytes(range(size))) for size in range(MOST - 2)]
        for chunk in range(1, CHUNK + 1):
            self.assertEqual(self.found(b"".join(whole), chunk), whole)
            self.assertEqual(self.found(b"ab".join(whole), chunk), whole)
        self.assertEqual(self.damaged, 0)

    def test_every_single_byte_fault_loses_that_frame_only(self):
        one, other = frame(b"abcd"), frame(b"xyz")
        for at in range(len(one)):
            for flip in (1, 0x80, 0xFF):
                spoilt = one[:at] + bytes([one[at] ^ flip]) + one[at + 1 :]
                found = self.found(other + spoilt + other * 3)
                self.assertEqual(found[0], other)
                self.assertTrue(len(found) >= 3 and one not in found[1:], (at, flip))

    def test_a_frame_inside_a_damaged_one_is_found(self):
        inner = frame(b"ok")
        self.assertEqual(self.found(b"<\x0a" + inner + b"12345"), [inner])
        self.assertEqual(self.damaged, 1)

    def test_a_head_that_announces_too_much_is_no_head(self):
        self.assertEqual(self.found(b"<" + bytes([MOST + 1]) + frame(b"a")), [frame(b"a")])
        self.assertEqual(self.damaged, 0)

    def test_a_reader_that_stops_early_goes_on_with_the_next_feed(self):
        frames = reader()
        longest = frame(b"123456789")
        for at in range(0, 2 * len(longest), 4):
            piece = (longest * 2)[at : at + 4]
            frames.feed(piece, 4)
            if frames.next() is not None:
                break
        found = []
        for _ in range(3):
            frames.feed(frame(b"ab"), 5)
            found.append(bytes(frames.next() or b""))
        self.assertEqual(found[-1], frame(b"ab"))


if __name__ == "__main__":
    unittest.main()
