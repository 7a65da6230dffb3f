"""NOR flash as a block device in memory, with what goes wrong on it. Runs on CPython and MicroPython.

Erasing sets all bits of a block, programming only clears bits. Each erase or program is an operation.
"""

BLOCK = 4096


class NorFlash:
    """Extended block protocol over `content` (a bytearray, by default `blocks` erased blocks).

    watch(operation) is called before each one, so that a test may fork the flash there; weak(operation)
    tells what happens in its place, None for nothing."""

    def __init__(self, blocks=0, content=None, watch=None, weak=None):
        self.content = bytearray(b"\xff" * (BLOCK * blocks)) if content is None else content
        self.erases = [0] * (len(self.content) // BLOCK)
        self.programs = 0
        self.programmed = 0  # bytes
        self.watch = watch
        self.weak = weak

    def readblocks(self, block, buffer, offset=0):
        start = block * BLOCK + offset
        buffer[:] = self.content[start : start + len(buffer)]

    def writeblocks(self, block, buffer, offset=None):
        if offset is None:
            self._erase(block)
        self.programs += 1
        self.programmed += len(buffer)
        self._do(Program(block * BLOCK + (offset or 0), bytes(buffer)))

    def ioctl(self, operation, argument):
        if operation == 4:
            return len(self.content) // BLOCK
        if operation == 5:
            return BLOCK
        if operation == 6:
            self._erase(argument)
        return 0

    def _erase(self, block):
        self.erases[block] += 1
        self._do(Erase(block * BLOCK))

    def _do(self, operation):
        if self.watch is not None:
            self.watch(operation)
        if self.weak is not None:
            operation = self.weak(operation)
        if operation is not None:
            operation.apply(self.content)


class Program:
    """`data` is programmed at `start`."""

    def __init__(self, start, data):
        self.start = start
        self.data = data

    def apply(self, content):
        """Do it to a flash's content."""
        end = self.start + len(self.data)
        content[self.start : end] = _and(content[self.start : end], self.data)

    def torn(self, content, percent, random):
        """Do `percent` of it; of the bits that the next page should clear any may be cleared (random() -> int
        of 32 bits; None: none is)."""
        done = len(self.data) * percent // 100
        Program(self.start, self.data[:done]).apply(content)
        if random is not None:
            part = bytes([byte | random() & 0xFF for byte in self.data[done : done + 256]])
            Program(self.start + done, part).apply(content)


class Erase:
    """The block at `start` is erased."""

    def __init__(self, start):
        self.start = start

    def apply(self, content):
        """Do it to a flash's content."""
        content[self.start : self.start + BLOCK] = b"\xff" * BLOCK

    def torn(self, content, percent, random):
        """Do `percent` of it; of the rest's bits any may be set (None: none is)."""
        done = BLOCK * percent // 100
        content[self.start : self.start + done] = b"\xff" * done
        if random is not None:
            for place in range(self.start + done, self.start + BLOCK):
                content[place] |= random() & 0xFF


def _and(one, other):
    """The bits that both have, as bytes."""
    size = len(one)
    both = int.from_bytes(one, "big") & int.from_bytes(other, "big")
    return both.to_bytes(size, "big")
