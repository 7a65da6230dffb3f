"""A table of cards over HTTP: a shoe device and a table server play with the typed client; rude input changes
nothing."""

import pytest

from host_tools.client import HttpTables, Refused, Wager
from host_tools.people import Role
from tests.host_tools.api.api_rig import FOUNDER, Api, api, served
from tests.host_tools.service.service_rig import CARDS

BETS = [Wager("a", "Ann", "big", "10"), Wager("b", "Ben", "any-triple", "5")]


async def test_a_shoe_device_and_a_table_server_play_over_http(tmp_path) -> None:
    async with api(tmp_path, {CARDS: {"decks": 2}}) as made, served(made.at) as url:
        supervisor = await made.person(Role.SUPERVISOR)
        answer = await supervisor.post(f"/api/tables/{CARDS}/shoe", json={"reason": "the day begins"})
        assert answer.status_code == 201, answer.text
        token, device = await made.token(), await made.token(name="the shoe")
        async with HttpTables(url, token) as server, HttpTables(url, device) as shoe:
            view = await server.table(CARDS)
            assert view.shoe is not None
            round_ = await server.open_round(CARDS)
            assert all(each.registered for each in await server.place(CARDS, round_.id, BETS))
            await server.no_more_bets(CARDS, round_.id)
            for position, face in enumerate((6, 6, 6), start=1):
                for _ in range(2):
                    told = await shoe.enter_card(CARDS, view.shoe.id, position, face)
                    assert (told.id, len(told.cards)) == (round_.id, position)
            settled = await server.announce(CARDS, round_.id)
            assert settled == await server.announce(CARDS, round_.id)
            assert [each.entered_by for each in settled.cards] == ["the shoe"] * 3
            assert [each.returned for each in settled.wagers] == ["0.00", "160.00"]
            with pytest.raises(Refused) as refused:
                await server.load_shoe(CARDS, "not mine to do")
            assert refused.value.status == 403


async def ready(made: Api) -> str:
    """A round with bets closed; the shoe's id."""
    await made.at.service.accounts.add_program("rude", Role.TABLE_SERVER, FOUNDER)
    await made.at.playing(Role.SUPERVISOR).load_shoe(CARDS, "the day begins")
    round_ = await made.at.playing(Role.DEALER).open_round(CARDS)
    await made.at.playing(Role.DEALER).no_more_bets(CARDS, round_.id)
    view = await made.at.playing().table(CARDS)
    assert view.shoe is not None
    return view.shoe.id


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"face": 0}, 422),
        ({"face": 7}, 422),
        ({"face": "6"}, 422),
        ({"face": 6.5}, 422),
        ({"face": True}, 422),
        ({"face": None}, 422),
        ({"position": 0}, 422),
        ({"position": -1}, 422),
        ({"position": 2**80}, 422),
        ({"position": 2**53 - 1}, 409),
        ({"position": 2}, 409),
        ({"position": "1"}, 422),
        ({"shoe": "ff" * 16}, 409),
        ({"shoe": "../../etc"}, 422),
        ({"shoe": ""}, 422),
        ({"more": 1}, 422),
    ],
)
async def test_a_card_that_cannot_be_is_refused_with_a_reason_and_changes_nothing(
    tmp_path, change: dict, status: int
) -> None:
    async with api(tmp_path, {CARDS: {}}) as made:
        body = {"shoe": await ready(made), "position": 1, "face": 6, **change}
        client = await made.program()
        before = made.at.service.books.newest_entry(CARDS)
        answer = await client.post(f"/api/tables/{CARDS}/shoe/cards", json=body)
        assert answer.status_code == status, answer.text
        assert answer.json()["message"]
        assert made.at.service.books.newest_entry(CARDS) == before


async def test_what_is_out_of_turn_is_refused_by_name(tmp_path) -> None:
    async with api(tmp_path, {CARDS: {}}) as made:
        shoe, client, dealer = await ready(made), await made.program(), await made.person(Role.DEALER)
        running = made.at.service.tables[CARDS]
        assert running.current is not None
        address, round_id = f"/api/tables/{CARDS}", running.current.id.hex()
        rounds = f"{address}/rounds/{round_id}"
        cards = {"faces": [1, 2, 3], "reason": "mistyped"}
        entered = {"shoe": shoe, "position": 1, "face": 1}
        for client_, path, body, status, kind in (
            (client, f"{rounds}/announce", {}, 409, "wrong-step"),
            (client, f"{rounds}/tumble", {}, 409, "rules-forbid"),
            (client, f"{address}/rounds", {}, 409, "wrong-step"),
            (dealer, f"{rounds}/card-correction", cards, 409, "not-now"),
            (dealer, f"{rounds}/card-correction", {**cards, "faces": [1, 2]}, 422, "malformed"),
            (dealer, f"{rounds}/card-correction", {**cards, "reason": ""}, 422, "malformed"),
            (client, f"{address}/rounds/{'ab' * 16}/announce", {}, 404, "round-not-here"),
            (
                client,
                "/api/tables/nowhere/shoe/cards",
                {"shoe": shoe, "position": 1, "face": 1},
                404,
                "table-unknown",
            ),
        ):
            answer = await client_.post(path, json=body)
            assert (answer.status_code, answer.json()["error"]) == (status, kind), answer.text
        assert (await client.post(f"{address}/shoe/cards", json=entered)).status_code == 200
        answer = await client.post(f"{address}/shoe/cards", json={**entered, "face": 2})
        assert (answer.status_code, answer.json()["error"]) == (409, "card-conflict")
