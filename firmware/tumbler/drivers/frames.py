"""Whole frames out of a stream of bytes, whatever garbage is between them, in one buffer made once."""


class FrameReader:
    """Finds frames that begin with `header`.

    head: how many bytes tell a frame's length; length(head): that length; most: the longest frame, in bytes;
    sound(frame): whether its check sum holds; chunk: the most bytes one feed brings. A frame whose sum does
    not hold loses one byte only, so that a true header inside it is found.
    """

    def __init__(self, header, head, length, most, sound, chunk):
        self._header = header
        self._head = head
        self._length = length
        self._most = most
        self._sound = sound
        self._buffer = bytearray(most + chunk)
        self._view = memoryview(self._buffer)
        self._count = 0
        self._taken = 0
        self.damaged = 0  # frames whose sum did not hold

    def feed(self, data, count):
        """Take the first `count` bytes of `data`; call next() until it gives None before the next feed."""
        self._drop(self._taken)
        self._taken = 0
        self._view[self._count : self._count + count] = data[:count]
        self._count += count

    def next(self):
        """The next whole frame, as a view that holds until the next call; None when there is none yet."""
        start, found = self._taken, 0
        while start < self._count and not found:
            needed = self._needed(start)
            if needed > self._count - start:
                break
            if needed and self._sound(self._view[start : start + needed]):
                found = needed
            else:
                self.damaged += needed > 0
                start += 1
        self._drop(start)
        self._taken = found
        return self._view[:found] if found else None

    def _needed(self, start):
        """Length of the frame that begins at `start`; 0: none does; the head's until it is known."""
        if not self._begins(start):
            return 0
        if self._count - start < self._head:
            return self._head
        length = self._length(self._view[start : start + self._head])
        return length if length <= self._most else 0

    def _begins(self, start):
        for offset in range(min(len(self._header), self._count - start)):
            if self._buffer[start + offset] != self._header[offset]:
                return False
        return True

    def _drop(self, count):
        if count:
            left = self._count - count
            self._view[:left] = bytes(self._view[count : self._count])
            self._count = left
