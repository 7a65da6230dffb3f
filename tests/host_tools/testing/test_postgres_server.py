"""A test's PostgreSQL server leaves nothing behind, also when the tests are killed."""

import subprocess
import sys
import time
from pathlib import Path

from host_tools.testing.postgres_server import PostgresServer

_TESTS = """
import time
from host_tools.testing.postgres_server import PostgresServer
with PostgresServer() as server:
    print(server.folder, server._process.pid, flush=True)
    time.sleep(60)
"""


def test_a_server_ends_with_the_process_that_was_killed():
    tests = subprocess.Popen([sys.executable, "-c", _TESTS], stdout=subprocess.PIPE, text=True)
    assert tests.stdout is not None
    folder, pid = tests.stdout.readline().split()
    assert Path(folder, "data/postmaster.pid").read_text().startswith(pid)
    tests.kill()
    tests.communicate()
    _until_gone(Path(folder))
    assert not Path(f"/proc/{pid}/exe").exists()


def test_a_server_that_is_left_is_gone_with_its_folder():
    with PostgresServer() as server:
        assert server.folder.exists()
    assert not server.folder.exists()


def _until_gone(folder: Path) -> None:
    deadline = time.monotonic() + 30
    while folder.exists():
        assert time.monotonic() < deadline, f"{folder} is left"
        time.sleep(0.05)
