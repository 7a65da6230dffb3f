"""The files made from definitions.py are up to date, and the check that says so notices when they are not."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FILES = ("docs/protocol.md", "docs/records.cddl", "tests/vectors/records.json")


def generate(root, *arguments):
    command = [sys.executable, root / "tools/generate.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tmp_path):
    """The parts of the project that the generator needs, free to be changed."""
    unwanted = shutil.ignore_patterns("__pycache__")
    for folder in ("tools", "docs", "tests/vectors", "firmware/tumbler", "host_tools/records"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=unwanted)
    shutil.copy(ROOT / "host_tools/__init__.py", tmp_path / "host_tools")
    return tmp_path


def test_nothing_is_stale():
    done = generate(ROOT, "--check")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("file", FILES)
def test_check_names_a_stale_file_and_leaves_it(copy, file):
    (copy / file).write_text("stale\n")
    done = generate(copy, "--check")
    assert done.returncode == 1
    assert file in done.stderr
    assert (copy / file).read_text() == "stale\n"


def test_generating_repairs_stale_and_missing_files(copy):
    for file in FILES[:2]:
        (copy / file).unlink()
    (copy / FILES[2]).write_text("{}")
    assert generate(copy).returncode == 0
    for file in FILES:
        assert (copy / file).read_bytes() == (ROOT / file).read_bytes()


def test_a_changed_definition_makes_the_documents_stale(copy):
    definitions = copy / "firmware/tumbler/definitions.py"
    definitions.write_text(definitions.read_text().replace('"host-void": 18', '"host-void": 28'))
    done = generate(copy, "--check")
    assert done.returncode == 1
    assert "docs/protocol.md" in done.stderr
    assert "docs/records.cddl" in done.stderr


def test_wrong_usage_is_told():
    assert generate(ROOT, "--chek").returncode != 0
