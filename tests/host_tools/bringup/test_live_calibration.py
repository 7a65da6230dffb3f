"""`tumbler calibrate --board`: a person, a board's camera, and the profile that its pictures always made."""

import asyncio
import json
import shutil
import signal
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from bringup_kit import ORDINARY, altered
from PIL import Image, ImageChops

from host_tools.virtual_board.scenario import Event

ROOT = Path(__file__).resolve().parents[3]
TUMBLER = Path(sys.executable).with_name("tumbler")
CALIB = ROOT / "tests" / "frames" / "scenes320" / "calib"
STEPS = ["empty", *(f"face{face}" for face in range(1, 7))]
SHIPPED = ROOT / "firmware" / "profiles" / "white_black_320.json"


class Person:
    """Sits at `tumbler calibrate` with a virtual board and lays on the platform what it asks for."""

    def __init__(self, process, board):
        self._process = process
        self._board = board
        self.errors = ""  # what the command has said
        self.steps = []  # what was laid

    async def asked(self):
        """The command's next question; "" when it has ended."""
        return await self.told("Step ")

    async def told(self, beginning):
        """The command's next line that begins so; "" when it has ended."""
        async with asyncio.timeout(60):
            while line := (await self._process.stderr.readline()).decode():
                self.errors += line
                if line.startswith(beginning):
                    return line
        return ""

    def lay(self, question):
        """Do what the question says, and press Enter."""
        step = next((f"face{face}" for face in range(1, 7) if f"showing {face}" in question), "empty")
        if step == "empty":
            assert "clear the platform" in question
        scene = "calib/empty" if step == "empty" else f"calib/white_black/{step}"
        self._board.plant.happen(Event("power-on", scene=scene))
        self.steps.append(step)
        self._process.stdin.write(b"\n")

    def gives_up(self):
        """Press Ctrl-C."""
        self._process.send_signal(signal.SIGINT)

    async def ended(self):
        """Press nothing any more; (exit status, standard output)."""
        self._process.stdin.close()
        output, errors = await self._process.communicate()
        self.errors += errors.decode()
        assert "Traceback" not in self.errors
        return self._process.returncode, output.decode()

    async def lays_all(self):
        while question := await self.asked():
            self.lay(question)
        return await self.ended()


@asynccontextmanager
async def person_at(running, *options):
    process = await asyncio.create_subprocess_exec(
        *(TUMBLER, "calibrate", "--board", "virtual", "--port", running.port, *map(str, options)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield Person(process, running.board)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@pytest.fixture
def board(flashed, on_bench, tmp_path):
    """`async with board(scenario)`: a flashed virtual board."""

    def make(scenario=ORDINARY):
        folder = tmp_path / "flashed"
        if not folder.exists():
            shutil.copytree(flashed, folder)
        return on_bench(scenario, folder, wait_for="provision the device")

    return make


def same_pictures(folder, original):
    for lamp in range(4):
        with Image.open(folder / f"lamp{lamp}.png") as one, Image.open(original / f"lamp{lamp}.png") as other:
            if one.size != other.size or ImageChops.difference(one, other).getbbox():
                return False
    return True


async def test_the_profile_is_that_of_the_same_pictures_in_folders(board, tmp_path):
    out, keep, seen = tmp_path / "white_black.json", tmp_path / "kept", tmp_path / "seen"
    async with board() as running:
        options = ("--keep", keep, "--annotate", seen, "--json", "--out", out)
        async with person_at(running, *options) as person:
            code, output = await person.lays_all()
        assert code == 0, person.errors
        assert person.steps == STEPS
        assert [(each["face"], each["read"]) for each in json.loads(output)["faces"]] == [
            (face, face) for face in range(1, 7)
        ]
        assert "Step 7 of 7" in person.errors
        assert out.read_bytes() == SHIPPED.read_bytes()
        assert {path.name for path in seen.iterdir()} == {f"{step}.png" for step in STEPS}
        assert sorted(path.name for path in keep.iterdir()) == STEPS
        assert same_pictures(keep / "empty", CALIB / "empty")
        assert same_pictures(keep / "face6", CALIB / "white_black" / "face6")
        await running.printed("provision the device")  # it was reset and starts as ever


async def test_what_was_captured_before_an_interruption_stays_and_is_not_asked_again(board, tmp_path):
    out, keep = tmp_path / "white_black.json", tmp_path / "kept"
    for step in STEPS[2:6]:
        shutil.copytree(CALIB / "white_black" / step, keep / step)
    async with board() as running:
        async with person_at(running, "--keep", keep, "--out", out) as person:
            person.lay(await person.asked())
            await person.asked()
            code, output = await person.ended()  # its input ends: nobody is there any more
        assert (code, output) == (1, "")
        assert "interrupted. Run the same command again" in person.errors
        assert sorted(path.name for path in keep.iterdir()) == sorted(["empty", *STEPS[2:6]])
        async with person_at(running, "--keep", keep, "--out", out) as person:
            code, output = await person.lays_all()
    assert code == 0, person.errors
    assert person.steps == ["face1", "face6"]
    assert out.read_bytes() == SHIPPED.read_bytes()


async def test_ctrl_c_at_a_question_and_a_board_that_loses_power_are_told(board, tmp_path):
    keep = tmp_path / "kept"
    async with board() as running:
        async with person_at(running, "--keep", keep, "--out", tmp_path / "x.json") as person:
            await person.asked()
            person.gives_up()
            assert (await person.ended())[0] == 1
        assert "interrupted. Run the same command again" in person.errors
        async with person_at(running, "--keep", keep, "--out", tmp_path / "x.json") as person:
            question = await person.asked()
            await running.board.power_cut()
            person.lay(question)
            assert (await person.ended())[0] == 1
        assert "check cable and power, then run the same command again" in person.errors
    assert not keep.exists()


async def test_ctrl_c_while_a_picture_is_fetched_keeps_no_half_step_and_frees_the_board(board, tmp_path):
    keep = tmp_path / "kept"
    async with board() as running:
        async with person_at(running, "--keep", keep, "--out", tmp_path / "x.json") as person:
            person.lay(await person.asked())
            await person.told("  lamp 2")
            person.gives_up()
            assert (await person.ended())[0] == 1
        assert "interrupted. Run the same command again" in person.errors
        assert not (keep / "empty").exists()
        async with person_at(running, "--keep", keep, "--out", tmp_path / "x.json") as person:
            person.lay(await person.asked())
            assert "Step 2 of 7" in await person.asked()
            await person.ended()
        assert person.steps == ["empty"]
        assert same_pictures(keep / "empty", CALIB / "empty")


async def test_a_dead_camera_is_told_with_what_to_check(board, tmp_path):
    options = ("--out", tmp_path / "x.json")
    async with board(altered(camera="dead")) as running, person_at(running, *options) as person:
        code, output = await person.lays_all()
    assert (code, output) == (1, "")
    assert person.steps == ["empty"]
    assert "check the camera's cable and power" in person.errors
    assert not (tmp_path / "x.json").exists()


async def test_a_forgotten_die_is_told_with_the_folder_to_take_again(board, tmp_path):
    keep = tmp_path / "kept"
    shutil.copytree(CALIB / "white_black", keep)
    shutil.copytree(CALIB / "empty", keep / "empty")
    shutil.rmtree(keep / "face3")
    shutil.copytree(CALIB / "empty", keep / "face3")
    options = ("--keep", keep, "--out", tmp_path / "x.json")
    async with board() as running, person_at(running, *options) as person:
        code, _ = await person.lays_all()
    assert (code, person.steps) == (2, [])
    assert "face3: 0 bodies where one die should lie. Remove that step's folder" in person.errors


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        (("--board", "pico2", "--port", "PTY"), "has no camera: its smart sensor reads the faces by itself"),
        (("--board", "esp32-s3"), "plug it in"),
        (("--board", "virtual", "--port", "/dev/nothing"), "there is no port"),
        (("--board", "virtual", "--faces", "x"), "leave out --empty and --faces"),
        (("--port", "x", "--empty", "x", "--faces", "x"), "go with --board"),
        ((), "give --board"),
    ],
)
async def test_bad_input_exits_with_2_and_says_what_to_do(on_bench, options, advice, tmp_path):
    async with on_bench() as running:
        options = [running.port if each == "PTY" else each for each in options]
        process = await asyncio.create_subprocess_exec(
            *(TUMBLER, "calibrate", *options, "--out", tmp_path / "x.json"),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        output, errors = await process.communicate()
    assert (process.returncode, output) == (2, b"")
    assert advice in errors.decode()
    assert "Traceback" not in errors.decode()
