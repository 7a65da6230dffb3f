"""OpenMV cameras, by the module `csi` of newer firmware or the older `sensor`.

"exposure" is in microseconds, "gain" in decibels. One frame buffer: with more, frames are exposed ahead of
time.
"""

from tumbler.drivers.frame_source import FrameSource
from tumbler.hal import CameraError

_FRAME_SIZES = {(160, 120): "QQVGA", (320, 240): "QVGA", (640, 480): "VGA"}


class Camera(FrameSource):
    """See drivers.make_camera."""

    def __init__(self, settings, limit_ms, now, idle):
        super().__init__(settings, limit_ms, now, idle)
        self._width, self._height = settings["width"], settings["height"]
        try:
            self._snapshot = _set_up(settings)
        except (OSError, RuntimeError) as error:
            raise CameraError("not set up: %s" % error) from None

    def grab(self):
        """See FrameSource.grab."""
        image = self._snapshot()
        if image is None:
            return None
        if (image.width(), image.height()) != (self._width, self._height):
            raise CameraError("a frame of %d x %d pixels" % (image.width(), image.height()))
        return image.bytearray()


def _set_up(settings):
    """Set the camera up; returns the function that takes a picture."""
    size = _FRAME_SIZES.get((settings["width"], settings["height"]))
    if size is None:
        raise CameraError("no frame size %d x %d" % (settings["width"], settings["height"]))
    try:
        import csi  # pyright: ignore[reportMissingImports]
    except ImportError:
        return _set_up_older(settings, size)
    camera = csi.CSI()
    camera.reset()
    camera.pixformat(csi.GRAYSCALE)
    camera.framesize(getattr(csi, size))
    camera.framebuffers(1)
    camera.auto_gain(False, gain_db=settings["gain"])
    camera.auto_exposure(False, exposure_us=settings["exposure"])
    return lambda: camera.snapshot(blocking=False)


def _set_up_older(settings, size):
    try:
        import sensor  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise CameraError("no module csi or sensor: not OpenMV") from None
    sensor.reset()
    sensor.set_pixformat(sensor.GRAYSCALE)
    sensor.set_framesize(getattr(sensor, size))
    sensor.set_framebuffers(1)
    sensor.set_auto_gain(False, gain_db=settings["gain"])
    sensor.set_auto_exposure(False, exposure_us=settings["exposure"])
    return sensor.snapshot
