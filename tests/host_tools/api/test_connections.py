"""Connections that ask for nothing, ask by halves or take nothing hold no file of the service for long."""

import asyncio
import contextlib
import gc
import json
import resource
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest

from host_tools.api import door, patience
from tests.host_tools.api.api_rig import Api, served
from tests.host_tools.service.service_rig import COVERED, House, house

UPGRADE = (
    b"GET /api/events HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
)
HALVES = {
    "line": b"GET /hea",
    "headers": b"GET /health HTTP/1.1\r\nHost: he",
    "body": b"POST /api/session HTTP/1.1\r\nHost: here\r\nContent-Length: 100\r\n\r\n{",
    "chunks": b"POST /api/session HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
    "upgrade": UPGRADE,
}
HEALTH = b"GET /health HTTP/1.1\r\nHost: here\r\n\r\n"


@pytest.fixture
def soon(monkeypatch):
    """Limits of time that a test can wait for."""
    monkeypatch.setattr(patience, "IDLE_S", 1.0)
    monkeypatch.setattr(patience, "REQUEST_S", 0.6)
    monkeypatch.setattr(patience, "TAKE_S", 0.6)
    monkeypatch.setattr("host_tools.api.server.IDLE_S", 1.0)


@contextlib.asynccontextmanager
async def port_of(folder: Path) -> AsyncIterator[tuple[House, int]]:
    async with house(folder) as at, served(at) as url:
        yield at, int(url.rpartition(":")[2])


async def everything(reader: asyncio.StreamReader) -> bytes:
    async with asyncio.timeout(10):
        return await reader.read()


@pytest.mark.parametrize("half", HALVES)
async def test_half_a_request_is_told_that_it_is_late_and_sent_away(tmp_path, soon, half):
    async with port_of(tmp_path) as (_, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(HALVES[half])
        head, _, body = (await everything(reader)).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 408 ")
        assert json.loads(body)["error"] == "too-slow"
        writer.close()


async def test_a_byte_now_and_then_wins_no_time(tmp_path, soon):
    async with port_of(tmp_path) as (_, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        answer = asyncio.create_task(everything(reader))
        began = time.monotonic()
        for byte in HEALTH:
            writer.write(bytes([byte]))
            await asyncio.sleep(0.05)
            if answer.done():
                break
        assert (await answer).startswith(b"HTTP/1.1 408 ")
        assert 0.5 < time.monotonic() - began < 2.0
        writer.close()


async def test_the_time_of_a_request_begins_anew_with_each(tmp_path, soon):
    async with port_of(tmp_path) as (_, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in range(6):  # each in two pieces, together longer than one may take
            writer.write(HEALTH[:9])
            await asyncio.sleep(0.15)
            writer.write(HEALTH[9:])
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 5)
            assert head.startswith(b"HTTP/1.1 200 ")
            length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
            await reader.readexactly(length)
        writer.write(HEALTH[:9])
        assert (await everything(reader)).startswith(b"HTTP/1.1 408 ")
        writer.close()


@pytest.mark.parametrize("first", [b"", HEALTH])
async def test_a_connection_that_says_nothing_is_closed(tmp_path, soon, first):
    async with port_of(tmp_path) as (_, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(first)
        told = await everything(reader)
        assert told.startswith(b"HTTP/1.1 200 ") if first else told == b""
        writer.close()


async def test_half_a_request_that_is_given_up_does_nothing(tmp_path):
    """What it would have done without its body: a round."""
    async with port_of(tmp_path) as (at, port):
        token = await Api(at).token()
        await at.step(COVERED, "open-round")
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        path = f"/api/tables/{COVERED.replace(' ', '%20')}/rounds"
        head = f"POST {path} HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer {token}\r\n"
        writer.write(f"{head}Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{{}}".encode())
        await asyncio.sleep(0.2)
        writer.close()
        await asyncio.sleep(0.5)
        assert await at.playing().rounds(COVERED) == []


def deaf(port: int, asked: bytes) -> socket.socket:
    """A client with hardly any room for what it is told, which it does not read."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    made.connect(("127.0.0.1", port))
    made.sendall(asked)
    return made


async def test_an_answer_that_nobody_takes_is_not_kept(tmp_path, soon):
    async with port_of(tmp_path) as (at, port):
        at.service.figures = lambda: "x" * 50_000_000  # type: ignore[method-assign] - more than any buffer takes
        with deaf(port, b"GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n"):
            await until_open(1)
            await until_open(0)


async def test_a_socket_that_does_not_answer_the_farewell_is_gone_all_the_same(tmp_path, monkeypatch):
    made = patience.WebSocketsSansIOProtocol.__init__

    def impatient(self, *given, **told) -> None:
        made(self, *given, **told)
        self.close_timeout = 0.3

    monkeypatch.setattr(patience.WebSocketsSansIOProtocol, "__init__", impatient)
    async with port_of(tmp_path) as (_, port):
        with deaf(port, UPGRADE + b"\r\n"):  # nobody is signed in: the service says farewell
            await until_open(1)
            await until_open(0)


async def until_open(count: int) -> None:
    """Wait until the service holds so many connections."""
    async with asyncio.timeout(15):
        while len(guests()) != count:  # noqa: ASYNC110 - nobody announces it
            await asyncio.sleep(0.05)


def guests() -> list[door.Guest]:
    """The connections in this process that have a file."""
    return [each for each in gc.get_objects() if type(each) is door.Guest and each.fileno() >= 0]


async def test_a_rude_upgrade_is_refused_without_a_trace_in_the_log(tmp_path, caplog):
    asked = (UPGRADE.replace(b"GET", b"POST"), UPGRADE.replace(b"Sec-WebSocket-Key", b"Sec-WebSocket-Lock"))
    async with port_of(tmp_path) as (_, port):
        for each in asked:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(each + b"\r\n")
            assert (await everything(reader)).startswith(b"HTTP/1.1 4")
            writer.close()
    assert [record for record in caplog.records if record.levelname in ("WARNING", "ERROR")] == []


CONFIG = """
[service]
ledger = "ledger.sqlite"
grace_s = 0
[api]
port = 0
[[tables]]
name = "C"
kind = "cards"
rulebook = "mbs-3-card-sic-bo-2016"
layout = "standard"
chip_unit = "1"
"""
FILES = 120
COMMAND = (sys.executable, "-c", "from host_tools.cli import main; main()", "serve")


@pytest.fixture
def small_service(tmp_path) -> Iterator[tuple[int, Path]]:
    """`tumbler serve` with few files; its port and its log."""
    (tmp_path / "c.toml").write_text(CONFIG)
    log = tmp_path / "log"
    with log.open("wb") as errors:
        child = subprocess.Popen(
            ["/bin/sh", "-c", f'ulimit -n {FILES}; exec "$@"', "sh", *COMMAND, str(tmp_path / "c.toml")],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        try:
            assert child.stdout is not None
            url = child.stdout.readline().split()[-1]
            yield int(url.rpartition(":")[2]), log
        finally:
            child.terminate()
            child.wait(30)


def test_health_is_answered_and_the_log_stays_small_while_strangers_take_all_connections(small_service):
    port, log = small_service
    stop = threading.Event()
    crowd = [
        threading.Thread(target=knock, args=(port, half, stop)) for half in (*HALVES.values(), b"", HEALTH)
    ]
    for each in crowd:
        each.start()
    try:
        time.sleep(1.0)
        for _ in range(20):
            began = time.monotonic()
            assert httpx.get(f"http://127.0.0.1:{port}/health", timeout=10).status_code == 200
            assert time.monotonic() - began < 5.0
    finally:
        stop.set()
        for each in crowd:
            each.join()
    told = log.read_text()
    assert told.count("connections are open") == 1  # in less than a minute
    assert len(told.splitlines()) < 20, told[-2000:]


def knock(port: int, said: bytes, stop: threading.Event) -> None:
    """Hold 100 connections, and make a new one for each that is lost."""
    held: list[socket.socket] = []
    while not stop.is_set():
        with contextlib.suppress(OSError):
            made = socket.create_connection(("127.0.0.1", port), timeout=1)
            held.append(made)
            made.sendall(said)
        if len(held) > 100:
            held.pop(0).close()
        time.sleep(0.005)
    for each in held:
        each.close()


def test_a_service_without_a_file_left_says_so_once_and_goes_on(caplog):
    """The files went elsewhere: no count of connections foresees it."""

    async def knock_while_no_file_is_left() -> bytes:
        made = door.Door(10, lambda _, __: Greeting())
        await made.open("127.0.0.1", 0)
        loop = asyncio.get_running_loop()
        with socket.socket() as client:
            client.setblocking(False)
            with no_file_left():
                await loop.sock_connect(client, made.sockets[0].getsockname())
                await asyncio.sleep(1.0)
            told = await asyncio.wait_for(loop.sock_recv(client, 10), 5)
        made.close()
        await made.wait_closed()
        return told

    assert asyncio.run(knock_while_no_file_is_left()) == b"hello"
    told = [record.message for record in caplog.records if record.name == door.__name__]
    assert [each.partition(":")[0] for each in told] == ["cannot let a connection in"]


@contextlib.contextmanager
def no_file_left() -> Iterator[None]:
    """This process can open nothing."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.ExitStack() as stack:
        used = max(int(each.name) for each in Path("/proc/self/fd").iterdir())
        resource.setrlimit(resource.RLIMIT_NOFILE, (used + 1, hard))
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        with contextlib.suppress(OSError):
            while True:
                stack.enter_context(Path("/dev/null").open())
        yield


class Greeting(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        transport.write(b"hello")
        transport.close()
