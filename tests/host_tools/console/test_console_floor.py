"""Signing in, the floor of many tables, and a page that says when it is not live."""

from dataclasses import replace

from playwright.sync_api import expect

from host_tools.service.views import AlarmView
from tests.host_tools.console.fake_house import PASSWORD, a_fault, a_table, in_state


def test_that_a_wrong_password_is_told_and_the_right_one_opens(house, visit):
    house.show(a_table("Dragon 1"))
    visitor = visit()
    page = visitor.page
    page.goto(visitor.address)
    visitor.picture("sign-in")
    page.get_by_label("Name").fill("dora")
    page.get_by_label("Password").fill("guess")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_have_text("Name or password is wrong.")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Floor")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Floor")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_that_the_set_up_link_makes_the_first_account(house, visit):
    visitor = visit()
    page = visitor.page
    page.goto(f"{visitor.address}/#/setup/one-time_Secret")
    page.get_by_label("Name").fill("maria")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password again").fill("another")
    page.get_by_role("button", name="Make the account").click()
    expect(page.get_by_role("alert")).to_contain_text("differ")
    assert house.deeds == []
    page.get_by_label("Password again").fill(PASSWORD)
    page.get_by_role("button", name="Make the account").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert house.deeds == [("setup", "one-time_Secret", {"name": "maria", "password": PASSWORD})]


def test_that_tables_that_need_somebody_come_first(house, visit):
    for number in range(1, 41):
        house.show(in_state(a_table(f"Dragon {number}"), "betting"))
    house.show(replace(house.tables["Dragon 30"], faults=(a_fault("tilted"),), step="clear-fault"))
    house.show(replace(house.tables["Dragon 7"], connected=False, device_state=None, step="connect"))
    visitor = visit()
    page = visitor.sign_in("dora")
    expect(page.locator(".table-card")).to_have_count(40)
    assert page.locator(".card-name").all_text_contents()[:4] == [
        "Dragon 7",
        "Dragon 30",
        "Dragon 1",
        "Dragon 2",
    ]
    expect(page.locator(".page-head")).to_contain_text("40 tables, 2 need somebody")
    visitor.picture("floor")
    page.get_by_role("button", name="Need somebody").click()
    expect(page.locator(".table-card")).to_have_count(2)
    page.get_by_role("button", name="All").click()
    page.get_by_label("Find a table").fill("dragon 13")
    expect(page.locator(".table-card")).to_have_count(1)
    page.locator(".table-card").click()
    expect(page.get_by_role("heading", name="Dragon 13")).to_be_visible()


def test_that_the_floor_follows_what_happens(house, visit):
    house.show(a_table("Dragon 1"))
    page = visit().sign_in("dora")
    house.show(in_state(house.tables["Dragon 1"], "settled", (1, 3, 5)))
    expect(page.locator(".card-total")).to_have_text("9")


def test_that_a_cut_line_is_shown_and_nothing_is_missed_when_it_is_back(house, visit):
    house.show(a_table("Dragon 1"))
    house.show(in_state(house.tables["Dragon 1"], "betting"))
    visitor = visit()
    page = visitor.sign_in("dora", "#/tables/Dragon%201")
    expect(page.get_by_role("button", name="No more bets")).to_be_enabled()
    house.silent = True
    house.cut()
    expect(page.locator(".stale")).to_contain_text("Not live since")
    expect(page.get_by_role("button", name="No more bets")).to_be_disabled()
    visitor.picture("not-live")
    page.keyboard.press("b")
    house.show(in_state(house.tables["Dragon 1"], "settled", (6, 6, 6)))
    page.wait_for_timeout(700)
    expect(page.locator(".stage-total")).to_have_count(0)
    house.silent = False
    expect(page.locator(".link")).to_have_text("Live")
    expect(page.locator(".stale")).to_be_hidden()
    expect(page.locator(".stage-total")).to_contain_text("18")
    assert house.resumed_after[0] == 2
    assert house.resumed_after[-1] >= 2
    assert house.deeds == []


def test_that_a_silent_service_is_noticed_without_a_closed_line(house, visit):
    house.show(in_state(a_table("Dragon 1"), "betting"))
    page = visit().sign_in("dora", "#/tables/Dragon%201")
    house.silent = True  # the socket stays open, but nothing comes any more
    expect(page.locator(".stale")).to_be_visible(timeout=15_000)
    expect(page.get_by_role("button", name="No more bets")).to_be_disabled()


def test_that_dark_and_light_are_chosen_and_kept(house, visit):
    house.show(a_table("Dragon 1"))
    page = visit(scheme="light").sign_in("dora")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_label("Theme").select_option("dark")
    dark = page.evaluate(ground)
    assert dark != light
    page.reload()
    expect(page.get_by_role("heading", name="Floor")).to_be_visible()
    assert page.evaluate(ground) == dark


def test_that_an_alarm_stands_until_somebody_answers_for_it(house, visit):
    alarm = AlarmView(41, "ab" * 16, "second-reader-differs", (1, 3, 5), (1, 3, 6), 0)
    house.show(in_state(a_table("Dragon 1", alarms=(alarm,)), "settled", (1, 3, 5)))
    visitor = visit()
    page = visitor.sign_in("sam")
    expect(page.locator(".alarm")).to_contain_text("Dragon 1: The two readers differ")
    expect(page.locator(".alarm")).to_contain_text("The device read 1 3 5, the host read 1 3 6.")
    visitor.picture("alarm")
    page.locator(".alarm").get_by_role("link", name="Desk").click()
    expect(page.get_by_role("heading", name="Dragon 1: desk")).to_be_visible()
    expect(page.locator(".alarm")).to_have_count(1)
    page.locator(".alarm").get_by_role("button", name="Answer for it").click()
    page.get_by_label("Reason").fill("glare on the dome")
    page.get_by_role("dialog").get_by_role("button", name="Answer for it").click()
    expect(page.locator(".alarm")).to_have_count(0)
    assert house.deeds[-1] == ("answer", "Dragon 1 41", {"reason": "glare on the dome"})


def test_that_a_dealer_sees_an_alarm_and_cannot_answer_for_it(house, visit):
    alarm = AlarmView(41, "ab" * 16, "evidence-missing", (1, 3, 5), (), 0)
    house.show(in_state(a_table("Dragon 1", alarms=(alarm,)), "settled", (1, 3, 5)))
    page = visit().sign_in("dora")
    expect(page.locator(".alarm")).to_contain_text("the host read –.")
    expect(page.locator(".alarm")).to_contain_text("A supervisor or the shift manager answers for it.")
    expect(page.locator(".alarm").get_by_role("button")).to_have_count(0)
