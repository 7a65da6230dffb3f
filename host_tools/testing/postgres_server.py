"""A PostgreSQL server of one's own, on a socket in a temporary folder, run by an unprivileged user.

It ends with the process that started it, however that ends: a shell waits for the end of a pipe that this
process holds, then stops the server and removes the folder.
"""

import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import psycopg

_SETTINGS = {
    "listen_addresses": "",
    "fsync": "on",
    "shared_buffers": "32MB",
    "max_connections": "200",
    "log_min_messages": "fatal",
}

_CLEAN_UP = 'cat; "$0" stop -D "$1/data" -m immediate; rm -rf "$1"'


class PostgresMissing(RuntimeError):
    """No PostgreSQL server is installed; the message says how to get one."""


class PostgresServer:
    """Started on entering, stopped and removed on leaving; `stop` and `start` in between make an outage."""

    def __init__(self) -> None:
        self._names = itertools.count(1)
        self._process: subprocess.Popen[Any] | None = None

    def __enter__(self) -> "PostgresServer":
        self._binaries = _binaries()
        self._as_user = _unprivileged()
        self.folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))  # a socket's path must be short
        if self._as_user:
            user = self._as_user["user"]
            shutil.chown(self.folder, user)
        self._heir = subprocess.Popen(
            ["sh", "-c", _CLEAN_UP, self._binaries / "pg_ctl", self.folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,  # Ctrl-C is not for it
            **self._as_user,
        )
        self._run("initdb", "--pgdata", self._data, "--auth=trust", "--username=tumbler", "--no-sync")
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._heir.communicate()

    @property
    def _data(self) -> str:
        return str(self.folder / "data")

    def url(self) -> str:
        """The URL of this server's own database."""
        return f"postgresql://tumbler@/postgres?host={self.folder}"

    def new_database(self) -> str:
        """The URL of a new, empty schema, which is as good as a database and made faster."""
        name = f"ledger{next(self._names)}"
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}".encode())
        return f"{self.url()}&options=-csearch_path%3D{name}"

    def start(self) -> None:
        """Start the server and wait until it answers."""
        options = [part for name, value in _SETTINGS.items() for part in ("-c", f"{name}={value}")]
        process = self._process = subprocess.Popen(
            [self._binaries / "postgres", "-D", self._data, "-k", str(self.folder), *options],
            stdout=subprocess.DEVNULL,
            stderr=(self.folder / "log").open("ab"),
            cwd="/",
            **self._as_user,
        )
        deadline = time.monotonic() + 60
        while True:
            try:
                psycopg.connect(self.url()).close()
                return
            except psycopg.OperationalError:
                if process.poll() is not None or time.monotonic() > deadline:
                    log = (self.folder / "log").read_text(errors="replace")
                    raise RuntimeError(f"PostgreSQL did not start:\n{log}") from None
                time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop it: SIGINT is a fast shutdown, SIGQUIT ends it at once, as a crash does."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(60)
            self._process = None

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [self._binaries / program, *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
            **self._as_user,
        )
        if done.returncode:
            raise RuntimeError(f"{program} failed:\n{done.stdout}{done.stderr}")


def _binaries() -> Path:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: path.parts[-3])
    on_path = shutil.which("postgres")
    if on_path:
        found.append(Path(on_path))
    if not found:
        raise PostgresMissing("this needs a PostgreSQL server: apt-get install postgresql")
    return found[-1].parent


def _unprivileged() -> dict[str, Any]:
    """How to start a process that is not root's, which PostgreSQL refuses to be."""
    if os.geteuid() != 0:
        return {}
    user = pwd.getpwnam("postgres")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
