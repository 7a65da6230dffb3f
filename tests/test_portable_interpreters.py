"""Runs every portable test file under MicroPython: the 64-bit unix port and the 32-bit WebAssembly port.

pytest itself collects the same files on CPython. A file whose tests need more heap than a Pico
has says so in a line `# heap: 960k`.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
RUNNERS = ROOT / "tests/runners"
UNIX = Path(sys.executable).with_name("micropython")
FILES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "tests/portable").glob("test_*.py"))
DEFAULT_HEAP = "480k"  # of a 64-bit interpreter, whose objects are twice as large as a Pico's
TIMEOUT_S = 240
COUNTS = re.compile(r"^\S+\.py: (\d+) passed, (\d+) failed, (\d+) skipped$", re.MULTILINE)


def heap_of(file):
    stated = re.search(r"^# heap: (\d+k)$", (ROOT / file).read_text(), re.MULTILINE)
    return stated[1] if stated else DEFAULT_HEAP


def execute(command):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return subprocess.run(command, cwd=ROOT, timeout=TIMEOUT_S, check=False, **pipes)


def on_unix(file, heap=DEFAULT_HEAP):
    return execute([UNIX, "-X", f"heapsize={heap}", "tests/runners/run_portable.py", file])


def on_wasm(node, file, heap=DEFAULT_HEAP):
    return execute([*node, RUNNERS / "wasm.mjs", ROOT, file, str(1024 * int(heap[:-1]))])


def assert_passed(done):
    """The exit status alone is not believed: firmware that ends the process would leave 0."""
    counts = COUNTS.search(done.stdout)
    assert done.returncode == 0, done.stdout
    assert counts is not None, done.stdout
    assert int(counts[1]) > 0, done.stdout
    assert int(counts[2]) == 0, done.stdout


def test_there_are_portable_tests():
    assert FILES


@pytest.mark.parametrize("file", FILES)
def test_unix(file):
    assert_passed(on_unix(file, heap_of(file)))


@pytest.mark.parametrize("file", FILES)
def test_wasm(node, file):
    assert_passed(on_wasm(node, file, heap_of(file)))


HEAD = "import sys, unittest\nclass Case(unittest.TestCase):\n"
ONE = HEAD + "    def test_one(self):\n        "
GOOD_FILE = ONE + "pass\n"
BAD_FILES = {
    "failing": ONE + "self.assertEqual(1, 2)\n",
    "raising": ONE + "raise OSError(5)\n",
    "not_raising": ONE + "with self.assertRaises(OSError): pass\n",
    "one_of_two": ONE + "pass\n    def test_two(self):\n        self.fail('two')\n",
    "empty": "import unittest\n",
    "all_skipped": ONE + "self.skipTest('never')\n",
    "broken": "def (\n",
    "leaving": ONE + "sys.exit(0)\n",
}


@pytest.fixture
def written(tmp_path, request):
    path = tmp_path / "test_written.py"
    path.write_text(request.param)
    return str(path)


@pytest.mark.parametrize("written", [GOOD_FILE], indirect=True, ids=["good"])
def test_runner_passes_a_good_file(written, node):
    assert_passed(on_unix(written))
    assert_passed(on_wasm(node, written))


SMALL_INTS = ONE + "self.assertEqual(sys.maxsize, 2147483647)\n"


@pytest.mark.parametrize("written", [SMALL_INTS], indirect=True, ids=["small_ints"])
def test_wasm_is_32_bit_and_unix_64_bit(written, node):
    assert_passed(on_wasm(node, written))
    assert on_unix(written).returncode == 1


LARGE = "# heap: 960k\n" + ONE + "bytearray(600 * 1024)\n"


@pytest.mark.parametrize("written", [LARGE], indirect=True, ids=["large"])
def test_heap_is_small_unless_the_file_asks_for_more(written):
    assert on_unix(written).returncode == 1
    assert heap_of(written) == "960k"
    assert_passed(on_unix(written, heap_of(written)))


@pytest.mark.parametrize("written", BAD_FILES.values(), indirect=True, ids=BAD_FILES.keys())
def test_runner_notices_on_unix(written):
    with pytest.raises(AssertionError):
        assert_passed(on_unix(written))


@pytest.mark.parametrize("written", BAD_FILES.values(), indirect=True, ids=BAD_FILES.keys())
def test_runner_notices_on_wasm(node, written):
    with pytest.raises(AssertionError):
        assert_passed(on_wasm(node, written))
