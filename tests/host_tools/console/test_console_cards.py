"""A table of cards at the console over the real service: the dealer's round, a mistyped card, an exposed one,
a foreign one."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.host_tools.console.test_console_service import (
    PATIENCE_MS,
    Service,
    TableServer,
    in_state,
    press,
    set_up,
    sign_in,
)

CONFIG = """
[service]
ledger = "ledger.sqlite"
[api]
port = 0
[[tables]]
name = "Cards 1"
kind = "cards"
rulebook = "mbs-3-card-sic-bo-2016"
layout = "standard"
chip_unit = "1"
decks = 2
"""


@pytest.fixture
def service(tmp_path) -> Iterator[Service]:
    """One table of cards."""
    with Service(tmp_path, CONFIG) as running:
        yield running


@pytest.fixture
def address(service) -> str:
    """In place of the small house's."""
    return service.url


def test_that_a_dealer_plays_cards_by_touch_and_by_keys(service, visit):
    _, token = set_up(service, visit)
    server = TableServer(service.url, token)
    sam_visits, dora_visits = visit(), visit(width=1280, height=1000)
    sam = sign_in(sam_visits, "sam", "#/tables/Cards%201")
    sam.get_by_role("button", name="New shoe").click()
    sam.get_by_label("Reason").fill("the day begins")
    sam.locator("dialog").get_by_role("button", name="New shoe").click()

    # A round: one card by touch, two by keys; the third is mistyped and entered anew by two people.
    dora = sign_in(dora_visits, "dora", "#/tables/Cards%201")
    shoe = dora.locator(".shoe")
    expect(shoe).to_contain_text("Left96", timeout=PATIENCE_MS)
    expect(dora.get_by_role("button", name="New shoe")).to_be_hidden()
    expect(dora.get_by_role("button", name="Tumble")).to_be_hidden()
    press(dora, "Open round")
    in_state(dora, "Bets are open")
    server.place("Cards 1", ("small", "10.00"), ("total:9", "20.00"))
    expect(dora.get_by_role("button", name="Card 2", exact=True)).to_be_disabled()
    press(dora, "No more bets")
    in_state(dora, "No more bets")
    press(dora, "Card 2")
    expect(shoe).to_contain_text("Dealt1", timeout=PATIENCE_MS)
    expect(dora.get_by_role("button", name="Card 3", exact=True)).to_be_enabled(timeout=PATIENCE_MS)
    dora.keyboard.press("3")
    expect(shoe).to_contain_text("Dealt2", timeout=PATIENCE_MS)
    expect(dora.get_by_role("button", name="Card 5", exact=True)).to_be_enabled(timeout=PATIENCE_MS)
    dora.keyboard.press("5")
    expect(dora.get_by_role("button", name="Announce")).to_be_enabled(timeout=PATIENCE_MS)
    dora_visits.picture("cards-drawn", whole=True)
    dora.get_by_role("button", name="A card is mistyped").click()
    for number, face in enumerate((2, 3, 4), 1):
        row = dora.get_by_role("group", name=f"Card {number}", exact=True)
        row.get_by_role("radio", name=str(face), exact=True).check(force=True)
    dora.get_by_label("Reason").fill("a four")
    dora.get_by_role("button", name="Next").click()
    dora.get_by_role("button", name="Propose this").click()
    sam_visits.go("#/tables/Cards%201/desk")
    sam.locator(".proposals").get_by_role("button", name="Confirm").click()
    sam.locator("dialog").get_by_role("button", name="Confirm").click()
    expect(sam.locator(".round-details")).to_contain_text(
        "Card 3 of the shoe: 4, entered by dora + sam", timeout=PATIENCE_MS
    )
    dora.keyboard.press("a")
    in_state(dora, "Settled")
    settled = server.round("Cards 1")
    assert (settled["faces"], settled["settlements"][0]["decided_by"]) == ([2, 3, 4], "dora")
    assert [each["returned"] for each in settled["wagers"]] == ["20.00", "160.00"]
    expect(dora.locator(".stage-ending")).to_contain_text("by hand")
    expect(dora.locator(".felt-cell.lit")).to_have_count(3)
    dora_visits.picture("cards-settled", whole=True)

    # A card exposed while bets are open: the round is void at once (5.1).
    press(dora, "Open round")
    in_state(dora, "Bets are open")
    dora.get_by_role("button", name="A card was exposed").click()
    dora.locator("dialog").get_by_role("radio").nth(5).check(force=True)
    dora.locator("dialog").get_by_role("button", name="A card was exposed").click()
    in_state(dora, "Void")
    expect(dora.locator(".stage-ending")).to_contain_text("Clause 5.1")
    expect(shoe).to_contain_text("Left92")

    # A foreign card in the next: the supervisor voids it, and the shoe is done with.
    press(dora, "Open round")
    press(dora, "No more bets")
    in_state(dora, "No more bets")
    sam.get_by_role("button", name="Void", exact=True).click(timeout=PATIENCE_MS)
    sam.locator("dialog select").select_option("foreign-card")
    sam.get_by_label("Reason").fill("a joker")
    sam.locator("dialog").get_by_role("button", name="Void").click()
    in_state(dora, "Void")
    expect(dora.locator(".stage-ending")).to_contain_text("Clause 5.2.1")
    expect(shoe).to_contain_text("foreign-card; load a new one")
    expect(dora.get_by_role("button", name="Open round")).to_be_disabled()
    dora_visits.picture("cards-void", whole=True)
