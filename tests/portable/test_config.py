"""The configuration file: complete and sane, or refused with every fault named."""

import json
import unittest

from tumbler import config

SOUND = {
    "board": "virtual",
    "profile": "white.json",
    "hal": dict({name: least for name, (least, most) in config.HAL.items()}, watchdog_ms=30000),
    "limits": {name: least for name, (least, most) in config.LIMITS.items()},
}


def complaint(values):
    raw = values if isinstance(values, bytes) else json.dumps(values).encode()
    try:
        config.parse(raw)
    except config.ConfigError as error:
        return str(error)
    return ""


def changed(**limits):
    return dict(SOUND, limits=dict(SOUND["limits"], **limits))


class Configuration(unittest.TestCase):
    def test_a_sound_file_is_taken(self):
        settings = config.parse(json.dumps(SOUND).encode())
        self.assertEqual(settings.board, "virtual")
        self.assertEqual(settings.limits.__dict__["min_tumbles"], 3)

    def test_every_missing_key_is_named(self):
        for name in SOUND:
            values = dict(SOUND)
            del values[name]
            self.assertIn("missing key " + name, complaint(values))
        for name in config.LIMITS:
            limits = dict(SOUND["limits"])
            del limits[name]
            self.assertIn("missing key limits." + name, complaint(dict(SOUND, limits=limits)))

    def test_unknown_keys_are_named(self):
        self.assertIn("unknown key colour", complaint(dict(SOUND, colour=1)))
        self.assertIn("unknown key limits.min_tumble", complaint(changed(min_tumble=1)))

    def test_several_faults_are_named_at_once(self):
        text = complaint(dict(changed(rest_mg="x"), colour=1))
        self.assertIn("colour", text)
        self.assertIn("rest_mg", text)

    def test_values_out_of_range_are_named_with_the_range(self):
        for name, (least, most) in config.LIMITS.items():
            for value in (least - 1, most + 1):
                self.assertIn(f"limits.{name} is {value}", complaint(changed(**{name: value})))

    def test_fewer_than_three_tumbles_cannot_be_configured(self):
        self.assertIn("min_tumbles is 2", complaint(changed(min_tumbles=2)))

    def test_wrong_types_are_named(self):
        for value in (True, 3.5, "3", None, []):
            self.assertIn("limits.min_tumbles", complaint(changed(min_tumbles=value)))
        self.assertIn("board is not one of", complaint(dict(SOUND, board=7)))
        self.assertIn("limits is not an object", complaint(dict(SOUND, limits=[])))

    def test_drive_strokes_lie_between_minimum_and_maximum(self):
        self.assertIn("does not hold", complaint(changed(min_tumbles=5, drive_strokes=4, max_tumbles=6)))

    def test_what_is_not_json_is_refused(self):
        for raw in (b"", b"{", b"[1]", b"null", b"\xff\xfe"):
            self.assertIn("JSON", complaint(raw))

    def test_a_missing_file_says_what_to_do(self):
        with self.assertRaises(config.ConfigError):
            config.load("no-such-board.json")


if __name__ == "__main__":
    unittest.main()
