"""Every route for every role: who is not signed in gets 401, who may not gets 403, everybody else gets in."""

import pytest

from host_tools.people import Deed, Role, may
from tests.host_tools.api.api_rig import HANDED_OVER, api
from tests.host_tools.service.service_rig import COVERED, PASSWORD

ROUND = "ab" * 16
ANYBODY = object()
WHOEVER_COMES = object()

# What each route takes, written down a second time, and a body that is in order.
REASON = {"reason": "spilt drink"}
DICE = {"faces": [1, 2, 3], **REASON, "evidence": "ab" * 32}
ROUTES = {
    ("GET", "/api/tables"): (Deed.WATCH, None),
    ("GET", "/api/tables/{table}"): (Deed.WATCH, None),
    ("GET", "/api/tables/{table}/layout"): (Deed.WATCH, None),
    ("POST", "/api/tables/{table}/rounds"): (Deed.PLAY, {}),
    ("GET", "/api/tables/{table}/rounds"): (Deed.WATCH, None),
    ("GET", "/api/tables/{table}/rounds/{round}"): (Deed.WATCH, None),
    ("POST", "/api/tables/{table}/rounds/{round}/tumble"): (Deed.PLAY, {}),
    ("POST", "/api/tables/{table}/rounds/{round}/no-more-bets"): (Deed.PLAY, {}),
    ("GET", "/api/tables/{table}/rounds/{round}/wagers"): (Deed.SEE_WAGERS, None),
    ("POST", "/api/tables/{table}/rounds/{round}/wagers"): (
        Deed.WAGER,
        {"wagers": [{"id": "1", "player": "Mei", "wager": "small", "stake": "1"}]},
    ),
    ("POST", "/api/tables/{table}/rounds/{round}/withdrawals"): (Deed.WAGER, {"ids": ["1"]}),
    ("POST", "/api/tables/{table}/rounds/{round}/void"): (Deed.VOID, REASON),
    ("POST", "/api/tables/{table}/rounds/{round}/refer"): (Deed.REFER, REASON),
    ("POST", "/api/tables/{table}/rounds/{round}/resolution"): (Deed.RESOLVE, {"verdict": "void", **REASON}),
    ("POST", "/api/tables/{table}/rounds/{round}/correction"): (Deed.DECIDE, DICE),
    ("POST", "/api/tables/{table}/rounds/{round}/manual-result"): (Deed.ENTER, DICE),
    ("GET", "/api/tables/{table}/rounds/{round}/evidence/{lamp}.png"): (Deed.SEE_EVIDENCE, None),
    ("GET", "/api/tables/{table}/affected"): (Deed.DECIDE, None),
    ("POST", "/api/tables/{table}/affected"): (Deed.DECIDE, {"rounds": [ROUND], **REASON}),
    ("POST", "/api/tables/{table}/faults/{fact}/clear"): (Deed.CLEAR_FAULT, {}),
    ("POST", "/api/tables/{table}/alarms/{number}/answer"): (Deed.DECIDE, REASON),
    ("POST", "/api/tables/{table}/dice"): (Deed.CHANGE_DICE, {"dice_set": "A 17"}),
    ("POST", "/api/tables/{table}/recall"): (Deed.RECALL, {}),
    ("POST", "/api/tables/{table}/shoe"): (Deed.LOAD_SHOE, REASON),
    ("POST", "/api/tables/{table}/shoe/cards"): (Deed.DRAW, {"shoe": ROUND, "position": 1, "face": 6}),
    ("POST", "/api/tables/{table}/rounds/{round}/announce"): (Deed.PLAY, {}),
    ("POST", "/api/tables/{table}/rounds/{round}/card-correction"): (
        Deed.ENTER,
        {"faces": [1, 2, 3], **REASON},
    ),
    ("GET", "/api/events"): (Deed.WATCH, None),
    ("GET", "/api/proposals"): (Deed.WATCH, None),
    ("POST", "/api/proposals/{proposal}/confirm"): (Deed.CONFIRM, {}),
    ("POST", "/api/proposals/{proposal}/withdraw"): (Deed.CONFIRM, {}),
    ("GET", "/api/session"): (ANYBODY, None),
    ("POST", "/api/session"): (WHOEVER_COMES, {"name": "nobody", "password": "wrong"}),
    ("POST", "/api/setup/{token}"): (WHOEVER_COMES, {"name": "nobody", "password": PASSWORD}),
    ("GET", "/api/people"): (Deed.MANAGE, None),
    ("POST", "/api/people"): (Deed.MANAGE, {"name": "Founder", "role": "dealer", "password": "short"}),
    ("POST", "/api/people/{name}/password"): (Deed.MANAGE, {"password": "short"}),
    ("POST", "/api/people/{name}/close"): (Deed.MANAGE, {}),
    ("GET", "/api/tokens"): (Deed.MANAGE, None),
    ("POST", "/api/tokens"): (Deed.MANAGE, {"name": "the server", "role": "table-server"}),
    ("DELETE", "/api/tokens/{name}"): (Deed.MANAGE, None),
    ("GET", "/api/records"): (Deed.AUDIT, None),
    ("GET", "/api/chain"): (Deed.AUDIT, None),
    ("GET", "/api/logs"): (Deed.AUDIT, None),
    ("GET", "/api/log"): (Deed.AUDIT, None),
    ("DELETE", "/api/session"): (ANYBODY, None),  # the last one, since it signs out
    ("GET", "/health"): (WHOEVER_COMES, None),
    ("GET", "/metrics"): (WHOEVER_COMES, None),
}
QUERIES = {"/api/records": {"device": "ab" * 8}, "/api/log": {"log": "people"}}


def address(path: str) -> str:
    return path.format(
        table=COVERED,
        round=ROUND,
        lamp=0,
        fact="dome-open",
        number=1,
        proposal=ROUND,
        token="wrong",
        name="nobody here",
    )


async def ask(client, method: str, path: str):
    body = ROUTES[method, path][1]
    return await client.request(method, address(path), json=body, params=QUERIES.get(path))


async def test_every_route_is_in_this_table(tmp_path):
    async with api(tmp_path) as made:
        described = made.app.openapi()["paths"]
        routes = {(method.upper(), path) for path, methods in described.items() for method in methods}
        assert routes == set(ROUTES)


async def test_nobody_gets_in_without_signing_in(tmp_path):
    async with api(tmp_path) as made:
        stranger = await made.client()
        for (method, path), (deed, _) in ROUTES.items():
            answer = await ask(stranger, method, path)
            if deed is not WHOEVER_COMES:
                assert answer.status_code == 401, (method, path, answer.text)
                assert answer.json()["error"] == "not-signed-in"


@pytest.mark.parametrize("role", Role)
async def test_each_role_gets_in_where_it_may_and_nowhere_else(tmp_path, role):
    async with api(tmp_path) as made:
        client = await made.person(role)
        for (method, path), (deed, _) in ROUTES.items():
            answer = await ask(client, method, path)
            told = (method, path, answer.status_code, answer.text)
            assert answer.status_code < 500 or answer.status_code == 503, told
            if isinstance(deed, Deed):
                refused = answer.status_code == 403
                assert refused is not may(role, deed), told
                assert not refused or answer.json()["error"] == "not-allowed", told
            assert answer.status_code != 401 or deed is WHOEVER_COMES, told


async def test_a_change_with_the_cookie_alone_is_refused(tmp_path):
    async with api(tmp_path) as made:
        client = await made.person(Role.DEALER)
        del client.headers["X-CSRF-Token"]
        for (method, path), (deed, _) in ROUTES.items():
            if method == "GET" or deed is WHOEVER_COMES:
                continue
            for secret in ({}, {"X-CSRF-Token": "wrong"}):
                answer = await client.request(
                    method, address(path), json=ROUTES[method, path][1], headers=secret
                )
                assert answer.status_code == 403, (method, path)
                assert "X-CSRF-Token" in answer.json()["message"]


async def test_a_program_needs_no_csrf_secret_and_ends_with_its_account(tmp_path):
    async with api(tmp_path) as made:
        program = await made.program()
        await made.at.step(COVERED, "open-round")
        assert (await program.post(f"/api/tables/{COVERED}/rounds")).status_code == 201
        boss = await made.person(Role.SHIFT_MANAGER)
        assert (await boss.delete("/api/tokens/the server")).json()["closed"] is True
        assert (await program.get("/api/tables")).status_code == 401


async def test_everybody_changes_their_own_password_with_the_old_one_and_nobody_elses(tmp_path):
    async with api(tmp_path) as made:
        dealer = await made.person(Role.DEALER, "Ada")
        await made.person(Role.DEALER, "Bo")
        new = {"password": "a longer battery"}
        assert (await dealer.post("/api/people/Bo/password", json=new)).status_code == 403
        for old in ({}, {"old": "a wrong one"}):
            answer = await dealer.post("/api/people/Ada/password", json={**new, **old})
            assert (answer.status_code, answer.json()["error"]) == (403, "old-password-wrong")
        same = {"password": PASSWORD, "old": PASSWORD}
        assert (await dealer.post("/api/people/Ada/password", json=same)).status_code == 422
        right = {**new, "old": PASSWORD}
        assert (await dealer.post("/api/people/Ada/password", json=right)).status_code == 204
        assert (await dealer.get("/api/tables")).status_code == 401  # the session ended with the old one
        again = await dealer.post("/api/session", json={"name": "Ada", **new})
        assert again.status_code == 200


async def test_an_old_password_is_not_guessed_at_an_unlocked_tablet(tmp_path):
    async with api(tmp_path) as made:
        dealer = await made.person(Role.DEALER, "Ada")
        guess = {"password": "a longer battery", "old": "a wrong one"}
        answers = [(await dealer.post("/api/people/Ada/password", json=guess)).status_code for _ in range(7)]
        assert answers == [403] * 5 + [429] * 2


async def test_who_has_a_password_from_somebody_else_does_nothing_before_it_is_changed(tmp_path):
    """A shift manager who makes a second account is not two people with it."""
    async with api(tmp_path) as made:
        boss = await made.person(Role.SHIFT_MANAGER, "Boss")
        second = {"name": "Second Boss", "role": "shift-manager", "password": HANDED_OVER}
        assert (await boss.post("/api/people", json=second)).status_code == 201
        puppet = await made.client()
        session = await puppet.post("/api/session", json={"name": "Second Boss", "password": HANDED_OVER})
        assert (session.json()["choose_password"], session.json()["may"]) == (True, [])
        puppet.headers["X-CSRF-Token"] = session.json()["csrf"]
        for (method, path), (deed, _) in ROUTES.items():
            if isinstance(deed, Deed):
                answer = await ask(puppet, method, path)
                assert (answer.status_code, answer.json()["error"]) == (403, "password-not-own"), path
        own = {"password": PASSWORD, "old": HANDED_OVER}
        assert (await puppet.post("/api/people/Second Boss/password", json=own)).status_code == 204
        session = await puppet.post("/api/session", json={"name": "Second Boss", "password": PASSWORD})
        assert session.json()["choose_password"] is False
        assert (await puppet.get("/api/tables")).status_code == 200
        reset = {"password": "again from the boss"}
        assert (await boss.post("/api/people/Second Boss/password", json=reset)).status_code == 204
        session = await puppet.post("/api/session", json={"name": "Second Boss", **reset})
        assert session.json()["choose_password"] is True
        await made.at.step(COVERED, "open-round")
