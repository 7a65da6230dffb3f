"""A real Mosquitto on a free port, in a folder of its own; it can be killed and started again."""

import shutil
import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType

_PROGRAM = shutil.which("mosquitto", path="/usr/sbin:/usr/bin:/usr/local/sbin")


class Mosquitto:
    """`start()` and `kill()` as often as a test likes; what it retains and queues survives."""

    def __init__(self, folder: Path) -> None:
        if _PROGRAM is None:
            raise RuntimeError("mosquitto is missing; install it: apt-get install mosquitto")
        folder.chmod(0o777)  # it gives up root's rights
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self._config = folder / "mosquitto.conf"
        self._config.write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\n"
            f"persistence true\npersistence_location {folder}/\n"
            "autosave_on_changes true\nautosave_interval 1\n"
        )
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Mosquitto":
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def start(self) -> None:
        """Start, and wait until it listens."""
        self._process = subprocess.Popen(
            [str(_PROGRAM), "-c", str(self._config)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        end = time.monotonic() + 20
        while time.monotonic() < end:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        raise RuntimeError("mosquitto does not listen")

    def kill(self) -> None:
        """End it without a goodbye."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
