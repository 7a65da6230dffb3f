"""The monitor's views, and the link test's count of damaged frames."""

import io

from rich.console import Console

from host_tools.bringup.bench import measure_link
from host_tools.bringup.screen import FullScreen, line_of

STATUS = {
    "state": "faulted",
    "strokes": 3,
    "at_rest": True,
    "faults": ["dome-open"],
    "last": 7,
    "uptime_ms": 99,
    "crc_errors": 2,
}
RECORD = {"kind": "fault", "sequence": 7, "device": "aa", "fact": "dome-open"}


def test_lines():
    assert line_of({"record": RECORD}) == "record      7  fault                fact=dome-open"
    told = line_of({"status": STATUS})
    assert told is not None
    assert "faulted" in told
    assert "dome-open" in told
    assert "CRC errors 2" in told
    assert line_of({"counters": {"noise": 1}}) is None


def test_the_full_screen_shows_all_of_it():
    file = io.StringIO()
    with FullScreen("uart", Console(file=file, width=120, height=50, force_terminal=True)) as screen:
        counts = ({"counters": {"crc_errors": 5}}, {"statistics": {"bad_macs": 3, "echoes": 0}})
        for seen in ({"status": STATUS}, {"record": RECORD}, *counts):
            screen.see(seen)
    for shown in ("faulted", "dome-open", "crc_errors", "bad_macs", "fault", "records"):
        assert shown in file.getvalue()


class Line:
    """A wire with the board's echo at its end; `damage(number, frame)` is what becomes of each frame."""

    def __init__(self, damage):
        self._damage = damage
        self._number = 0
        self._back = b""

    @property
    def in_waiting(self):
        return len(self._back)

    def reset_input_buffer(self):
        self._back = b""

    def write(self, frame):
        self._number += 1
        self._back += self._damage(self._number, frame)

    def read(self, count):
        data, self._back = self._back[:count], self._back[count:]
        return data


def flip(frame):
    return frame[:9] + bytes([frame[9] ^ 0x40 or 1]) + frame[10:]


def test_a_clean_line_has_no_errors_and_a_bad_one_is_counted():
    assert measure_link(Line(lambda number, frame: frame), echo_s=0.01) == (0, 0)
    lost, errors = measure_link(
        Line(lambda number, frame: flip(frame) if number % 10 == 0 else frame), echo_s=0.01
    )
    assert lost == 10
    assert errors == 10
    assert measure_link(Line(lambda number, frame: b"" if number == 5 else frame), echo_s=0.01) == (1, 0)
