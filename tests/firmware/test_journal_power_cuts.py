"""Journals on littlefs keep every promise over a power cut at any flash operation, and over damage."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MICROPYTHON = Path(sys.executable).with_name("micropython")


@pytest.mark.parametrize("tear", ["nothing", "half", "all", "bits"])
def test_cut_at_every_operation(tear):
    command = [MICROPYTHON, "-X", "heapsize=4m", "tests/firmware/journal_power_cuts.py", tear]
    # Between the lines the collector complains of files that a cut has left open: no matter.
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    told = re.search(r"^(\d+) cuts, every promise kept$", done.stdout, re.MULTILINE)
    assert done.returncode == 0, done.stderr[-2000:]
    assert told is not None, done.stdout[-2000:]
    assert int(told[1]) > 40


def test_a_full_volume_refuses_records_and_loses_none():
    command = [MICROPYTHON, "-X", "heapsize=1m", "tests/firmware/journal_full_volume.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    last, first, newest = map(int, done.stdout.split()[1:])
    assert 10 <= last < newest
    assert first > 1


def test_a_changed_bit_anywhere_on_the_flash_is_harmless_or_noticed():
    command = [MICROPYTHON, "-X", "heapsize=4m", "tests/firmware/journal_damage.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    _, whole, _, damaged, _, unreadable = done.stdout.split()
    assert int(whole) + int(damaged) + int(unreadable) > 10_000
    assert int(damaged) > 50


@pytest.mark.parametrize(
    ("what", "least"), [("provisioning", 80), ("use", 100), ("neighbours", 800), ("unlent", 36)]
)
def test_the_ring_in_blocks_that_the_volume_lends(what, least):
    command = [MICROPYTHON, "-X", "heapsize=6m", "tests/firmware/ring_on_littlefs.py", what]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert int(done.stdout.split()[-1]) >= least
