"""Supervisors, shift managers and auditors at the console: two people, evidence, corrections, logs."""

import re
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from host_tools.rulebooks import load_rulebook
from host_tools.service.views import DifferenceView
from tests.host_tools.console.fake_house import PASSWORD, a_proposal, a_round, a_table, in_state

DESK = "#/tables/Dragon%201/desk"


def choose_faces(page: Page, *faces: int) -> None:
    """Press three dice in the dialog."""
    for number, face in enumerate(faces, 1):
        row = page.get_by_role("group", name=f"Die {number}")
        row.get_by_role("radio", name=str(face), exact=True).check(force=True)


def test_that_a_correction_is_shown_again_before_it_is_proposed_and_confirmed_by_another(house, visit):
    house.show(in_state(a_table("Dragon 1"), "settled", (4, 5, 6)))
    visitor = visit()
    sam = visitor.sign_in("sam", DESK)
    sam.get_by_role("button", name="Correct the result").click()
    choose_faces(sam, 4, 5, 5)
    sam.get_by_label("Reason").fill("The reading was typed over")
    visitor.picture("correction-entry")
    sam.get_by_role("button", name="Next").click()
    expect(sam.locator(".check-total")).to_have_text("4 5 5, total 14")
    visitor.picture("correction-check")
    assert house.deeds == []
    sam.get_by_role("button", name="Propose this").click()
    expect(sam.locator(".proposals")).to_contain_text("Somebody else has to confirm it.")
    expect(sam.get_by_role("button", name="Confirm")).to_have_count(0)
    assert house.deeds == [
        (
            "correction",
            "Dragon 1",
            {"faces": [4, 5, 5], "reason": "The reading was typed over", "evidence": None},
        )
    ]
    maria_visits = visit()
    maria = maria_visits.sign_in("maria", DESK)
    expect(maria.locator(".proposals")).to_contain_text("Proposed by sam")
    maria_visits.picture("proposal-for-the-second-person")
    maria.get_by_role("button", name="Confirm").click()
    maria.locator("dialog").get_by_role("button", name="Confirm").click()
    expect(maria.locator(".proposals")).to_be_hidden()
    assert house.deeds[-1][:2] == ("confirm", "p3-correction")


@pytest.mark.parametrize("name", ["dora", "sam"])
def test_that_a_referred_round_is_the_shift_managers(house, visit, name):
    table = in_state(a_table("Dragon 1"), "referred")
    house.show(table)
    assert table.round
    body = {"faces": [1, 2, 3], "reason": "read by eye"}
    house.proposals.append(a_proposal("Dragon 1", table.round.id, "manual-result", body, by="theo"))
    page = visit().sign_in(name, DESK)
    expect(page.locator(".proposal")).to_contain_text("The shift manager confirms it")
    expect(page.get_by_role("button", name="Confirm")).to_have_count(0)
    expect(page.get_by_role("button", name="Decide")).to_have_count(0)


def test_that_a_supervisor_voids_what_the_rulebook_voids_and_refers_the_rest(house, visit):
    house.show(in_state(a_table("Dragon 1"), "betting"))
    page = visit().sign_in("sam", DESK)
    page.get_by_role("button", name="Void", exact=True).click()
    options = page.get_by_label("What happened").locator("option")
    expect(options.first).to_be_attached()
    facts = options.evaluate_all("all => all.map(each => each.value)")
    rulings = load_rulebook("rws-sic-bo-etg-v8").irregularities
    assert "exposed-early" in facts
    assert "refer" not in {rulings[each].action for each in facts}


def test_that_dice_by_hand_are_two_peoples(house, visit):
    house.show(in_state(a_table("Dragon 1"), "referred"))
    page = visit().sign_in("dora", DESK)
    page.get_by_role("button", name="Enter the dice by hand").click()
    choose_faces(page, 1, 2, 3)
    page.get_by_label("Reason").fill("camera covered")
    page.get_by_role("button", name="Next").click()
    page.get_by_role("button", name="Propose this").click()
    expect(page.locator(".proposal")).to_have_count(1)
    assert house.deeds[0][:2] == ("manual-result", "Dragon 1")


def test_that_three_dice_and_a_reason_are_needed(house, visit):
    house.show(in_state(a_table("Dragon 1"), "settled"))
    page = visit().sign_in("sam", DESK)
    page.get_by_role("button", name="Correct the result").click()
    page.get_by_role("group", name="Die 1").get_by_role("radio", name="2", exact=True).check(force=True)
    page.get_by_role("button", name="Next").click()
    expect(page.locator("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    assert house.deeds == []


def test_that_a_round_referred_long_ago_still_waits_at_the_desk_and_is_decided_there(house, visit):
    table = a_table("Dragon 1")
    old = a_round(table, "referred", ago_ms=9_000_000)
    house.history["Dragon 1"] = [*(a_round(table, "settled", ago_ms=60_000 * n) for n in range(1, 41)), old]
    house.show(replace(in_state(table, "settled"), referred=(old.id,)))
    dealer = visit().sign_in("dora", "#/tables/Dragon%201")
    expect(dealer.get_by_role("alert")).to_contain_text("1 waiting for the shift manager")
    page = visit().sign_in("maria", DESK)
    first = page.locator(".round-item").first
    expect(first).to_contain_text("Referred")
    first.click()
    page.get_by_role("button", name="Decide").click()
    page.get_by_label("Decision").select_option("void")
    page.get_by_role("button", name="Next").click()
    page.get_by_label("Reason").fill("nobody saw the dice")
    page.get_by_role("button", name="Void: every stake goes back").click()
    expect(page.locator(".notice.good")).to_be_visible()
    assert house.deeds == [("resolution", "Dragon 1", {"verdict": "void", "reason": "nobody saw the dice"})]


def test_that_a_referred_round_is_voided_with_a_reason(house, visit):
    house.show(in_state(a_table("Dragon 1"), "referred"))
    visitor = visit()
    page = visitor.sign_in("maria", DESK)
    expect(page.locator(".round-details")).to_contain_text("5.10")
    visitor.picture("referred-round")
    page.get_by_role("button", name="Decide").click()
    page.get_by_label("Decision").select_option("void")
    page.get_by_role("button", name="Next").click()
    page.get_by_label("Reason").fill("Dice cannot be\nseen")
    page.get_by_role("button", name="Void: every stake goes back").click()
    expect(page.locator(".notice.good")).to_be_visible()
    assert house.deeds == [("resolution", "Dragon 1", {"verdict": "void", "reason": "Dice cannot be seen"})]


def test_that_a_held_round_is_released_after_a_look_at_both_readers_pictures(house, visit):
    house.show(in_state(a_table("Dragon 1"), "held"))
    page = visit().sign_in("sam", DESK)
    for reader in ("As the device read it", "As the host read it"):
        expect(page.get_by_role("img", name=reader)).to_be_visible()
    sources = page.locator(".evidence img").evaluate_all("all => all.map(each => new URL(each.src).search)")
    assert sources == ["?marks=device", "?marks=host", "", "", "", ""]
    page.get_by_role("button", name="Settle by the reading").click()
    page.get_by_label("Reason").fill("both agree")
    page.locator("dialog").get_by_role("button", name="Settle by the reading").click()
    expect(page.locator(".notice.good")).to_be_visible()
    assert house.deeds == [("resolution", "Dragon 1", {"verdict": "release", "reason": "both agree"})]


def test_that_pictures_under_way_come_to_the_desk_by_themselves(house, visit):
    table = a_table("Dragon 1")
    house.history["Dragon 1"] = [a_round(table, "settled", (1, 2, 3), ago_ms=600_000)]
    house.show(in_state(table, "betting"))
    house.pictures_missing = True
    page = visit().sign_in("sam", DESK)
    expect(page.locator(".round-details")).to_contain_text("Bets are open")
    expect(page.locator(".evidence figure")).to_have_count(0)  # nobody has looked at these dice
    house.show(in_state(house.tables["Dragon 1"], "settled", (4, 5, 6)))
    expect(page.get_by_text("The picture is on its way.")).to_have_count(6)
    house.pictures_missing = False
    for shown in ("As the device read it", "As the host read it", "Lamp 1", "Lamp 4"):
        expect(page.get_by_role("img", name=shown)).to_be_visible()
    house.pictures_missing = True
    page.locator(".round-item").nth(1).click()
    expect(page.get_by_text("There is no such picture.")).to_have_count(6)  # of a round long ago none comes


def test_that_no_pictures_are_promised_at_a_table_that_keeps_none(house, visit):
    house.show(replace(in_state(a_table("Dragon 1"), "settled", (4, 5, 6)), evidence=None))
    page = visit().sign_in("sam", DESK)
    expect(page.locator(".round-details")).to_contain_text("No pictures are kept at this table")
    expect(page.locator(".evidence figure")).to_have_count(0)


def test_that_a_void_names_what_the_rulebook_rules_on(house, visit):
    house.show(in_state(a_table("Dragon 1"), "betting"))
    page = visit().sign_in("maria", DESK)
    page.get_by_role("button", name="Void", exact=True).click()
    options = page.get_by_label("What happened").locator("option")
    expect(options.first).to_contain_text(re.compile("void, 5\\."))
    page.get_by_label("What happened").select_option("exposed-early")
    page.get_by_label("Reason").fill("cover lifted")
    page.locator("dialog").get_by_role("button", name="Void").click()
    expect(page.locator(".round-details h2")).to_have_text("Round: Void")
    assert house.deeds == [("void", "Dragon 1", {"fact": "exposed-early", "reason": "cover lifted"})]


def test_that_a_correction_lists_what_to_collect_and_to_pay(house, visit):
    table = a_table("Dragon 1")
    corrected = replace(
        a_round(table, "settled", (1, 2, 3), corrected=True),
        differences=(
            DifferenceView("w1", "seat-1", "big", "10.00", "20.00", "0.00", "-20.00"),
            DifferenceView("w2", "seat-2", "small", "5.50", "0.00", "11.00", "11.00"),
        ),
    )
    house.show(replace(table, round=corrected))
    page = visit().sign_in("maria", DESK)
    expect(page.locator(".collect")).to_have_text("collect 20.00")
    expect(page.locator(".pay")).to_have_text("pay 11.00")
    expect(page.locator(".settlement").first).to_contain_text("sam + maria")
    expect(page.locator(".settlement")).to_have_count(2)


def test_that_an_earlier_round_cannot_be_corrected(house, visit):
    table = a_table("Dragon 1")
    house.history["Dragon 1"] = [a_round(table, "settled", (1, 2, 3), ago_ms=60_000)]
    house.show(in_state(table, "betting"))
    page = visit().sign_in("sam", DESK)
    page.locator(".round-item").nth(1).click()
    expect(page.locator(".round-details")).to_contain_text("A later round has begun")
    expect(page.get_by_role("button", name="Correct the result")).to_have_count(0)


def test_that_rounds_of_damaged_dice_are_proposed_to_be_void(house, visit):
    table = a_table("Dragon 1")
    house.history["Dragon 1"] = [a_round(table, "settled", (1, 2, n), ago_ms=60_000 * n) for n in (1, 2, 3)]
    house.show(table)
    page = visit().sign_in("maria", DESK)
    page.get_by_role("button", name="Void affected rounds").click()
    page.get_by_role("checkbox").nth(0).check()
    page.get_by_role("checkbox").nth(1).check()
    page.get_by_label("Reason").fill("chipped corner")
    page.get_by_role("button", name="Propose this").click()
    expect(page.locator(".notice.good")).to_be_visible()
    deed, _, body = house.deeds[0]
    assert deed.endswith("affected")
    rounds = house.history["Dragon 1"]
    assert sorted(body["rounds"]) == sorted([rounds[0].id, rounds[1].id])


def test_that_the_tumblers_own_memory_is_recalled(house, visit):
    house.show(a_table("Dragon 1"))
    page = visit().sign_in("theo", DESK)
    page.get_by_role("button", name="Last ten rounds from the tumbler").click()
    expect(page.locator("dialog")).to_contain_text("[1,2,6]")
    expect(page.locator("dialog")).to_contain_text("yes")


def test_that_an_auditor_reads_chain_records_and_log_and_can_do_nothing(house, visit):
    house.show(in_state(a_table("Dragon 1"), "betting"))
    visitor = visit()
    page = visitor.sign_in("ada", "#/audit")
    expect(page.locator("td").nth(2)).to_have_text("8123")
    visitor.picture("audit-chain")
    page.get_by_role("button", name="Records").click()
    expect(page.locator("tbody tr")).to_have_count(100)
    page.get_by_role("button", name="More").click()
    expect(page.locator("tbody tr")).to_have_count(119)
    page.get_by_role("button", name="Access log").click()
    expect(page.locator("tbody")).to_contain_text("<img src=x onerror=alert(1)>")
    visitor.go("#/tables/Dragon%201")
    expect(page.locator(".action")).to_have_count(0)
    visitor.go("#/people")
    expect(page.get_by_role("heading", name="Floor")).to_be_visible()


def test_that_a_token_is_shown_once(house, visit):
    visitor = visit(scheme="light")
    page = visitor.sign_in("maria", "#/people")
    expect(page.locator("tbody").last).to_contain_text("table-server-1")
    visitor.picture("people", whole=True)
    expect(page.get_by_role("button", name="Revoke the token of old")).to_have_count(0)
    page.get_by_role("button", name="Make a token").click()
    page.get_by_label("Name").fill("server-2")
    page.locator("dialog").get_by_role("button", name="Make a token").click()
    expect(page.locator(".secret")).to_have_text("tok-secret-once")
    assert house.deeds == [("tokens", "", {"name": "server-2", "role": "table-server"})]


def test_that_dice_entered_by_hand_are_marked_wherever_they_are_shown(house, visit):
    table = a_table("Dragon 1")
    house.history["Dragon 1"] = [
        a_round(table, "settled", (1, 2, 3), ago_ms=60_000, corrected=True),
        a_round(table, "settled", (4, 5, 6), ago_ms=90_000),
    ]
    house.show(in_state(table, "settled", (1, 2, 3), corrected=True))
    visitor = visit()
    page = visitor.sign_in("sam")
    expect(page.locator(".table-card .by-hand")).to_have_text("by hand")
    visitor.go("#/tables/Dragon%201")
    expect(page.locator(".stage .pill", has_text="by hand")).to_be_visible()
    expect(page.locator(".last .by-hand")).to_have_count(2)
    expect(page.locator(".mark.hand")).to_have_count(2)
    visitor.go("#/tables/Dragon%201/desk")
    expect(page.locator(".round-item .by-hand")).to_have_count(2)
    expect(page.locator(".round-item")).to_have_count(3)


def test_that_a_password_from_somebody_else_is_changed_before_anything_is_seen(house, visit):
    house.show(a_table("Dragon 1"))
    house.first_words.add("dora")
    visitor = visit()
    page = visitor.page
    page.goto(visitor.address)
    page.get_by_label("Name").fill("dora")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("Somebody else has set your password")).to_be_visible()
    expect(page.locator("header.top")).to_have_count(0)
    visitor.picture("choose-password")
    page.reload()
    page.get_by_label("Old password").fill(PASSWORD)
    page.get_by_label("New password").fill("mine alone, and long")
    page.get_by_label("Password again").fill("mine alone, and lang")
    page.get_by_role("button", name="Change it").click()
    expect(page.get_by_role("alert")).to_contain_text("The two passwords differ")
    assert house.deeds == []
    page.get_by_label("New password").fill(PASSWORD)  # the small house knows one password only
    page.get_by_label("Password again").fill(PASSWORD)
    page.get_by_role("button", name="Change it").click()
    expect(page.locator("header.top")).to_be_visible()
    assert house.deeds == [("password", "dora", {"old": PASSWORD, "password": PASSWORD})]


def test_that_ones_own_password_is_changed_with_the_old_one(house, visit):
    house.show(a_table("Dragon 1"))
    page = visit().sign_in("maria", "#/people")
    page.get_by_role("button", name="New password for maria").click()
    expect(page.get_by_role("heading", name="Your password")).to_be_visible()
    page.get_by_role("link", name="maria").click()
    page.get_by_label("Old password").fill("the old one")
    for label in ("New password", "Password again"):
        page.get_by_label(label).fill("mine alone, and long")
    page.get_by_role("button", name="Change it").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert house.deeds == [("password", "maria", {"old": "the old one", "password": "mine alone, and long"})]


def test_that_no_dice_are_entered_by_hand_where_the_rulebook_has_it_not(house, visit):
    house.show(in_state(a_table("Dragon 1", manual_entry=False), "referred"))
    page = visit().sign_in("dora", DESK)
    expect(page.locator(".round-details")).to_contain_text("5.10")
    expect(page.get_by_role("button", name="Enter the dice by hand")).to_have_count(0)
