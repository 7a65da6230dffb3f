"""ESP32 cameras, by the module `camera` of cnadler86/micropython-camera-API.

"exposure" is the sensor's count of lines (OV2640: 0..1200), "gain" its gain step (0..30); "pins", needed with
the generic firmware images only, are the keywords of Camera() that name pins. One frame buffer, and the
latest frame: the buffer is free for the next exposure only when the next frame is asked for. When no frame
comes the module blocks for 4 s of its own, which the watchdog must outlast.
"""

from tumbler.drivers.frame_source import FrameSource
from tumbler.hal import CameraError

_FRAME_SIZES = {(160, 120): "QQVGA", (320, 240): "QVGA", (640, 480): "VGA"}


class Camera(FrameSource):
    """See drivers.make_camera."""

    def __init__(self, settings, limit_ms, now, idle):
        super().__init__(settings, limit_ms, now, idle)
        try:
            self._camera = _set_up(settings)
        except (OSError, RuntimeError) as error:
            raise CameraError("not set up: %s" % error) from None

    def grab(self):
        """See FrameSource.grab."""
        return self._camera.capture()


def _set_up(settings):
    size = _FRAME_SIZES.get((settings["width"], settings["height"]))
    if size is None:
        raise CameraError("no frame size %d x %d" % (settings["width"], settings["height"]))
    try:
        import camera  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise CameraError("no module camera: flash its firmware") from None
    device = camera.Camera(
        pixel_format=camera.PixelFormat.GRAYSCALE,
        frame_size=getattr(camera.FrameSize, size),
        grab_mode=camera.GrabMode.LATEST,
        fb_count=1,
        **settings.get("pins", {}),
    )
    device.set_exposure_ctrl(False)
    device.set_aec2(False)
    device.set_aec_value(settings["exposure"])
    device.set_gain_ctrl(False)
    device.set_agc_gain(settings["gain"])
    return device
