"""The frames of the newest scene, kept as long as memory allows, so that the host can ask for them.

They stay in RAM: written to flash, every round would cost 75 erases of 4 KB and seconds of a deaf board. A
board without the room keeps one frame at a time and no evidence; so does one whose sensor module reads dice.
What the next scene overwrites, or a power cut, is gone: the host asks in the pause between two rounds.
"""

import gc

_SPARE = 300_000  # bytes of heap that must be left for all that is loaded and done after the frames


class Evidence:
    """`count` frames of `size` bytes each, as the camera fills them: one scene.

    `capacity`: bytes kept of a scene, 0 when there is no room. `digest`: SHA-256 of the frames as they stand,
    None while they are no whole scene.
    """

    def __init__(self, count, size, spare=_SPARE):
        self._size = size
        self.digest = None
        one = bytearray(size)
        more = _buffers(count - 1, size, spare)
        self.capacity = count * size if more is not None else 0
        self._frames = [one] * count if more is None else [one] + more

    def begin(self):
        """A scene begins: what was kept is overwritten."""
        self.digest = None

    def frame(self, index):
        """The buffer of frame `index`."""
        return self._frames[index]

    def complete(self, digest):
        """The scene is whole; `digest` is the SHA-256 of its frames in their order."""
        if self.capacity:
            self.digest = digest

    def read(self, offset, size):
        """At most `size` bytes from `offset` on, of one frame; b"" behind the end."""
        index, start = divmod(offset, self._size)
        if index >= len(self._frames):
            return b""
        return bytes(memoryview(self._frames[index])[start : start + size])


def _buffers(count, size, spare):
    """`count` buffers of `size` bytes when that leaves `spare` bytes of heap; else None."""
    gc.collect()
    if hasattr(gc, "mem_free") and gc.mem_free() < count * size + spare:
        return None
    try:
        return [bytearray(size) for _ in range(count)]
    except MemoryError:  # there is room, but not in one piece
        return None
