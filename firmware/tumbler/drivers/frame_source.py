"""What the cameras share: a frame exposed after the lamp changed, whole and in time, or CameraError.

settings of every camera: "width" and "height" in pixels, "exposure" and "gain" in the camera's own units (see
its driver). Both are fixed: an exposure that follows the light would undo what the four lamps tell apart.
"""

from tumbler.hal import CameraError


class FrameSource:
    """Frames of `width` x `height` grey pixels, each within `limit_ms`.

    now() -> ms; idle(): sleep a few ms. A camera adds grab(): the newest frame's bytes or None when none is
    there.
    """

    def __init__(self, settings, limit_ms, now, idle):
        self._size = settings["width"] * settings["height"]
        self._limit_ms = limit_ms
        self._now = now
        self._idle = idle
        self._stale = True

    def grab(self):
        """The newest frame's bytes, None when none is there; the cameras have it."""
        raise NotImplementedError

    def lamp_changed(self):
        """Call after every change of the lamps: the next frame may have been exposed before it."""
        self._stale = True

    def capture(self, buffer):
        """Fill `buffer` (width * height bytes) with one grey frame, row by row. Raises CameraError."""
        until = self._now() + self._limit_ms
        if self._stale:
            self._frame(until)
            self._stale = False
        frame = self._frame(until)
        if len(frame) != self._size or len(buffer) != self._size:
            raise CameraError("a frame of %d bytes, not %d" % (len(frame), self._size))
        buffer[:] = frame

    def _frame(self, until):
        """One frame, before `until` (ms)."""
        while True:
            try:
                frame = self.grab()
            except (OSError, RuntimeError) as error:
                raise CameraError(str(error)) from None
            if self._now() > until:
                raise CameraError("no frame within %d ms" % self._limit_ms)
            if frame is not None:
                return frame
            self._idle()
