"""The "hal" section of board.json for each back end: sound, or refused with every fault named."""

import json
import unittest

from fake_machine import LOW, camera_board, sensor_board

from tumbler import config
from tumbler.hal import settings


def board_file(hal, back_end="microcontroller", profile: object = "white.json"):
    limits = {name: least for name, (least, most) in config.LIMITS.items()}
    return {"board": back_end, "profile": profile, "hal": hal, "limits": limits}


def complaint(values):
    try:
        config.parse(json.dumps(values).encode())
    except config.ConfigError as error:
        return str(error)
    return ""


def branches(table, path=()):
    """The path of every key of a section."""
    found = []
    for name, value in table.items():
        found.append(path + (name,))
        if isinstance(value, dict):
            found += branches(value, path + (name,))
    return found


def without(hal, path):
    for name in path[:-1]:
        hal = hal[name]
    del hal[path[-1]]


class Microcontroller(unittest.TestCase):
    def test_sound_sections_are_taken(self):
        self.assertEqual(settings.faults("microcontroller", camera_board()), [])
        self.assertEqual(settings.faults("microcontroller", sensor_board()), [])
        self.assertEqual(complaint(board_file(camera_board())), "")
        self.assertEqual(complaint(board_file(sensor_board(), profile=None)), "")

    def test_everything_that_is_missing_is_named(self):
        for path in branches(camera_board()):
            hal = camera_board()
            without(hal, path)
            text = complaint(board_file(hal))
            named = path[-1] if path != ("buses", "i2c0") else "no i2c0"
            self.assertIn(named, text)

    def test_everything_that_is_unknown_is_named(self):
        for path in [()] + branches(camera_board()):
            hal = camera_board()
            table = hal
            for name in path:
                table = table[name]
            if not isinstance(table, dict) or path == ("buses",):
                continue
            table["colour"] = 1
            self.assertIn(
                "unknown key " + ".".join(("hal",) + path + ("colour",)), complaint(board_file(hal))
            )

    def test_every_wrong_value_is_named(self):
        for path in branches(camera_board()):
            for value in (None, [], True, -1, 10**9, 2.5, ""):
                hal = camera_board()
                table = hal
                for name in path[:-1]:
                    table = table[name]
                table[path[-1]] = value
                if path[-1] in ("pin", "tx", "rx", "scl", "sda") and value == 10**9:
                    continue  # only the port knows how many pins it has
                if path == ("buses",) or path[-1] == "driver":
                    continue
                self.assertIn(".".join(("hal",) + path), complaint(board_file(hal)))

    def test_several_faults_are_named_at_once(self):
        hal = camera_board()
        hal["uart"]["baud"] = "fast"
        hal["inputs"]["door-closed"]["pull"] = "sideways"
        del hal["outputs"]["drive"]
        text = complaint(dict(board_file(hal), colour=1))
        for named in ("colour", "hal.uart.baud", "hal.inputs.door-closed.pull", "hal.outputs.drive"):
            self.assertIn(named, text)

    def test_a_shared_line_s_direction_is_an_output_of_its_own(self):
        hal = camera_board()
        hal["uart"]["direction"] = {"pin": 50, "active": "high"}
        self.assertEqual(complaint(board_file(hal)), "")
        self.assertTrue(config.parse(json.dumps(board_file(hal)).encode()).shared)
        hal["uart"]["direction"]["pin"] = 41
        self.assertIn("pin 41 is hal.uart", complaint(board_file(hal)))
        hal["uart"]["direction"] = 50
        self.assertIn("hal.uart.direction", complaint(board_file(hal)))

    def test_several_contradictions_are_named_at_once(self):
        hal = sensor_board()
        hal["inputs"]["door-closed"]["pin"] = 43
        hal["outputs"]["drive"]["pin"] = "A2"
        hal["drive"]["on_ms"] = 200
        hal["accelerometer"]["bus"] = "uart1"
        hal["sensor"]["bus"] = "i2c7"
        hal["inputs"]["tilted"] = dict(LOW, pin=60)
        hal["watchdog_ms"] = 2000
        text = complaint(board_file(hal, profile=None))
        for named in (
            "pin 43 is hal.buses.i2c0.sda too",
            "hal.outputs.drive.pin: pin A2 is hal.buses.uart1.tx too",
            "hal.drive.on_ms",
            "hal.accelerometer.bus is not an I2C bus",
            "hal.sensor.bus: there is no i2c7",
            "missing key hal.sensor.address",
            "hal.inputs.tilted",
            "hal.watchdog_ms",
        ):
            self.assertIn(named, text)

    def test_the_watchdog_outlasts_the_frame_that_an_esp32_camera_waits_for(self):
        hal = camera_board()
        hal["camera"]["driver"] = "esp32"
        for watchdog_ms, refused in ((6000, True), (6001, False)):
            hal["watchdog_ms"] = watchdog_ms
            self.assertEqual("hal.watchdog_ms" in " ".join(settings.faults("microcontroller", hal)), refused)

    def test_one_thing_reads_the_dice(self):
        both = camera_board()
        both["sensor"] = {"driver": "huskylens-v2", "bus": "i2c0", "address": 80, "algorithm": 128}
        neither = camera_board()
        del neither["camera"]
        for hal in (both, neither):
            self.assertIn("hal needs a camera or a sensor", complaint(board_file(hal, profile=None)))

    def test_the_profile_goes_with_the_camera(self):
        self.assertIn("profile is not a text", complaint(board_file(camera_board(), profile=None)))
        self.assertIn("profile", complaint(board_file(sensor_board())))

    def test_camera_pins_count_as_pins(self):
        hal = camera_board()
        names = ("vsync", "href", "pclk", "xclk", "sda", "scl")
        pins = {name + "_pin": 70 + number for number, name in enumerate(names)}
        hal["camera"]["pins"] = dict(pins, data_pins=[80, 81, 82, 83, 84, 85, 86, 87], xclk_freq=20000000)
        self.assertEqual(complaint(board_file(hal)), "")
        hal["camera"]["pins"]["data_pins"] = [80, 81, 82, 83, 84, 85, 86, 70]
        self.assertIn("pin 70 is", complaint(board_file(hal)))
        hal["camera"]["pins"]["data_pins"] = [80]
        self.assertIn("hal.camera.pins.data_pins is not a list of 8", complaint(board_file(hal)))


class OtherBackEnds(unittest.TestCase):
    def test_the_virtual_board_has_only_times(self):
        hal = {"drive_limit_ms": 4000, "camera_limit_ms": 2000, "watchdog_ms": 30000}
        self.assertEqual(complaint(board_file(hal, "virtual")), "")
        self.assertIn("unknown key hal.uart", complaint(board_file(dict(hal, uart=1), "virtual")))

    def test_blinka_needs_what_shakes_and_what_tilts(self):
        hal = camera_board()
        for name in ("uart", "buses", "accelerometer", "camera", "watchdog_ms"):
            del hal[name]
        text = complaint(board_file(hal, "blinka"))
        self.assertIn("vibration", text)
        self.assertIn("hal.inputs.tilted", text)
        hal["vibration"] = {"pin": "A0", "full_scale_mg": 2000}
        hal["inputs"]["tilted"] = dict(LOW, pin="D9")
        self.assertEqual(complaint(board_file(hal, "blinka")), "")

    def test_an_unknown_back_end_is_told_the_known_ones(self):
        text = complaint(board_file({}, "toaster"))
        self.assertIn("board is not one of blinka, microcontroller, virtual", text)


if __name__ == "__main__":
    unittest.main()
