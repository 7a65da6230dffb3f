"""Two services share one PostgreSQL: a table has one of them at a time, and the other one when that dies."""

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import httpx

from host_tools.ledger import open_ledger
from host_tools.load.fleet import Fleet
from host_tools.load.serving import Serving, new_token
from host_tools.records import Registry
from host_tools.testing.postgres_server import PostgresServer

_CONFIG = """
[service]
ledger = "{ledger}"
registry = "registry.json"
grace_s = 0
[api]
port = 0
[[tables]]
name = "T"
device = "{device}"
board = "pico"
ports = ["{port}"]
rulebook = "mbs-electronic-sic-bo-v4"
layout = "rapid-select"
chip_unit = "1"
evidence = "none"
"""
WAGERS = [{"id": str(each), "player": "Mei", "wager": "small", "stake": "10"} for each in range(5)]
LEASE_S = 15.0
TABLE = "/api/tables/T"


def test_a_service_that_is_killed_in_a_round_is_succeeded_by_another_that_concludes_it_once(
    tmp_path: Path, postgres: PostgresServer
):
    url = postgres.new_database()
    with (
        Fleet(["covered"], "two services", speed=2) as fleet,
        Serving(_config(tmp_path / "one", url, fleet), tmp_path / "log") as one,
        closing(one.manager()) as at_one,
        Serving(_config(tmp_path / "two", url, fleet), tmp_path / "log") as two,
        closing(two.manager()) as at_two,  # signs in with the account that was made at the first one
    ):
        playing, other = _program(one, at_one, "server"), _program(two, at_two, "other server")
        _until(lambda: _table(playing)["step"] == "open-round")
        assert f"in use by process {one.pid} on" in _table(other)["quarantine"]
        assert other.post(f"{TABLE}/rounds").status_code == 409
        round_id = playing.post(f"{TABLE}/rounds").raise_for_status().json()["id"]
        playing.post(f"{TABLE}/rounds/{round_id}/tumble").raise_for_status()
        _until(lambda: _table(playing)["step"] == "place-bets")
        placing = f"{TABLE}/rounds/{round_id}/wagers"
        answers = playing.post(placing, json={"wagers": WAGERS}).raise_for_status().json()
        assert all(each["registered"] for each in answers)
        assert _table(other)["round"]["id"] == round_id
        assert other.post(placing, json={"wagers": [{**WAGERS[0], "id": "x"}]}).status_code == 409

        one.kill()
        killed_at = time.monotonic()
        _until(lambda: _table(other)["quarantine"] == "")
        assert time.monotonic() - killed_at < LEASE_S + 30  # for a busy machine
        _until(lambda: _table(other)["step"] == "open-round")
        ended = other.get(f"{TABLE}/rounds/{round_id}").json()
        assert [each["verdict"] for each in ended["settlements"]] == ["void"]
        assert [each["returned"] for each in ended["wagers"]] == ["10.00"] * 5
        again = other.post(placing, json={"wagers": WAGERS}).json()
        assert [each["registered"] for each in again] == [True] * 5
        told = [each for each in other.get("/api/events").json() if each["round"] == round_id]
        assert [each["kind"] for each in told].count("round-void") == 1
        assert [each["sequence"] for each in told] == sorted({each["sequence"] for each in told})
        next_id = other.post(f"{TABLE}/rounds").raise_for_status().json()["id"]
        assert next_id != round_id
        log = at_two.get("/api/log", params={"log": "T"}).json()
        assert {"server", "other server"} <= {each["who"] for each in log}
        two.stop()
        (records,) = fleet.records()
    with open_ledger(url, read_only=True) as books:
        books.check_everything()
        (device,) = books.devices()
        assert [each.raw for each in books.records(device.id, 0)] == records
        assert sum(each.amount for each in books.postings(bytes.fromhex(round_id))) == 0


def test_an_account_that_is_closed_at_one_service_is_closed_at_the_other(tmp_path, postgres):
    url = postgres.new_database()
    with (
        Fleet(["covered"], "people") as fleet,
        Serving(_config(tmp_path / "one", url, fleet), tmp_path / "log") as one,
        closing(one.manager()) as at_one,
        Serving(_config(tmp_path / "two", url, fleet), tmp_path / "log") as two,
        closing(two.manager()) as at_two,
    ):
        token = new_token(at_one, "server")
        client = httpx.Client(base_url=two.url, headers={"Authorization": f"Bearer {token}"})
        with client:
            assert client.get("/api/tables").status_code == 200
            at_one.delete("/api/tokens/server").raise_for_status()
            assert client.get("/api/tables").status_code == 401
        told = at_two.get("/api/log", params={"log": "people"}).json()
        assert told == at_one.get("/api/log", params={"log": "people"}).json()
        assert "server" in told[-1]["before"]


def _config(folder: Path, url: str, fleet: Fleet) -> Path:
    folder.mkdir()
    (tumbler,) = fleet.tumblers
    registry = Registry.open(folder / "registry.json")
    registry.register(tumbler.registered, tumbler.challenge, tumbler.proof)
    path = folder / "config.toml"
    device = tumbler.registered.id.hex()
    path.write_text(_CONFIG.format(ledger=url, device=device, port=tumbler.port))
    return path


def _program(serving: Serving, manager: httpx.Client, name: str) -> httpx.Client:
    headers = {"Authorization": f"Bearer {new_token(manager, name)}"}
    return httpx.Client(base_url=serving.url, headers=headers, timeout=60)


def _table(client: httpx.Client) -> dict:
    return client.get(TABLE).raise_for_status().json()


def _until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 90
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.1)
