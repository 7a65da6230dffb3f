"""What a rude client can send: the right status and a reason, no crash and nothing changed."""

import pytest

from host_tools.api.limits import MOST_BYTES
from host_tools.people import Role
from tests.host_tools.api.api_rig import PASSWORD, api
from tests.host_tools.service.service_rig import COVERED

WAGER = {"id": "1", "player": "Mei", "wager": "small", "stake": "10"}
BAD_WAGERS = [
    {**WAGER, "stake": 10},
    {**WAGER, "stake": "10\x00"},
    {**WAGER, "id": ""},
    {**WAGER, "id": "x" * 129},
    {**WAGER, "player": "\ud800"},
    {**WAGER, "more": 1},
    {"id": "1"},
    "small",
]
REFUSED_WAGERS = [
    ({**WAGER, "stake": "-1"}, "malformed stake"),
    ({**WAGER, "stake": "0.5"}, "chip unit"),
    ({**WAGER, "stake": "1e3"}, "malformed stake"),
    ({**WAGER, "wager": "total:3"}, "total:3"),
    ({**WAGER, "wager": "nonsense"}, "malformed wager"),
    ({**WAGER, "stake": "99999999999999999999"}, "outside limits"),
]


async def test_malformed_wagers_are_refused_and_nothing_is_registered(tmp_path):
    async with api(tmp_path) as made:
        program = await made.program()
        round_id = await made.at.betting()
        url = f"/api/tables/{COVERED}/rounds/{round_id}/wagers"
        for wager in BAD_WAGERS:
            answer = await program.post(url, content=_json({"wagers": [WAGER, wager]}), headers=JSON)
            assert (answer.status_code, answer.json()["error"]) == (422, "malformed"), wager
        for wager, reason in REFUSED_WAGERS:
            answer = await program.post(url, json={"wagers": [wager]})
            assert (answer.status_code, answer.json()["error"]) == (409, "batch-refused"), wager
            assert reason in answer.json()["answers"][0]["reason"]
        other = {**WAGER, "wager": "big"}
        answer = await program.post(url, json={"wagers": [WAGER, other]})
        assert answer.status_code == 409
        assert (await program.get(url)).json() == []


JSON = {"Content-Type": "application/json"}


def _json(value: object) -> bytes:
    import json

    return json.dumps(value).encode()


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"", 422),
        (b"{", 422),
        (b"\xff\xfe", 422),
        (b"[" * 100_000, 400),
        (b'{"wagers": []}', 422),
        (_json({"wagers": [WAGER] * 1001}), 422),
        (b" " * (MOST_BYTES + 1), 413),
        (b'{"wagers": [{"id": NaN}]}', 422),
    ],
)
async def test_bodies_that_are_no_batch(tmp_path, content, status):
    async with api(tmp_path) as made:
        program = await made.program()
        url = f"/api/tables/{COVERED}/rounds/{'ab' * 16}/wagers"
        answer = await program.post(url, content=content, headers=JSON)
        assert answer.status_code == status
        assert set(answer.json()) == {"error", "message"}


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/nothing", 404),
        ("/api/tables/Nowhere", 404),
        ("/api/tables/%00", 422),
        ("/api/tables/..%2f..%2fetc%2fpasswd", 404),
        ("/..%2f..%2fpyproject.toml", 404),
        ("/__init__.py/../../pyproject.toml", 404),
        (f"/api/tables/{COVERED}/rounds/zz", 422),
        (f"/api/tables/{COVERED}/rounds?limit=0", 422),
        (f"/api/tables/{COVERED}/rounds?limit=1000000", 422),
        ("/api/events?after=-1", 422),
        ("/api/events?after=99999999999999999999999", 422),
        ("/api/events?table=Nowhere", 404),
        ("/api/records?device=zz", 422),
    ],
)
async def test_addresses_that_lead_nowhere(tmp_path, path, status):
    async with api(tmp_path) as made:
        auditor = await made.person(Role.AUDITOR)
        answer = await auditor.get(path)
        assert answer.status_code == status, answer.text


async def test_guessing_passwords_locks_the_name_and_too_many_requests_wait(tmp_path):
    async with api(tmp_path) as made:
        await made.person(Role.DEALER, "Ada")
        stranger = await made.client()
        body = {"name": "Ada", "password": "wrong"}
        answers = [await stranger.post("/api/session", json=body) for _ in range(7)]
        assert [each.status_code for each in answers] == [401] * 5 + [429] * 2
        assert int(answers[-1].headers["retry-after"]) >= 29
        right = await stranger.post("/api/session", json={"name": "Ada", "password": PASSWORD})
        assert right.status_code == 429


async def test_one_who_asks_too_often_waits_and_others_do_not(tmp_path):
    async with api(tmp_path) as made:
        made.app.state.guard._limit._per_s = 5.0
        made.app.state.guard._limit._most = 10.0
        rude, polite = await made.person(Role.AUDITOR), await made.program()
        answers = [await rude.get("/api/session") for _ in range(30)]
        limited = [each for each in answers if each.status_code == 429]
        assert limited
        assert int(limited[0].headers["retry-after"]) >= 1
        assert (await polite.get("/api/tables")).status_code == 200


async def test_the_set_up_link_works_once(tmp_path):
    async with api(tmp_path) as made:
        secret = made.at.service.accounts.set_up_secret()
        stranger = await made.client()
        body = {"name": "Boss", "password": PASSWORD}
        assert (await stranger.post("/api/setup/wrong", json=body)).status_code == 403
        assert (await stranger.post(f"/api/setup/{secret}", json=body)).json()["role"] == "shift-manager"
        assert (await stranger.post(f"/api/setup/{secret}", json=body)).status_code == 403


async def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(tmp_path):
    async with api(tmp_path) as made:
        await made.person(Role.DEALER, "Ada")
        stranger = await made.client()
        answer = await stranger.post("/api/session", json={"name": "Ada", "password": PASSWORD})
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert answer.headers["cache-control"] == "no-store"
        assert "'self'" in answer.headers["content-security-policy"]
        assert "unsafe" not in answer.headers["content-security-policy"]


async def test_the_page_is_served_with_its_policy(tmp_path):
    async with api(tmp_path) as made:
        page = await (await made.client()).get("/")
        assert page.status_code == 200
        assert page.headers["content-type"].startswith("text/html")
        assert page.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["/api/session", "/api/setup/abc"])
async def test_nobody_signs_in_from_another_sites_page(tmp_path, path):
    async with api(tmp_path) as made:
        await made.person(Role.DEALER, "Ada")
        stranger = await made.client()
        body = {"name": "Ada", "password": PASSWORD}
        for origin in ("https://elsewhere.example", "null", "http://test.elsewhere.example"):
            answer = await stranger.post(path, json=body, headers={"Origin": origin})
            assert (answer.status_code, answer.json()["error"]) == (403, "not-allowed")
            assert "set-cookie" not in answer.headers
        own = await stranger.post("/api/session", json=body, headers={"Origin": "http://test"})
        assert own.status_code == 200


async def test_without_tls_no_browser_is_told_to_come_with_it(tmp_path):
    async with api(tmp_path) as made:
        answer = await (await made.client()).get("/health")
        assert "strict-transport-security" not in answer.headers
