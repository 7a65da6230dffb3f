"""Board files: every shipped one is sound, and every kind of fault is told with the line where it stands."""

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host_tools.boards import BOARDS, BoardFileError, UnknownBoard, known_boards, load_board, schema
from host_tools.boards.located import NotJson, parse
from tumbler import config
from tumbler.drivers import make_accelerometer

SHIPPED = ["blinka", "esp32-s3", "openmv", "pico", "pico2", "virtual"]


def test_the_shipped_boards_are_known():
    assert known_boards() == SHIPPED


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_board_is_sound(name):
    board = load_board(name)
    assert board.name == name
    assert board.raw == (BOARDS / name / "board.json").read_bytes()
    assert board.settings == json.loads(board.raw)
    assert board.profile is None or board.profile.is_file()


def test_what_a_board_offers_to_the_commands():
    board = load_board("pico")
    assert (board.port, board.mpy_arch, board.minimum) == ("rp2", "armv6m", (1, 25))
    assert board.usb_ids == ((0x2E8A, 0x0005),)
    assert board.is_machine("Raspberry Pi Pico with RP2040")
    for other in ("Raspberry Pi Pico2 with RP2350", "Raspberry Pi Pico W with RP2040", ""):
        assert not board.is_machine(other)
    desktop = load_board("blinka")
    assert (desktop.mpy_arch, desktop.minimum, desktop.board_ids) == (None, None, ())
    assert not desktop.is_machine("Raspberry Pi Pico with RP2040")


@pytest.mark.parametrize("name", SHIPPED)
def test_the_stubs_that_a_board_names_are_those_that_are_installed(name):
    requirements = BOARDS.parent / "requirements" / f"stubs-{name}.in"
    named = load_board(name).hardware["stubs"]
    pinned = requirements.read_text().splitlines()[1:] if requirements.exists() else [None]
    assert pinned == [named]


def test_the_drivers_known_here_are_those_of_the_firmware():
    known = {*schema.CAMERAS, *schema.SENSORS, *schema.ACCELEROMETERS}
    for name in known:
        with pytest.raises(Exception) as caught:  # noqa: PT011 - whatever a missing bus leads to
            make_accelerometer(name, None, {})
        assert "no driver" not in str(caught.value)
    with pytest.raises(ValueError, match="no driver lis3dx") as caught:
        make_accelerometer("lis3dx", None, {})
    assert set(str(caught.value).partition("there are ")[2].split(", ")) == known


# --- by pins: an oracle that knows the chips, independent of hardware.json


def rp2_can(pin, function):
    """Function columns F2 and F3 of the data sheets of RP2040 and RP2350, for the pins on the header."""
    if function in ("in", "out"):
        return pin in {*range(23), 26, 27, 28}
    bus, end = function.split("-")
    if bus.startswith("uart"):
        first = {
            "uart0-tx": (0, 12, 16),
            "uart0-rx": (1, 13, 17),
            "uart1-tx": (4, 8, 20),
            "uart1-rx": (5, 9, 21),
        }
        return pin in first[function]
    return pin // 2 % 2 == int(bus[-1]) and pin % 2 == (end == "scl")


@pytest.mark.parametrize("name", ["pico", "pico2"])
def test_the_picos_use_each_pin_for_what_the_chip_can(name):
    used = load_board(name).uses
    assert len(used) >= 14
    for use in used:
        assert rp2_can(int(use.pin), use.function), use


def test_the_esp32_leaves_the_pins_that_the_module_needs():
    # 19, 20: USB; 26 to 32: flash and PSRAM; 43, 44: REPL; 22 to 25 and 34 do not exist or are not led out
    used = {int(use.pin) for use in load_board("esp32-s3").uses}
    assert not used & {19, 20, *range(22, 35), 43, 44}
    # read at reset: a gate's pull-down keeps 45 and 46 low, the LED to 3.3 V keeps 0 high
    outputs = load_board("esp32-s3").settings["hal"]["outputs"]
    levels = {each["pin"]: each["active"] for each in outputs.values()}
    assert (levels[0], levels[45], levels[46]) == ("low", "high", "high")


@pytest.mark.parametrize("name", ["esp32-s3", "openmv", "pico", "pico2"])
def test_a_broken_wire_is_never_a_good_sign(name):
    """Pulled-up contacts that close to ground: no wire, no 'closed', no 'intact'."""
    for channel, wired in load_board(name).settings["hal"]["inputs"].items():
        assert (wired["active"], wired["pull"]) == ("low", "up"), channel
    tilted = load_board("blinka").settings["hal"]["inputs"]["tilted"]
    assert (tilted["active"], tilted["pull"]) == ("high", "up")


@pytest.mark.parametrize("name", ["blinka", "esp32-s3", "openmv", "pico", "pico2"])
def test_what_moves_is_off_while_the_board_starts(name):
    for output in ("drive", "cover-lock"):
        assert load_board(name).settings["hal"]["outputs"][output]["active"] == "high"


@pytest.mark.parametrize("name", SHIPPED)
def test_the_firmware_takes_the_limits(name):
    content = json.loads(load_board(name).raw)
    times = {key: content["hal"][key] for key in config.HAL}
    times["watchdog_ms"] = 30000
    shared = {"board": "virtual", "profile": "any.json", "hal": times, "limits": content["limits"]}
    assert config.parse(json.dumps(shared).encode()).board == "virtual"


# --- faults


@pytest.fixture
def copy_of(tmp_path):
    """copy_of(name) -> a copy of the board's folder that may be changed."""

    def make(name):
        folder = tmp_path / name
        folder.mkdir()
        for file in ("board.json", "hardware.json"):
            shutil.copy(BOARDS / name / file, folder)
        return folder

    return make


def changed(folder, old, new, file="board.json"):
    """Replace `old`, which must stand in one place, and return the 1-based line where it stood."""
    path = folder / file
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, (old, text.count(old))
    path.write_text(text.replace(old, new), encoding="utf-8")
    return text[: text.index(old)].count("\n") + 1


def faults_of(folder):
    with pytest.raises(BoardFileError) as caught:
        load_board(folder)
    assert str(caught.value) == "\n".join(str(fault) for fault in caught.value.faults)
    return caught.value.faults


# board, what is replaced, by what, and of the one fault: its key and words that it must hold
FAULTS = {
    "unknown key": (
        "pico",
        '"watchdog_ms"',
        '"watchdog_secs"',
        None,
        ("watchdog_secs", "is watchdog_ms meant?"),
    ),
    "wrong type": (
        "pico",
        '"period_ms": 350',
        '"period_ms": "350"',
        "hal.drive.period_ms",
        ("whole number",),
    ),
    "a float": ("pico", '"on_ms": 12', '"on_ms": 12.0', "hal.drive.on_ms", ("whole number",)),
    "a bool": ("pico", '"on_ms": 12', '"on_ms": true', "hal.drive.on_ms", ("whole number",)),
    "limit too large": ("pico", '"rest_mg": 60', '"rest_mg": 2001', "limits.rest_mg", ("1..2000",)),
    "too few tumbles": ("pico", '"min_tumbles": 3', '"min_tumbles": 2', "limits.min_tumbles", ("3..10",)),
    "tumbles in disorder": ("pico", '"drive_strokes": 4', '"drive_strokes": 7', "limits", ("does not hold",)),
    "baud": ("pico", '"baud": 115200', '"baud": 115201', "hal.uart.baud", ("115200", "is not one of")),
    "pin twice": (
        "pico",
        '"stroke-top": {"pin": 3,',
        '"stroke-top": {"pin": 2,',
        "hal.inputs.stroke-top.pin",
        ("used by hal.inputs.stroke-gate.pin", "line 7"),
    ),
    "no accelerometer": (
        "openmv",
        '"accelerometer": {"driver": "lis3dh", "bus": "i2c2", "address": 25, "tilt_deg": 10},',
        "",
        "hal.accelerometer",
        ("is missing",),
    ),
    "bus pin twice": ("pico2", '"scl": 5', '"scl": 7', None, ("pin 7 is used by hal.buses.i2c0.scl too",)),
    "no such pin": (
        "pico",
        '"drive": {"pin": 16',
        '"drive": {"pin": 23',
        "hal.outputs.drive.pin",
        ("no usable pin 23",),
    ),
    "a name on rp2": (
        "pico",
        '"drive": {"pin": 16',
        '"drive": {"pin": "P9"',
        "hal.outputs.drive.pin",
        ("no usable pin P9",),
    ),
    "not a UART pin": ("pico2", '"tx": 0', '"tx": 14', "hal.uart.tx", ("cannot be uart0-tx", "0, 12, 16")),
    "not an I2C pin": (
        "pico2",
        '"scl": 5',
        '"scl": 27',
        "hal.buses.i2c0.scl",
        ("cannot be i2c0-scl", "1, 5, 9"),
    ),
    "input only": ("openmv", '"drive": {"pin": "P9"', '"drive": {"pin": "P11"', None, ("P11",)),
    "level": (
        "pico",
        '"status": {"pin": 18, "active": "high"}',
        '"status": {"pin": 18, "active": "on"}',
        None,
        ("low, high",),
    ),
    "unknown driver": (
        "openmv",
        '"driver": "openmv"',
        '"driver": "ov7670"',
        "hal.camera.driver",
        ("openmv, esp32",),
    ),
    "unknown sensor": ("pico", '"huskylens-v1"', '"huskylens-v3"', "hal.sensor.driver", ("is no driver",)),
    "no algorithm": ("pico2", ', "algorithm": 128', "", "hal.sensor.algorithm", ("is missing",)),
    "no such bus": ("pico", '"bus": "uart1"', '"bus": "uart0"', None, ("no bus uart0",)),
    "address of a UART": (
        "pico",
        '"bus": "uart1"}',
        '"bus": "uart1", "address": 50}',
        "hal.sensor.address",
        ("no meaning",),
    ),
    "address twice": (
        "pico2",
        '"bus": "i2c0", "address": 80',
        '"bus": "i2c1", "address": 25',
        "hal.sensor",
        ("shares i2c1",),
    ),
    "address reserved": ("pico2", '"address": 80', '"address": 120', "hal.sensor.address", ("8..119",)),
    "bus misnamed": (
        "pico2",
        '"i2c0": {"id": 0',
        '"i2c0": {"id": 1',
        "hal.buses.i2c0.id",
        ("is called i2c0",),
    ),
    "link on a bus": ("pico", '"uart": {"id": 0', '"uart": {"id": 1', None, ("link to the host",)),
    "profile missing": (
        "openmv",
        "white_black_320",
        "white_black_999",
        "profile",
        ("there is no", "white_black_160.json"),
    ),
    "profile elsewhere": ("openmv", "white_black_320.json", "../main.py", "profile", ("firmware/profiles",)),
    "profile of another size": (
        "openmv",
        "white_black_320",
        "white_black_160",
        "profile",
        ("160 x 120", "320 x 240"),
    ),
    "profile with a sensor": (
        "pico",
        '"profile": null',
        '"profile": "white_black_320.json"',
        "profile",
        ("null",),
    ),
    "no profile": (
        "openmv",
        '"profile": "white_black_320.json"',
        '"profile": null',
        "profile",
        ("frames are read",),
    ),
    "a lamp missing": (
        "openmv",
        '"lamp3": {"pin": "P18", "active": "high"},',
        "",
        "hal.outputs.lamp3",
        ("four lamps",),
    ),
    "no tilt": (
        "blinka",
        ',\n      "tilted": {"pin": "GP13", "active": "high", "pull": "up"}',
        "",
        "hal",
        ("tilted",),
    ),
    "a lamp missing on a desktop": (
        "blinka",
        '"lamp3": {"pin": "GP22", "active": "high"},',
        "",
        "hal.outputs.lamp3",
        ("four lamps",),
    ),
    "vibration twice": (
        "pico2",
        '"sensor": {',
        '"vibration": {"pin": 26, "full_scale_mg": 4000}, "sensor": {',
        "hal.vibration",
        ("is not known",),
    ),
    "not analogue": (
        "blinka",
        '"vibration": {"pin": "GP26"',
        '"vibration": {"pin": "GP5"',
        None,
        ("adc", "GP26, GP27"),
    ),
    "watchdog beyond the chip": (
        "pico",
        '"watchdog_ms": 8000',
        '"watchdog_ms": 8389',
        "hal.watchdog_ms",
        ("8388",),
    ),
    "watchdog in a frame": (
        "openmv",
        '"watchdog_ms": 8000',
        '"watchdog_ms": 5504',
        "hal.watchdog_ms",
        ("frame", "5504 ms"),
    ),
    "watchdog while the camera's module waits": (
        "esp32-s3",
        '"watchdog_ms": 30000',
        '"watchdog_ms": 19488',
        "hal.watchdog_ms",
        ("frame", "19488 ms"),
    ),
    "a bus too fast for its device": (
        "pico2",
        '"freq": 100000',
        '"freq": 100001',
        "hal.buses.i2c0.freq",
        ("huskylens-v2", "at most 100000"),
    ),
    "solenoid": ("pico", '"on_ms": 12', '"on_ms": 176', "hal.drive.on_ms", ("overheats",)),
    "drive cut short": (
        "pico",
        '"drive_limit_ms": 4000',
        '"drive_limit_ms": 1399',
        "hal.drive_limit_ms",
        ("1400 ms",),
    ),
    "strokes too far apart": (
        "pico",
        '"stroke_gap_ms": 600',
        '"stroke_gap_ms": 350',
        "limits.stroke_gap_ms",
        ("longer",),
    ),
    "back end on another port": (
        "virtual",
        '"board": "virtual"',
        '"board": "blinka"',
        "board",
        ("runs on blinka",),
    ),
    "unknown back end": ("virtual", '"board": "virtual"', '"board": "arduino"', "board", ("is not one of",)),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_is_told_with_its_line(copy_of, kind):
    name, old, new, where, words = FAULTS[kind]
    folder = copy_of(name)
    line = changed(folder, old, new)
    faults = [fault for fault in faults_of(folder) if where in (None, fault.where)]
    assert faults, kind
    text = "\n".join(str(fault) for fault in faults)
    for word in words:
        assert word in text
    lines = {fault.line for fault in faults}
    assert lines & {line, enclosing(folder, where)}, (line, text)
    assert all(fault.file == folder / "board.json" for fault in faults)


def enclosing(folder, where):
    """The line of the object in which a missing key should stand."""
    found = parse((folder / "board.json").read_text(encoding="utf-8"))
    for name in [where] if where in ("limits", "hal") else (where or "").split(".")[:-1]:
        found = found.get(name) or found
    return found.line


def test_all_faults_of_both_files_are_told_at_once(copy_of):
    folder = copy_of("pico")
    first = changed(folder, '"stroke-top": {"pin": 3,', '"stroke-top": {"pin": 99,')
    second = changed(folder, '"rest_ms": 400', '"rest_ms": 0')
    third = changed(folder, '"port": "rp2"', '"port": "rp3"', "hardware.json")
    told = [(fault.file.name, fault.line) for fault in faults_of(folder)]
    assert told == [("board.json", first), ("board.json", second), ("hardware.json", third)]


def test_a_camera_and_a_sensor_are_one_too_many_and_none_too_few(copy_of):
    folder = copy_of("openmv")
    sensor = '"sensor": {"driver": "dice-module", "bus": "i2c2", "address": 61}'
    changed(folder, '"camera": {', sensor + ',\n    "camera": {')
    assert "keep it or this sensor" in str(faults_of(folder))
    folder = copy_of("pico")
    content = json.loads((folder / "board.json").read_text())
    del content["hal"]["sensor"], content["hal"]["buses"]["uart1"]
    (folder / "board.json").write_text(json.dumps(content))
    assert "needs a camera or a sensor" in "\n".join(fault.text for fault in faults_of(folder))


def test_an_esp32_camera_needs_psram_and_its_module(copy_of):
    folder = copy_of("esp32-s3")
    changed(folder, '"camera-module", "psram", ', "", "hardware.json")
    faults = [fault for fault in faults_of(folder) if fault.where == "hal.camera.driver"]
    assert [("psram" in fault.text, "camera-module" in fault.text) for fault in faults] == [
        (False, True),
        (True, False),
    ]


def test_a_bus_without_devices_is_told(copy_of):
    folder = copy_of("pico2")
    changed(folder, '"buses": {', '"buses": {"uart1": {"id": 1, "tx": 8, "rx": 9, "baud": 9600},')
    assert [fault.where for fault in faults_of(folder)] == ["hal.buses.uart1"]


def test_parts_that_fit_nothing_and_lines_without_parts_are_told(copy_of):
    folder = copy_of("pico")
    changed(folder, '"for": ["outputs.status"]', '"for": ["outputs.siren"]', "hardware.json")
    told = {fault.text for fault in faults_of(folder)}
    assert told == {"board.json has no outputs.siren", "no part is for outputs.status"}


@pytest.mark.parametrize(
    ("raw", "line", "word"),
    [
        (b"", 1, "value is missing"),
        (b'{\n"board": "virtual",\n}', 3, "name in quotes"),
        (b'{"board": 1,\n"board": 2}', 2, "line 1"),
        (b'{"a": [1, 2}', 1, '"]"'),
        (b'{"a":\n\n01}', 3, "not valid"),
        (b'\n\n{"a": "\xff"}', 3, "UTF-8"),
        (b"[" * 5000, 1, "deep"),
        (b"{} {}", 1, "follows"),
        (b" " * 70000, 1, "65536"),
    ],
)
def test_what_is_not_json_is_told_with_its_line(copy_of, raw, line, word):
    folder = copy_of("virtual")
    (folder / "board.json").write_bytes(raw)
    (fault,) = faults_of(folder)
    assert (fault.line, word in fault.text) == (line, True), fault


@pytest.mark.parametrize("raw", [b"[]", b"null", b"7", b'"board"', b"{}"])
def test_json_that_is_no_board_is_told(copy_of, raw):
    folder = copy_of("virtual")
    (folder / "board.json").write_bytes(raw)
    assert faults_of(folder)


def test_missing_files_and_boards_are_told(copy_of, tmp_path):
    folder = copy_of("pico")
    (folder / "hardware.json").unlink()
    (fault,) = faults_of(folder)
    assert (fault.file.name, fault.line) == ("hardware.json", 0)
    for name in ("pico3", str(tmp_path / "nothing"), "", "\0", "x" * 5000):
        with pytest.raises(UnknownBoard, match="there is no such board"):
            load_board(name or str(tmp_path / "absent"))


def test_a_file_is_loaded_by_its_own_name_too(copy_of):
    folder = copy_of("pico")
    (folder / "board.json").rename(folder / "mine.json")
    assert load_board(folder / "mine.json").settings["board"] == "microcontroller"


# --- anything at all

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-10, 200)
    | st.floats(-5, 5)
    | st.sampled_from(
        [
            "",
            "up",
            "low",
            "i2c0",
            "uart1",
            "uart0",
            "P7",
            "esp32",
            "openmv",
            "microcontroller",
            "lamp0",
            "\n",
            "é",
        ]
    )
    | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["pin", "id", "tx", "bus", "i2c0", "uart1", "driver", "pins", "data_pins", "value"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)
CONTENT = {name: json.loads((BOARDS / name / "board.json").read_bytes()) for name in SHIPPED}
HARDWARE = {name: json.loads((BOARDS / name / "hardware.json").read_bytes()) for name in SHIPPED}


def paths(value, path=()):
    """Every path in the value."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from paths(each, (*path, key))


def with_value(value, path, new):
    """The value with `new` at the path; `...` takes the place away."""
    if not path:
        return None if new is ... else new
    changed_value = value.copy()
    changed_value[path[0]] = with_value(value[path[0]], path[1:], new)
    if len(path) == 1 and new is ...:
        del changed_value[path[0]]
    return changed_value


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_no_content_makes_the_check_crash(tmp_path_factory, data):
    name = data.draw(st.sampled_from(SHIPPED))
    board, hardware = CONTENT[name], HARDWARE[name]
    for _ in range(data.draw(st.integers(1, 4))):
        new = data.draw(st.just(...) | VALUES)
        if data.draw(st.booleans()):
            board = with_value(board, data.draw(st.sampled_from(list(paths(board)))), new)
        else:
            hardware = with_value(hardware, data.draw(st.sampled_from(list(paths(hardware)))), new)
    folder = tmp_path_factory.mktemp("board")
    (folder / "board.json").write_text(json.dumps(board))
    (folder / "hardware.json").write_text(json.dumps(hardware))
    try:
        load_board(folder)
        faults = None
    except BoardFileError as error:
        faults = error.faults
    assert faults != []
    for fault in faults or ():
        assert str(fault).isprintable(), fault


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet='{}[]",:0123456789.-+eE truefalsn\\ud8\n', max_size=60) | VALUES.map(json.dumps))
def test_the_reader_agrees_with_the_standard_library(text):
    """What it reads is what json.loads reads; what json.loads refuses, it refuses."""
    try:
        read = parse(text).value
        assert repr(read) == repr(json.loads(text))
        line = 1
    except NotJson as error:
        line = error.line
    assert 1 <= line <= text.count("\n") + 1


@settings(max_examples=200, deadline=None)
@given(VALUES)
def test_the_reader_reads_everything_ordinary(value):
    def plain(value):
        if isinstance(value, float):
            return int(value)
        if isinstance(value, list):
            return [plain(each) for each in value]
        return {k: plain(v) for k, v in value.items()} if isinstance(value, dict) else value

    value = plain(value)
    text = json.dumps(value, indent=1)
    found = parse(text)
    assert found.value == value
    if isinstance(value, dict):
        for name, member in found.members.items():
            assert text.splitlines()[member.line - 1].startswith(f" {json.dumps(name)}:")


def test_the_folder_of_a_board_holds_what_belongs_there():
    for name in SHIPPED:
        files = {path.name for path in Path(BOARDS / name).iterdir()}
        assert {"board.json", "hardware.json", "README.md"} <= files
