"""`tumbler serve` as people run it: the firmware on a virtual board, the API on a port, killed on the way."""

import asyncio
import contextlib
import os
import re
import signal
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx

from host_tools.client import HttpTables, TableView, Wager
from host_tools.ledger import open_ledger
from host_tools.people import Role
from tests.host_tools.service.service_rig import CARDS, house

PASSWORD = "correct horse battery"
TABLE = "Table 1"
MARKS = ({"marks": "device"}, {"marks": "host"})
CONFIG = """
[service]
ledger = "ledger.sqlite"
grace_s = 0

[api]
port = 0

[[tables]]
name = "Table 1"
device = "virtual"
rulebook = "mbs-electronic-sic-bo-v4"
layout = "rapid-select"
chip_unit = "1"
speed = 20
evidence = "after"
"""


class Running:
    """A `tumbler serve` in a process of its own."""

    def __init__(self, process: asyncio.subprocess.Process, url: str, set_up: str) -> None:
        self.process = process
        self.url = url
        self.set_up = set_up


@contextlib.asynccontextmanager
async def serve(folder: Path, *, first: bool) -> AsyncIterator[Running]:
    """Started, and killed at the end unless it ended before; the `first` start prints the set-up link."""
    command = (sys.executable, "-c", "from host_tools.cli import main; main()", "serve", "service.toml")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    process = await asyncio.create_subprocess_exec(
        *command, cwd=folder, env=environment, stdout=asyncio.subprocess.PIPE, start_new_session=True
    )
    try:
        url = re.search(rb"http://\S+", await _line(process))
        assert url is not None
        yield Running(process, url[0].decode(), await _set_up(process) if first else "")
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


async def _line(process: asyncio.subprocess.Process) -> bytes:
    assert process.stdout is not None
    async with asyncio.timeout(60):
        return await process.stdout.readline()


async def _set_up(process: asyncio.subprocess.Process) -> str:
    found = re.search(rb"/#/setup/(\S+)", await _line(process))
    assert found is not None
    return found[1].decode()


async def sign_up(running: Running) -> str:
    """Make the first account and the table server's; its token."""
    async with httpx.AsyncClient(base_url=f"{running.url}/api", timeout=30) as boss:
        account = {"name": "Boss", "password": PASSWORD}
        assert (await boss.post(f"/setup/{running.set_up}", json=account)).status_code == 201
        session = (await boss.post("/session", json=account)).json()
        headers = {"X-CSRF-Token": session["csrf"]}
        program = {"name": "the server", "role": "table-server"}
        return (await boss.post("/tokens", json=program, headers=headers)).json()["token"]


async def until(tables: HttpTables, step: str) -> TableView:
    """Wait until that is what comes next."""
    async with asyncio.timeout(60):
        while (view := await tables.table(TABLE)).step != step:  # noqa: ASYNC110 - hints may be missed
            await asyncio.sleep(0.05)
    return view


async def to_betting(tables: HttpTables) -> str:
    """A new round in which bets are open, with a wager on each side."""
    await until(tables, "open-round")
    round_ = await tables.open_round(TABLE)
    await tables.tumble(TABLE, round_.id)
    await until(tables, "place-bets")
    wagers = [Wager("1", "Mei", "small", "10"), Wager("2", "Arun", "big", "10")]
    assert all(each.registered for each in await tables.place(TABLE, round_.id, wagers))
    return round_.id


async def look_at_evidence(running: Running, round_id: str) -> None:
    """The pictures of the round come from the tumbler, plain and with both readers' marks."""
    async with httpx.AsyncClient(base_url=f"{running.url}/api", timeout=60) as boss:
        await boss.post("/session", json={"name": "Boss", "password": PASSWORD})
        address = f"/tables/{TABLE}/rounds/{round_id}/evidence/0.png"
        async with asyncio.timeout(60):
            while (await boss.get(address)).status_code == 404:  # noqa: ASYNC110 - nobody announces it
                await asyncio.sleep(0.2)
        pictures = [await boss.get(address, params=asked) for asked in ({}, *MARKS)]
        for each in pictures:
            assert (each.status_code, each.headers["content-type"]) == (200, "image/png"), each.text
            assert each.content.startswith(b"\x89PNG")
        assert len({each.content for each in pictures}) == 3
        recalled = (await boss.post(f"/tables/{TABLE}/recall", headers=await csrf(boss))).json()
        assert [(each["round"], each["outcome"], each["agrees"]) for each in recalled] == [
            (round_id, "read", True)
        ]


async def csrf(boss: httpx.AsyncClient) -> dict[str, str]:
    """The session's secret as a header."""
    return {"X-CSRF-Token": (await boss.get("/session")).json()["csrf"]}


async def test_a_round_is_played_over_http_and_a_killed_service_loses_and_doubles_nothing(tmp_path):
    (tmp_path / "service.toml").write_text(CONFIG)
    async with serve(tmp_path, first=True) as running:
        token = await sign_up(running)
        async with HttpTables(running.url, token) as tables:
            first = await to_betting(tables)
            await tables.no_more_bets(TABLE, first)
            async with asyncio.timeout(60):
                async for event in tables.follow(0):
                    assert event.round in (None, first)
                    if event.kind == "round-settled":
                        break
            settled = await tables.round(TABLE, first)
            assert settled.state == "settled"
            assert sorted(each.result or "" for each in settled.wagers) == ["lost", "won"]
            await look_at_evidence(running, first)
            second = await to_betting(tables)
    # killed in the middle of betting; the board was killed with it, as by a power cut
    async with serve(tmp_path, first=False) as running, HttpTables(running.url, token) as tables:
        await until(tables, "open-round")
        assert await tables.round(TABLE, first) == settled
        voided = await tables.round(TABLE, second)
        assert voided.state == "void"
        assert [each.returned for each in voided.wagers] == ["10.00", "10.00"]
        again = [Wager("1", "Mei", "small", "10"), Wager("2", "Arun", "big", "10")]
        assert all(each.registered for each in await tables.place(TABLE, second, again))
        assert len(await tables.wagers(TABLE, second)) == 2
        running.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(30):
            assert await running.process.wait() == 0
    with open_ledger(tmp_path / "ledger.sqlite") as books:
        books.check_everything()


async def test_a_wrong_configuration_is_told_whole_with_status_2(tmp_path):
    (tmp_path / "service.toml").write_text(CONFIG.replace("rapid-select", "nonsense").replace("= 0", '= "x"'))
    command = (sys.executable, "-c", "from host_tools.cli import main; main()", "serve", "service.toml")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    process = await asyncio.create_subprocess_exec(
        *command, cwd=tmp_path, env=environment, stderr=asyncio.subprocess.PIPE
    )
    _, told = await process.communicate()
    assert process.returncode == 2
    for place in (b"service.grace_s", b"api.port", b"tables[1].rulebook"):
        assert place in told


async def test_a_port_that_is_taken_ends_the_start_at_once_whatever_round_is_open(tmp_path):
    async with house(tmp_path, {CARDS: {}}) as at:
        await at.playing(Role.SUPERVISOR).load_shoe(CARDS, "new")
        await at.playing().open_round(CARDS)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        (tmp_path / "service.toml").write_text(
            '[service]\nledger = "ledger.sqlite"\ngrace_s = 600\n'
            f"[api]\nport = {taken.getsockname()[1]}\n"
            f'[[tables]]\nname = "{CARDS}"\nkind = "cards"\nrulebook = "mbs-3-card-sic-bo-2016"\n'
            'layout = "standard"\nchip_unit = "1"\n'
        )
        command = (sys.executable, "-c", "from host_tools.cli import main; main()", "serve", "service.toml")
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        process = await asyncio.create_subprocess_exec(
            *command, cwd=tmp_path, env=environment, stderr=asyncio.subprocess.PIPE
        )
        async with asyncio.timeout(60):
            _, told = await process.communicate()
    assert process.returncode == 1
    assert b"in use" in told
    with open_ledger(tmp_path / "ledger.sqlite") as books:
        assert [each.state for each in books.latest_rounds(CARDS, 2)] == ["betting"]
