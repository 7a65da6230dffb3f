"""The console over the real service and virtual tumblers: set-up, rounds from both sides, the desk."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from host_tools.rulebooks import load_rulebook
from tests.host_tools.console.conftest import Visitor
from tests.host_tools.console.test_console_desk import choose_faces

PASSWORD = "a long pass phrase"
HANDED_OVER = "a word for the first day"
LAYOUTS = {
    "Covered 1": ("mbs-electronic-sic-bo-v4", "rapid-select"),
    "Open 1": ("rws-sic-bo-open-cover-2021", "pay-table-1"),
}
CONFIG = '[service]\nledger = "ledger.sqlite"\n[api]\nport = 0\n' + "".join(
    f'[[tables]]\nname = "{name}"\ndevice = "virtual"\nrulebook = "{rulebook}"\nlayout = "{layout}"\n'
    'chip_unit = "1"\nspeed = 4.0\nevidence = "after"\n'
    for name, (rulebook, layout) in LAYOUTS.items()
)
PATIENCE_MS = 60_000


class Service:
    """A `tumbler serve` of its own, with the address and the set-up link that it prints."""

    def __init__(self, folder: Path, config: str = CONFIG) -> None:
        self.folder = folder
        (folder / "config.toml").write_text(config, encoding="utf-8")

    def __enter__(self) -> "Service":
        command = [str(Path(sys.executable).with_name("tumbler")), "serve", str(self.folder / "config.toml")]
        self.log = (self.folder / "log.txt").open("a")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.url = self._printed(r"The console is at (\S+)")
        return self

    def __exit__(self, *_error: object) -> None:
        self.process.terminate()
        self.process.wait(60)
        self.log.close()

    def set_up_link(self) -> str:
        """The link that makes the first account."""
        return self._printed(r"(http\S+#/setup/\S+)")

    def _printed(self, pattern: str) -> str:
        assert self.process.stdout
        for line in self.process.stdout:
            if found := re.search(pattern, line):
                return found[1]
        raise AssertionError((self.folder / "log.txt").read_text())


@pytest.fixture
def service(tmp_path) -> Iterator[Service]:
    """Two virtual tables, a covered and an open one."""
    with Service(tmp_path) as running:
        yield running


@pytest.fixture
def address(service) -> str:
    """In place of the small house's."""
    return service.url


def set_up(service: Service, visit) -> tuple[Page, str]:
    """Maria's page, a shift manager's, and a table server's token; dora and sam have accounts too."""
    visitor = visit(width=1280, height=900)
    page = visitor.page
    page.goto(service.set_up_link(), timeout=PATIENCE_MS)
    page.get_by_label("Name").fill("maria")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password again").fill(PASSWORD)
    page.get_by_role("button", name="Make the account").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible(timeout=PATIENCE_MS)
    sign_in(visitor, "maria", "#/people")
    for name, role in (("dora", "dealer"), ("sam", "supervisor")):
        page.get_by_role("button", name="Add a person").click()
        dialog = page.locator("dialog")
        dialog.get_by_label("Name").fill(name)
        dialog.get_by_label("Role").select_option(role)
        dialog.get_by_label("Password").fill(HANDED_OVER)
        dialog.get_by_role("button", name="Add a person").click()
        expect(page.get_by_role("cell", name=name, exact=True)).to_be_visible(timeout=PATIENCE_MS)
        choose_password(service.url, name)
    page.get_by_role("button", name="Make a token").click()
    page.get_by_label("Name").fill("server")
    page.locator("dialog").get_by_role("button", name="Make a token").click()
    token = page.locator(".secret").inner_text(timeout=PATIENCE_MS)
    page.get_by_role("button", name="Close", exact=True).last.click()
    return page, token


def choose_password(url: str, name: str) -> None:
    """Somebody's first sign-in, which does nothing else."""
    with httpx.Client(base_url=f"{url}/api", timeout=60) as http:
        session = (
            http.post("/session", json={"name": name, "password": HANDED_OVER}).raise_for_status().json()
        )
        assert session["may"] == []
        own = {"old": HANDED_OVER, "password": PASSWORD}
        headers = {"X-CSRF-Token": session["csrf"]}
        http.post(f"/people/{name}/password", json=own, headers=headers).raise_for_status()


def sign_in(visitor: Visitor, name: str, where: str) -> Page:
    """Sign in at the real service, where argon2 takes its time."""
    page = visitor.page
    page.goto(visitor.address, timeout=PATIENCE_MS)
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_selector("header.top .link[data-state=live]", timeout=PATIENCE_MS)
    visitor.go(where)
    return page


class TableServer:
    """The other side of a table: a program that places wagers with its token."""

    def __init__(self, url: str, token: str) -> None:
        self.http = httpx.Client(
            base_url=f"{url}/api", headers={"Authorization": f"Bearer {token}"}, timeout=60
        )

    def round(self, table: str) -> dict:
        """The table's newest round."""
        return self.http.get(f"/tables/{table}").raise_for_status().json()["round"]

    def place(self, table: str, *wagers: tuple[str, str]) -> None:
        """Place wagers of a stake each."""
        round_id = self.round(table)["id"]
        batch = [
            {"id": f"{round_id[:6]}-{number}", "player": f"seat-{number}", "wager": wager, "stake": stake}
            for number, (wager, stake) in enumerate(wagers)
        ]
        self.http.post(f"/tables/{table}/rounds/{round_id}/wagers", json={"wagers": batch}).raise_for_status()


def press(page: Page, name: str) -> None:
    """Press a button of play as soon as it is the next thing to do."""
    button = page.get_by_role("button", name=name)
    expect(button).to_be_enabled(timeout=PATIENCE_MS)
    button.click()


def in_state(page: Page, state: str) -> None:
    """Wait until the dealer's view says so."""
    expect(page.locator(".stage-state")).to_have_text(state, timeout=PATIENCE_MS)


def require_lit(page: Page, table: str, faces: list[int]) -> None:
    """Exactly what wins by the table's rulebook is lit."""
    rulebook, layout = LAYOUTS[table]
    offers = load_rulebook(rulebook).layouts[layout].offers
    one, two, three = faces
    wins = {name for name, offer in offers.items() if offer.pays((one, two, three)) is not None}
    expect(page.locator(".felt-cell.lit")).to_have_count(len(wins))
    assert (
        set(page.locator(".felt-cell.lit").evaluate_all("all => all.map(each => each.dataset.wager)")) == wins
    )


def test_that_a_house_is_set_up_and_rounds_are_played_from_both_sides(service, visit):
    maria, token = set_up(service, visit)
    server = TableServer(service.url, token)
    dealer_visits = visit()
    dora = sign_in(dealer_visits, "dora", "#/tables/Covered%201")

    # A covered round: tumble first, then bets.
    press(dora, "Open round")
    press(dora, "Tumble")
    in_state(dora, "Bets are open")
    server.place("Covered 1", ("small", "10.00"), ("big", "10.00"))
    press(dora, "No more bets")
    in_state(dora, "Settled")
    settled = server.round("Covered 1")
    assert settled["state"] == "settled"
    shown = dora.locator(".stage-dice .die").evaluate_all(
        "all => all.map(die => die.getAttribute('aria-label'))"
    )
    assert [int(face) for face in shown] == settled["faces"]
    require_lit(dora, "Covered 1", settled["faces"])
    dealer_visits.picture("service-covered-round", whole=True)

    # Its correction: sam proposes, maria confirms.
    sam_visits = visit()
    sam = sign_in(sam_visits, "sam", "#/tables/Covered%201/desk")
    sam.get_by_role("button", name="Correct the result").click()
    wrong = [6, 6, 5] if sum(settled["faces"]) < 11 else [1, 1, 2]
    choose_faces(sam, *wrong)
    sam.get_by_label("Reason").fill("the dice show it")
    sam.get_by_role("button", name="Next").click()
    sam.get_by_role("button", name="Propose this").click()
    expect(sam.locator(".proposals")).to_contain_text("Somebody else has to confirm it.", timeout=PATIENCE_MS)
    maria.evaluate("location.hash = '#/tables/Covered%201/desk'")
    maria.get_by_role("button", name="Confirm").click(timeout=PATIENCE_MS)
    maria.locator("dialog").get_by_role("button", name="Confirm").click()
    expect(maria.locator(".settlement").first).to_contain_text("sam + maria", timeout=PATIENCE_MS)
    corrected = server.round("Covered 1")
    assert corrected["faces"] == wrong
    assert len(corrected["settlements"]) == 2
    amounts = {each["wager"]: each["amount"] for each in corrected["differences"]}
    before, after = ("small", "big") if wrong == [6, 6, 5] else ("big", "small")
    if len(set(settled["faces"])) > 1:
        assert amounts == {before: "-20.00", after: "20.00"}
        expect(maria.locator(".collect")).to_have_text("collect 20.00")
        expect(maria.locator(".pay")).to_have_text("pay 20.00")
    in_state(dora, "Settled")
    require_lit(dora, "Covered 1", wrong)


def test_that_an_open_round_a_void_and_a_referral_end_as_the_rulebook_says(service, visit):
    maria, token = set_up(service, visit)
    server = TableServer(service.url, token)
    dora = sign_in(visit(), "dora", "#/tables/Open%201")
    press(dora, "Open round")
    in_state(dora, "Bets are open")
    server.place("Open 1", ("odd", "5.00"), ("even", "5.00"))
    press(dora, "No more bets")
    press(dora, "Tumble")
    expect(dora.locator(".stage-state")).to_have_text(
        re.compile("Settled|Void|Referred"), timeout=PATIENCE_MS
    )

    # A void: maria ends the round, every stake goes back.
    press(dora, "Open round")
    in_state(dora, "Bets are open")
    server.place("Open 1", ("odd", "5.00"))
    maria.evaluate("location.hash = '#/tables/Open%201/desk'")
    maria.get_by_role("button", name="Void", exact=True).click(timeout=PATIENCE_MS)
    maria.get_by_label("What happened").select_option("activated-early")
    maria.get_by_label("Reason").fill("the tumbler was started by hand")
    maria.locator("dialog").get_by_role("button", name="Void").click()
    in_state(dora, "Void")
    void = server.round("Open 1")
    assert [(each["result"], each["returned"]) for each in void["wagers"]] == [("void", "5.00")]

    # A referral by the dealer, decided by maria; wagers are frozen until then.
    press(dora, "Open round")
    in_state(dora, "Bets are open")
    server.place("Open 1", ("odd", "7.00"))
    dora.get_by_role("button", name="Refer").click()
    dora.get_by_label("What happened").select_option("extra-object")
    dora.get_by_label("Reason").fill("a coin is under the dome")
    dora.locator("dialog").get_by_role("button", name="Refer").click()
    in_state(dora, "Referred")
    assert [each["result"] for each in server.round("Open 1")["wagers"]] == [None]
    maria.get_by_role("button", name="Decide").click(timeout=PATIENCE_MS)
    maria.get_by_label("Decision").select_option("void")
    maria.get_by_role("button", name="Next").click()
    maria.get_by_label("Reason").fill("nobody knows what the dice touched")
    maria.get_by_role("button", name="Void: every stake goes back").click()
    in_state(dora, "Void")
    assert [each["returned"] for each in server.round("Open 1")["wagers"]] == ["7.00"]


def test_that_a_restart_of_the_service_is_seen_and_asks_for_a_new_sign_in(tmp_path, browser):
    with Service(tmp_path) as first:
        context = browser.new_context(viewport={"width": 1024, "height": 768})
        context.set_default_timeout(PATIENCE_MS)
        visitor = Visitor(context, first.url)
        set_up(first, lambda **_size: visitor)
        port = first.url.rpartition(":")[2]
    expect(visitor.page.locator(".stale")).to_be_visible(timeout=PATIENCE_MS)
    visitor.picture("service-away")
    config = (tmp_path / "config.toml").read_text().replace("port = 0", f"port = {port}")
    second = Service(tmp_path)
    (tmp_path / "config.toml").write_text(config)
    with second:
        expect(visitor.page.get_by_role("heading", name="Sign in")).to_be_visible(timeout=PATIENCE_MS)
    context.close()
