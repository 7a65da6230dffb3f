"""A real Chromium and a small house for the console's tests; build/screenshots/ keeps what they saw."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.host_tools.console.fake_house import PASSWORD, House, serving

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
SCREENSHOTS = Path(__file__).parents[3] / "build/screenshots"
PATIENCE_MS = 20_000  # on a machine that does much else
SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--headless=new",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium as Debian has it; of a module, so that no event loop of its outlives the file."""
    if CHROMIUM is None:
        pytest.skip("the console's tests need chromium on PATH")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        yield chromium
        chromium.close()


@pytest.fixture
def house() -> House:
    """An empty house."""
    return House()


@pytest.fixture
def address(house: House) -> Iterator[str]:
    """Where the house serves the console."""
    with serving(house) as url:
        yield url


class Visitor:
    """Somebody at a browser of their own; whatever the page complains about is kept in `complaints`."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.page: Page = context.new_page()
        self.address = address
        self.complaints: list[str] = []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._hear)

    def _hear(self, message) -> None:
        harmless = "Failed to load resource" in message.text or "WebSocket connection" in message.text
        if message.type in ("error", "warning") and not harmless:
            self.complaints.append(message.text)

    def sign_in(self, name: str, where: str = "#/") -> Page:
        """Sign in and go to a view."""
        self.page.goto(self.address)
        self.page.locator("input[autocomplete=username]").fill(name)
        self.page.locator("input[type=password]").fill(PASSWORD)
        self.page.locator("button[type=submit]").click()
        self.page.wait_for_selector("header.top .link[data-state=live]")
        self.go(where)
        return self.page

    def go(self, where: str) -> None:
        """Go to a view."""
        self.page.evaluate("where => { location.hash = where; }", where)
        self.page.wait_for_function("where => location.hash === where", arg=where)

    def picture(self, name: str, *, whole: bool = False) -> None:
        """Keep a screenshot as test output."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(
            path=SCREENSHOTS / f"{re.sub(r'[^a-z0-9-]+', '-', name.lower())}.png", full_page=whole
        )


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator:
    """`visit()` makes a Visitor with a browser profile of their own; nothing may be complained about."""
    visitors: list[tuple[BrowserContext, Visitor]] = []

    def make(
        *, width: int = 1024, height: int = 768, scheme: str = "dark", language: str = "en-GB"
    ) -> Visitor:
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,  # pyright: ignore[reportArgumentType]
            locale=language,
        )
        context.set_default_timeout(PATIENCE_MS)
        visitors.append((context, Visitor(context, address)))
        return visitors[-1][1]

    yield make
    complaints = [complaint for _, visitor in visitors for complaint in visitor.complaints]
    for context, _ in visitors:
        context.close()
    assert complaints == []
