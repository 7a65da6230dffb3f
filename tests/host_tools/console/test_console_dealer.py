"""A dealer plays rounds at the console, by touch and by keys, and sees what the table's rulebook says."""

import re
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from host_tools.rulebooks import list_rulebooks, load_rulebook
from tests.host_tools.console.fake_house import a_fault, a_round, a_table, a_wager, in_state

LAYOUTS = [
    (book.id, layout) for book in list_rulebooks() if book.play_mode != "cards" for layout in book.layouts
]
TABLE = "#/tables/Dragon%201"


def test_that_a_covered_round_is_played_by_touch(house, visit):
    house.show(a_table("Dragon 1"))
    visitor = visit()
    page = visitor.sign_in("dora", TABLE)
    expect(page.locator(".stage-step")).to_have_text("Open the next round")
    page.get_by_role("button", name="Open round").click()
    expect(page.locator(".stage-state")).to_have_text("Bets are open")
    expect(page.locator(".announcement")).to_have_text("“Place your bets”")
    expect(page.locator(".stage-clock")).to_have_text(re.compile(r"0:2\d"))
    page.get_by_role("button", name="No more bets").click()
    expect(page.locator(".announcement")).to_have_text("“No More Bets”")
    expect(page.locator(".stage-step")).to_have_text("Uncover the dice")
    house.show(in_state(house.tables["Dragon 1"], "settled", (4, 5, 6)))
    expect(page.locator(".stage-total")).to_contain_text("15")
    assert page.locator(".stage-dice .die").evaluate_all(
        "dice => dice.map(die => die.getAttribute('aria-label'))"
    ) == [
        "4",
        "5",
        "6",
    ]
    visitor.picture("covered-round-settled", whole=True)
    assert [deed for deed, *_ in house.deeds] == ["open", "no-more-bets"]


def test_that_an_open_round_is_played_by_keys(house, visit):
    house.show(a_table("Dragon 1", "rws-sic-bo-open-cover-2021", "pay-table-3"))
    page = visit().sign_in("dora", TABLE)
    expect(page.get_by_role("button", name="Open round")).to_be_enabled()
    page.keyboard.press("n")
    expect(page.locator(".stage-state")).to_have_text("Bets are open")
    page.keyboard.press("t")  # not yet
    page.keyboard.press("b")
    expect(page.locator(".stage-step")).to_have_text("Tumble the dice")
    page.keyboard.press("t")
    expect(page.locator(".stage-state")).to_have_text("Settled")
    assert [deed for deed, *_ in house.deeds] == ["open", "no-more-bets", "tumble"]


def test_that_the_pictures_of_the_reading_are_seen_as_soon_as_they_come(house, visit):
    house.show(in_state(a_table("Dragon 1"), "betting"))
    house.pictures_missing = True
    visitor = visit()
    page = visitor.sign_in("sam", TABLE)
    expect(page.get_by_role("heading", name="Camera")).to_be_hidden()
    house.show(in_state(house.tables["Dragon 1"], "settled", (4, 5, 6)))
    expect(page.get_by_text("The picture is on its way.")).to_have_count(4)
    house.pictures_missing = False
    for lamp in range(1, 5):
        expect(page.get_by_role("img", name=f"Lamp {lamp}")).to_be_visible()
    visitor.picture("dealer-sees-the-camera", whole=True)


def test_that_a_table_without_evidence_says_so_and_shows_no_empty_frames(house, visit):
    house.show(replace(in_state(a_table("Dragon 1"), "settled", (4, 5, 6)), evidence=None))
    page = visit().sign_in("sam", TABLE)
    expect(page.get_by_text("No pictures are kept at this table")).to_be_visible()
    expect(page.locator(".evidence figure")).to_have_count(0)


def test_that_a_technician_says_which_dice_lie_in_the_tumbler_between_two_rounds(house, visit):
    house.show(in_state(a_table("Dragon 1"), "betting"))
    page = visit().sign_in("theo", TABLE)
    dealer = visit().sign_in("dora", TABLE)
    button = page.get_by_role("button", name="Dice changed")
    expect(page.locator(".senses")).to_be_visible()
    expect(button).to_have_count(0)
    house.show(in_state(house.tables["Dragon 1"], "settled", (4, 5, 6)))
    expect(dealer.locator(".stage-total")).to_contain_text("15")
    expect(dealer.get_by_role("button", name="Dice changed")).to_have_count(0)
    button.click()
    page.get_by_label("Mark of the new set").fill("box 17")
    page.get_by_label("Set before last inspected").fill("2026-11-27T18:30")
    page.locator("dialog").get_by_role("button", name="Dice changed").click()
    expect(page.locator(".notice.good")).to_have_text(re.compile("The new set is in the records"))
    inspected_ms = page.evaluate("() => new Date('2026-11-27T18:30').getTime()")
    assert house.deeds == [("dice", "Dragon 1", {"dice_set": "box 17", "inspected_ms": inspected_ms})]


def test_that_keys_can_be_switched_off(house, visit):
    house.show(a_table("Dragon 1"))
    page = visit().sign_in("dora", TABLE)
    expect(page.get_by_role("button", name="Open round")).to_be_enabled()
    page.keyboard.press("?")
    page.get_by_label("Single keys are on").uncheck()
    page.get_by_role("button", name="Close").click()
    page.keyboard.press("n")
    page.wait_for_timeout(300)
    assert house.deeds == []


def test_that_letters_typed_into_a_reason_are_no_keys(house, visit):
    house.show(in_state(a_table("Dragon 1"), "betting"))
    page = visit().sign_in("dora", TABLE)
    page.get_by_role("button", name="Refer").click()
    page.get_by_label("Reason").press_sequentially("bnt bumped")
    page.get_by_label("What happened").select_option("dome-open")
    page.locator("dialog").get_by_role("button", name="Refer").click()
    expect(page.locator(".stage-state")).to_have_text("Referred")
    assert house.deeds == [("refer", "Dragon 1", {"fact": "dome-open", "reason": "bnt bumped"})]


def test_that_strokes_are_seen_while_they_are_counted(house, visit):
    house.show(in_state(a_table("Dragon 1"), "closed"))
    page = visit().sign_in("dora", TABLE)
    house.tables["Dragon 1"] = replace(house.tables["Dragon 1"], strokes=2, at_rest=False)
    house.tell(
        {
            "sequence": None,
            "table": "Dragon 1",
            "kind": "stroke-counted",
            "round": None,
            "at_ms": 0,
            "body": {"count": 2},
        }
    )
    expect(page.locator(".strokes strong")).to_have_text("2 of 3")
    expect(page.locator(".dot.done")).to_have_count(2)


def test_that_a_refusal_says_what_to_do_and_stays(house, visit):
    house.show(a_table("Dragon 1"))
    house.refuse["/api/tables/Dragon 1/rounds"] = (409, "not-now", "Close the cover first.")
    page = visit().sign_in("dora", TABLE)
    house.refuse["/api/tables/Dragon 1/rounds"] = (409, "not-now", "Close the cover first.")
    page.get_by_role("button", name="Open round").click()
    expect(page.locator(".notice.bad").last).to_contain_text("Close the cover first.")


@pytest.mark.parametrize(("rulebook", "layout"), LAYOUTS)
def test_that_exactly_the_winning_areas_are_lit(house, visit, rulebook, layout):
    table = a_table("Dragon 1", rulebook, layout)
    page = None
    for faces in ((1, 2, 4), (2, 2, 6), (3, 3, 3), (4, 5, 6), (2, 3, 5)):
        house.show(in_state(table, "settled", faces))
        page = page or visit().sign_in("dora", TABLE)
        wins = {
            name
            for name, offer in load_rulebook(rulebook).layouts[layout].offers.items()
            if offer.pays(faces) is not None
        }
        expect(page.locator(".stage-total")).to_contain_text(str(sum(faces)))
        expect(page.locator(".felt-cell.lit")).to_have_count(len(wins))
        lit = page.locator(".felt-cell.lit").evaluate_all("cells => cells.map(cell => cell.dataset.wager)")
        assert set(lit) == wins


def test_that_nothing_is_lit_before_the_round_is_settled(house, visit):
    house.show(in_state(a_table("Dragon 1"), "settled", (4, 5, 6)))
    page = visit().sign_in("dora", TABLE)
    expect(page.locator(".felt-cell.lit").first).to_be_visible()
    house.show(in_state(house.tables["Dragon 1"], "betting"))
    expect(page.locator(".felt-cell.lit")).to_have_count(0)


def test_that_a_single_shows_how_often_it_came(house, visit):
    house.show(in_state(a_table("Dragon 1"), "settled", (2, 2, 6)))
    page = visit().sign_in("dora", TABLE)
    expect(page.locator("[data-wager='single:2'] .wins")).to_have_text("✓ 2:1")
    expect(page.locator("[data-wager='single:6'] .wins")).to_have_text("✓ 1:1")


def test_that_stakes_on_an_area_are_added_exactly(house, visit):
    wagers = (a_wager(1, "big", "0.10"), a_wager(2, "big", "0.20"), a_wager(3, "big", "5.00", withdrawn=True))
    house.show(in_state(a_table("Dragon 1"), "betting", wagers=wagers))
    page = visit().sign_in("dora", TABLE)
    expect(page.locator("[data-wager=big] .stake")).to_have_text("0.30")


def test_that_the_german_rulebook_speaks_german_on_an_english_page(house, visit):
    house.show(in_state(a_table("Dragon 1", "duisburg-sic-bo-2019", "big-from-11"), "betting"))
    visitor = visit()
    page = visitor.sign_in("dora", TABLE)
    expect(page.locator(".announcement")).to_have_text("„Ihre Einsätze bitte“")
    house.show(in_state(house.tables["Dragon 1"], "closed"))
    expect(page.locator(".announcement")).to_have_text("„Keine Einsätze mehr“")
    house.show(in_state(house.tables["Dragon 1"], "void"))
    expect(page.locator(".announcement")).to_have_text("„Ungültiges Spiel“")
    expect(page.locator(".announcement")).to_have_attribute("lang", "de")


def test_that_a_german_browser_gets_german(house, visit):
    house.show(in_state(a_table("Dragon 1", "duisburg-sic-bo-2019", "big-from-11"), "betting"))
    visitor = visit(language="de-DE", scheme="light")
    page = visitor.sign_in("dora", TABLE)
    expect(page.locator(".stage-state")).to_have_text("Einsätze offen")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    visitor.picture("duisburg-in-german", whole=True)
    page.get_by_label("Sprache").select_option("en")
    expect(page.locator(".stage-state")).to_have_text("Bets are open")


def test_that_a_fault_says_what_clears_it_and_who(house, visit):
    faulted = a_table(
        "Dragon 1", faults=(a_fault("dome-broken"),), step="clear-fault", device_state="faulted"
    )
    house.show(faulted)
    dealer = visit().sign_in("dora", TABLE)
    fault = dealer.locator(".faults")
    expect(fault).to_contain_text("The dome is broken")
    expect(fault).to_contain_text("Replace the dome.")
    expect(dealer.get_by_role("button", name="Clear fault")).to_have_count(0)
    expect(dealer.locator(".senses")).to_contain_text("The dome is broken")
    expect(dealer.get_by_role("button", name="Open round")).to_be_disabled()
    visitor = visit()
    technician = visitor.sign_in("theo", TABLE)
    visitor.picture("fault")
    technician.get_by_role("button", name="Clear fault").click()
    technician.locator("dialog").get_by_role("button", name="Clear fault").click()
    expect(dealer.locator(".faults")).to_be_hidden()
    assert ("clear", "Dragon 1 dome-broken", {}) in house.deeds


def test_that_history_counts_what_was_settled(house, visit):
    table = a_table("Dragon 1")
    faces = [(4, 5, 6), (1, 1, 2), (3, 3, 3), (6, 5, 2)]
    house.history["Dragon 1"] = [
        a_round(table, "settled", each, ago_ms=1000 * n) for n, each in enumerate(faces, 1)
    ]
    house.history["Dragon 1"].append(a_round(table, "void", ago_ms=9000))
    house.show(table)
    page = visit().sign_in("dora", TABLE)
    counts = page.locator(".shares dd")
    expect(counts).to_have_text(["2", "1", "1", "3", "1"])  # big, small, triple; odd and even of the totals
    expect(page.locator(".mark")).to_have_count(4)
    assert page.locator(".mark text").all_text_contents() == ["B", "T", "S", "B"]
    expect(page.locator(".last .result")).to_have_count(5)


def test_that_data_is_shown_as_text(house, visit):
    hostile = '<img src=x onerror="document.title=1">'
    wagers = (replace(a_wager(1, "big", "1.00"), player=hostile),)
    house.show(in_state(a_table("Dragon 1"), "betting", wagers=wagers))
    visitor = visit()
    page = visitor.sign_in("dora", TABLE)
    expect(page.locator("td").first).to_have_text(hostile)
    assert page.title() == "Tumbler console"
