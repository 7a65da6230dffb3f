"""`tumbler serve` in a process of its own, as an operator runs it, its first account and a token."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx

from host_tools.people import Role

_PASSWORD = "the load test's own"
_MANAGER = "Shift Manager"
_STARTS_S = 300.0  # with many tables, on a busy machine
_STOPS_S = 120.0
_SET_UP = re.compile(r"#/setup/(\S+)")


class ServingFailed(RuntimeError):
    """The service did not start or stop; the message has the end of its log."""


class Serving:
    """The service of `config`; a context manager that ends it. Its log is in `log`."""

    def __init__(self, config: Path, log: Path) -> None:
        self.url = ""
        self._config = config
        self._log = log
        self._process: subprocess.Popen[str] | None = None
        self._set_up = ""

    def __enter__(self) -> "Serving":
        command = [Path(sys.executable).with_name("tumbler"), "serve", str(self._config)]
        with self._log.open("a") as log:
            self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        deadline = time.monotonic() + _STARTS_S
        assert self._process.stdout is not None
        while not self.url:
            line = self._process.stdout.readline()
            if not line or time.monotonic() > deadline:
                self.kill()
                raise ServingFailed(f"the service did not start:\n{self._end_of_log()}")
            if line.startswith("The console is at "):
                self.url = line.split()[-1]
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def pid(self) -> int:
        """Its process."""
        assert self._process is not None
        return self._process.pid

    def stop(self) -> None:
        """End it as an operator does. Raises ServingFailed when it does not end well."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        if self._process.wait(_STOPS_S) != 0:
            raise ServingFailed(f"the service ended by {self._process.returncode}:\n{self._end_of_log()}")

    def kill(self) -> None:
        """As the kernel does; a service that has ended stays so."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            assert self._process.stdout is not None
            self._process.stdout.close()

    def resident_mb(self) -> float:
        """Memory that it has now, without the processes of its virtual boards."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024

    def cpu_s(self) -> float:
        """Processor time that it has had."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def manager(self) -> httpx.Client:
        """A client of the shift manager's, whose account is made where there is none."""
        assert self._process is not None
        assert self._process.stdout is not None
        client = httpx.Client(base_url=self.url, timeout=60)
        credentials = {"name": _MANAGER, "password": _PASSWORD}
        signed_in = client.post("/api/session", json=credentials)
        if not signed_in.is_success:
            secret = _SET_UP.search(self._process.stdout.readline())
            if secret is None:
                raise ServingFailed("the service printed no link for the first account")
            client.post(f"/api/setup/{secret[1]}", json=credentials).raise_for_status()
            signed_in = client.post("/api/session", json=credentials).raise_for_status()
        client.headers["X-CSRF-Token"] = signed_in.json()["csrf"]
        return client

    def _end_of_log(self) -> str:
        return self._log.read_text(errors="replace")[-2000:]


def new_token(manager: httpx.Client, name: str) -> str:
    """A token for a table server's program."""
    body = {"name": name, "role": Role.TABLE_SERVER}
    return manager.post("/api/tokens", json=body).raise_for_status().json()["token"]
