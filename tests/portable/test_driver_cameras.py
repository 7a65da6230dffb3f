"""The camera drivers with hand-made modules `csi`, `sensor` and `camera` that behave as documented."""

import sys
import unittest
from array import array

from fake_buses import Clock

from tumbler.drivers import make_camera
from tumbler.hal import CameraError

WIDTH, HEIGHT = 160, 120
SIZE = WIDTH * HEIGHT
LIMIT_MS = 2000
LOADED: dict = sys.modules
SETTINGS = {"width": WIDTH, "height": HEIGHT, "exposure": 900, "gain": 3}


class World:
    """What is in front of the camera, and how the camera behaves."""

    def __init__(self):
        self.clock = Clock()
        self.light = 0  # what a frame exposed now shows
        self.exposed = 0  # what the frame in the camera's buffer shows
        self.size = SIZE
        self.width, self.height = WIDTH, HEIGHT
        self.frames_missing = 0  # how often there is none yet
        self.delay_ms = 10
        self.errors = []  # the first is raised by whatever is done
        self.settings = {}
        self.taken = 0

    def take(self):
        """The frame that waits in the buffer, exposed when the one before it was taken; None: none yet."""
        self.clock.ms += self.delay_ms
        if self.errors:
            raise self.errors[0]
        if self.frames_missing:
            self.frames_missing -= 1
            return None
        shown, self.exposed = self.exposed, self.light
        self.taken += 1
        return bytes([shown]) * self.size


class Image:
    """image.Image: what a snapshot of an OpenMV camera is."""

    def __init__(self, world, pixels):
        self._world = world
        self._pixels = bytearray(pixels)

    def width(self):
        return self._world.width

    def height(self):
        return self._world.height

    def bytearray(self):
        return self._pixels


class Csi:
    """The module `csi`."""

    GRAYSCALE, RGB565 = "grey", "colour"
    QQVGA, QVGA = (160, 120), (320, 240)

    def __init__(self, world):
        self._world = world

    def CSI(self):
        return CsiDevice(self._world)


class CsiDevice:
    def __init__(self, world):
        self._world = world

    def reset(self):
        if self._world.errors:
            raise self._world.errors[0]
        self._world.settings = {"reset": True}

    def pixformat(self, value):
        self._world.settings["format"] = value

    def framesize(self, value):
        self._world.settings["size"] = value

    def framebuffers(self, count):
        self._world.settings["buffers"] = count

    def auto_gain(self, enable, *, gain_db=-1):
        self._world.settings["gain"] = (enable, gain_db)

    def auto_exposure(self, enable, *, exposure_us=-1):
        self._world.settings["exposure"] = (enable, exposure_us)

    def snapshot(self, *, blocking=True):
        pixels = self._world.take()
        while pixels is None and blocking:
            pixels = self._world.take()
        return None if pixels is None else Image(self._world, pixels)


class Sensor:
    """The older module `sensor`: one camera, as functions."""

    GRAYSCALE, RGB565 = "grey", "colour"
    QQVGA, QVGA = (160, 120), (320, 240)

    def __init__(self, world):
        device = CsiDevice(world)
        self.reset = device.reset
        self.set_pixformat = device.pixformat
        self.set_framesize = device.framesize
        self.set_framebuffers = device.framebuffers
        self.set_auto_gain = device.auto_gain
        self.set_auto_exposure = device.auto_exposure
        self.snapshot = device.snapshot


class Names:
    """A class of constants."""

    def __init__(self, **values):
        for name, value in values.items():
            setattr(self, name, value)


class Esp32:
    """The module `camera` of micropython-camera-API."""

    PixelFormat = Names(GRAYSCALE="grey", RGB565="colour", JPEG="jpeg")
    FrameSize = Names(QQVGA=(160, 120), QVGA=(320, 240), VGA=(640, 480))
    GrabMode = Names(WHEN_EMPTY="when empty", LATEST="latest")

    def __init__(self, world):
        self._world = world

    def Camera(self, **keywords):
        return Esp32Device(self._world, keywords)


class Esp32Device:
    def __init__(self, world, keywords):
        if world.errors:
            raise world.errors[0]
        self._world = world
        world.settings = {
            "format": keywords.pop("pixel_format", "colour"),
            "size": keywords.pop("frame_size", (320, 240)),
            "mode": keywords.pop("grab_mode", "when empty"),
            "buffers": keywords.pop("fb_count", 2),
            "exposure": [True, None],
            "gain": [True, None],
            "pins": keywords,
        }

    def set_exposure_ctrl(self, enable):
        self._world.settings["exposure"][0] = enable

    def set_aec2(self, enable):
        self._world.settings["aec2"] = enable

    def set_aec_value(self, value):
        self._world.settings["exposure"][1] = value

    def set_gain_ctrl(self, enable):
        self._world.settings["gain"][0] = enable

    def set_agc_gain(self, value):
        self._world.settings["gain"][1] = value

    def capture(self):
        pixels = self._world.take()
        return None if pixels is None else memoryview(array("b", pixels))  # signed, as the module has it


KINDS = {"csi": ("openmv", Csi), "sensor": ("openmv", Sensor), "camera": ("esp32", Esp32)}


class CameraCase(unittest.TestCase):
    def setUp(self):
        self.tearDown()

    def tearDown(self):
        for name in KINDS:
            LOADED.pop(name, None)

    def camera(self, module, world, settings=SETTINGS):
        """The driver over the fake module named `module`."""
        self.tearDown()
        driver, fake = KINDS[module]
        LOADED[module] = fake(world)
        return make_camera(driver, settings, LIMIT_MS, world.clock.now, world.clock.idle)


class SettingUp(CameraCase):
    def test_grey_frames_of_the_size_with_exposure_and_gain_fixed(self):
        for module in KINDS:
            world = World()
            self.camera(module, world)
            settings = world.settings
            self.assertEqual(
                (settings["format"], settings["size"], settings["buffers"]), ("grey", (160, 120), 1)
            )
            self.assertEqual(tuple(settings["exposure"]), (False, 900))
            self.assertEqual(tuple(settings["gain"]), (False, 3))

    def test_the_esp32_takes_the_latest_frame_and_the_pins_of_a_generic_board(self):
        world = World()
        pins = {"data_pins": [11, 9, 8, 10, 12, 18, 17, 16], "xclk_pin": 15}
        self.camera("camera", world, dict(SETTINGS, pins=pins))
        self.assertEqual((world.settings["mode"], world.settings["aec2"]), ("latest", False))
        self.assertEqual(world.settings["pins"], pins)

    def test_openmv_prefers_the_newer_module(self):
        world, older = World(), World()
        LOADED["csi"], LOADED["sensor"] = Csi(world), Sensor(older)
        make_camera("openmv", SETTINGS, LIMIT_MS, world.clock.now, world.clock.idle)
        self.assertTrue(world.settings["reset"])
        self.assertEqual(older.settings, {})

    def test_a_board_without_the_module_is_named(self):
        for driver, said in (("openmv", "csi or sensor"), ("esp32", "module camera")):
            with self.assertRaises(CameraError) as raised:
                make_camera(driver, SETTINGS, LIMIT_MS, Clock().now, Clock().idle)
            self.assertIn(said, str(raised.exception))

    def test_a_camera_that_does_not_start_is_an_error(self):
        for module in KINDS:
            world = World()
            world.errors.append(OSError(5, "not found") if module == "camera" else RuntimeError("not found"))
            with self.assertRaises(CameraError) as raised:
                self.camera(module, world)
            self.assertIn("not set up", str(raised.exception))

    def test_sizes_without_a_name_are_refused(self):
        for module in KINDS:
            with self.assertRaises(CameraError) as raised:
                self.camera(module, World(), dict(SETTINGS, width=200))
            self.assertIn("200 x 120", str(raised.exception))


class Capturing(CameraCase):
    def test_frames_are_of_the_lamp_that_is_lit(self):
        for module in KINDS:
            world = World()
            camera = self.camera(module, world)
            buffer = bytearray(SIZE)
            for light in (10, 20, 30, 40, 0, 10):
                world.light = light
                camera.lamp_changed()
                camera.capture(buffer)
                self.assertEqual((buffer[0], buffer[SIZE - 1]), (light, light), module)
                self.assertEqual(len(buffer), SIZE)

    def test_only_one_frame_is_given_up_for_a_lamp(self):
        for module in KINDS:
            world = World()
            camera = self.camera(module, world)
            for taken in (2, 3, 4):
                camera.capture(bytearray(SIZE))
                self.assertEqual(world.taken, taken)

    def test_a_frame_that_is_not_there_yet_is_waited_for(self):
        for module in KINDS:
            world = World()
            camera = self.camera(module, world)
            world.frames_missing = 20
            world.light = 7
            buffer = bytearray(SIZE)
            camera.capture(buffer)
            self.assertEqual(buffer[5], 7)

    def test_no_frame_in_time_is_an_error(self):
        for module in ("csi", "camera"):
            world = World()
            camera = self.camera(module, world)
            world.frames_missing = 100000
            world.delay_ms = 0
            with self.assertRaises(CameraError) as raised:
                camera.capture(bytearray(SIZE))
            self.assertIn("no frame within 2000 ms", str(raised.exception))
            self.assertTrue(LIMIT_MS < world.clock.ms <= LIMIT_MS + 10)

    def test_a_frame_that_comes_too_late_is_an_error(self):
        for module in KINDS:
            world = World()
            camera = self.camera(module, world)
            world.delay_ms = 1500
            with self.assertRaises(CameraError):
                camera.capture(bytearray(SIZE))

    def test_what_the_module_raises_is_a_camera_error(self):
        for module in KINDS:
            for error in (RuntimeError("frame timeout"), OSError(116, "frame timeout")):
                world = World()
                camera = self.camera(module, world)
                world.errors.append(error)
                with self.assertRaises(CameraError) as raised:
                    camera.capture(bytearray(SIZE))
                self.assertIn("timeout", str(raised.exception))
                world.errors.clear()
                camera.capture(bytearray(SIZE))

    def test_frames_of_another_size_are_refused_and_the_buffer_is_kept(self):
        for module in KINDS:
            for size in (0, 1, SIZE - 1, SIZE + 1, 2 * SIZE):
                world = World()
                world.size = size
                camera = self.camera(module, world)
                buffer = bytearray(b"\x55" * SIZE)
                with self.assertRaises(CameraError) as raised:
                    camera.capture(buffer)
                self.assertIn("a frame of %d bytes" % size, str(raised.exception))
                self.assertEqual(bytes(buffer), b"\x55" * SIZE)

    def test_a_frame_on_its_side_is_refused(self):
        for module in ("csi", "sensor"):
            world = World()
            camera = self.camera(module, world)
            world.width, world.height = HEIGHT, WIDTH
            with self.assertRaises(CameraError) as raised:
                camera.capture(bytearray(SIZE))
            self.assertIn("120 x 160", str(raised.exception))

    def test_a_buffer_of_another_size_is_refused(self):
        for module in KINDS:
            camera = self.camera(module, World())
            with self.assertRaises(CameraError):
                camera.capture(bytearray(SIZE - 1))


class Choosing(unittest.TestCase):
    def test_an_unknown_driver_is_named_with_those_there_are(self):
        with self.assertRaises(ValueError) as raised:
            make_camera("ov7670", SETTINGS, LIMIT_MS, Clock().now, Clock().idle)
        self.assertIn("ov7670", str(raised.exception))
        self.assertIn("esp32", str(raised.exception))


if __name__ == "__main__":
    unittest.main()
