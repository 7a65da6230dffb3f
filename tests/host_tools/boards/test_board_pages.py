"""The wiring pages are up to date, say every pin, and go stale with the pin map."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from host_tools.boards import BOARDS, known_boards, load_board

ROOT = Path(__file__).resolve().parents[3]
WIRED = [name for name in known_boards() if load_board(name).uses]


def generate(root, *arguments):
    command = [sys.executable, root / "tools/generate_boards.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture
def copy(tmp_path):
    """The parts of the project that the generator needs, free to be changed."""
    for folder in ("tools", "boards", "firmware", "host_tools"):
        unwanted = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=unwanted)
    return tmp_path


def test_nothing_is_stale():
    done = generate(ROOT, "--check")
    assert done.returncode == 0, done.stderr


def test_a_moved_wire_makes_page_and_diagram_stale_and_generating_repairs_them(copy):
    board = copy / "boards/pico/board.json"
    board.write_text(board.read_text().replace('"drive": {"pin": 16', '"drive": {"pin": 22'))
    done = generate(copy, "--check")
    assert done.returncode == 1
    assert "boards/pico/README.md" in done.stderr
    assert "boards/pico/wiring.svg" in done.stderr
    assert "pico2" not in done.stderr
    assert generate(copy).returncode == 0
    assert "| GP22 | drive |" in (copy / "boards/pico/README.md").read_text(encoding="utf-8")
    assert generate(copy, "--check").returncode == 0


def test_a_faulty_board_gets_no_page(copy):
    board = copy / "boards/pico/board.json"
    board.write_text(board.read_text().replace('"drive": {"pin": 16', '"drive": {"pin": 17'))
    done = generate(copy)
    assert done.returncode == 1
    assert "pin 17 is used by" in done.stderr
    assert "Traceback" not in done.stderr


def test_wrong_usage_is_told():
    assert generate(ROOT, "--chek").returncode != 0


@pytest.mark.parametrize("name", WIRED)
def test_the_page_and_the_diagram_show_every_pin_once(name):
    board = load_board(name)
    used = sorted(board.hardware.get("pin_prefix", "") + use.pin for use in board.uses)
    page = (BOARDS / name / "README.md").read_text(encoding="utf-8")
    table = page[page.index("| pin |") : page.index("##", page.index("| pin |"))]
    rows = re.findall(r"^\| (\w+) \|", table, re.MULTILINE)
    assert rows[0] == "pin"
    assert sorted(rows[1:]) == used
    drawn = ElementTree.parse(BOARDS / name / "wiring.svg").getroot()
    texts = [
        each.text or ""
        for each in drawn.iter("{http://www.w3.org/2000/svg}text")
        if each.get("class") == "pin"
    ]
    assert sorted(texts[1:]) == used  # the first is the title
    assert len(list(drawn.iter("{http://www.w3.org/2000/svg}line"))) == len(used)


@pytest.mark.parametrize("name", WIRED)
def test_nothing_lies_over_another_thing_in_the_diagram(name):
    drawn = ElementTree.parse(BOARDS / name / "wiring.svg").getroot()
    height, width = float(drawn.get("height", 0)), float(drawn.get("width", 0))
    boxes = [
        tuple(float(each.get(side, 0)) for side in ("x", "y", "width", "height"))
        for each in drawn.iter("{http://www.w3.org/2000/svg}rect")
        if each.get("class") in ("part", "board")
    ]
    for index, (x, y, w, h) in enumerate(boxes):
        assert 0 <= x <= x + w <= width
        assert 0 <= y <= y + h <= height
        for ox, oy, ow, oh in boxes[index + 1 :]:
            assert x + w <= ox or ox + ow <= x or y + h <= oy or oy + oh <= y


@pytest.mark.parametrize("name", ["esp32-s3", "openmv", "pico", "pico2"])
def test_the_page_tells_how_to_flash_and_which_parts(name):
    page = (BOARDS / name / "README.md").read_text(encoding="utf-8")
    assert f"tumbler flash --board {name}" in page
    for part in json.loads((BOARDS / name / "hardware.json").read_bytes())["bom"]:
        assert f"| {part['count']} | {part['part']} |" in page


@pytest.mark.parametrize("name", ["esp32-s3", "openmv", "pico", "pico2"])
def test_every_switched_load_has_its_transistor_and_every_contact_its_pull_up(name):
    board = load_board(name)
    parts = board.hardware["bom"]
    loads = [each for each in board.settings["hal"]["outputs"] if each != "status"]
    contacts = [each for each in board.settings["hal"]["inputs"] if not each.startswith("stroke")]
    for word, lines, kind in (
        ("MOSFET", loads, "outputs"),
        ("gate to ground", loads, "outputs"),
        ("across each coil", ["drive", "cover-lock"], "outputs"),
        ("Resettable fuse", ["drive"], "outputs"),
        ("pull-up of a", contacts, "inputs"),
    ):
        (part,) = [each for each in parts if word in each["part"] + each["note"] and each.get("for")]
        assert sorted(part["for"]) == sorted(f"{kind}.{line}" for line in lines)
        assert part["count"] == len(lines)


@pytest.mark.parametrize("name", ["esp32-s3", "openmv", "pico", "pico2"])
def test_the_page_warns_of_what_would_burn(name):
    page = (BOARDS / name / "README.md").read_text(encoding="utf-8")
    rows = {row.split(" | ")[1]: row for row in re.findall(r"^\| \w+ \| .*$", page, re.MULTILINE)}
    for coil in ("drive", "cover-lock"):
        assert "a diode across it with its ring to 12 V" in rows[coil]
        assert "10 kΩ from gate to ground" in rows[coil]
    warned = page[page.index("## Before power is applied") : page.index("## Parts")]
    for word in ("level shifter", "All grounds are one", "reversed one is a short circuit", "12 V feeds"):
        assert word in warned
    assert ("the lamps" in warned) == ("camera" in load_board(name).settings["hal"])


def test_a_number_is_never_mistaken_for_one_of_the_header():
    for name in ("pico", "pico2", "esp32-s3"):
        page = (BOARDS / name / "README.md").read_text(encoding="utf-8")
        assert "a header counts its pins otherwise" in page
        assert not re.search(r"^\| \d+ \| (?:drive|link)", page, re.MULTILINE)


@pytest.mark.parametrize("name", ["pico", "pico2"])
def test_who_wires_a_huskylens_learns_that_it_takes_seven_classes(name):
    page = (BOARDS / name / "README.md").read_text(encoding="utf-8")
    assert "**exactly seven classes" in page
    assert "exactly 7 classes" in page[page.index("## Parts") :]


def test_the_sensor_module_cannot_take_the_accelerometer_s_bus_down():
    hal = load_board("pico2").settings["hal"]
    assert hal["sensor"]["bus"] != hal["accelerometer"]["bus"]
