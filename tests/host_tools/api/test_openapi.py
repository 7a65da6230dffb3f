"""The published description is the service's, and the service keeps to it whatever is thrown at it."""

import asyncio
import subprocess
import sys
import threading
from pathlib import Path

import hypothesis
import pytest
import schemathesis
from hypothesis import HealthCheck
from schemathesis import GenerationMode
from schemathesis import checks as known

from host_tools.people import Role
from tests.host_tools.api.api_rig import Api, served
from tests.host_tools.service.service_rig import COVERED, OPEN, house

ROOT = Path(__file__).resolve().parents[3]
CHECKED = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
)
known.load_all_checks()
CHECKS = [each for each in known.CHECKS.get_all() if each.__name__ in CHECKED]
SETTINGS = hypothesis.settings(
    max_examples=3,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=(HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large),
)
NEVER = ("/api/session", "/api/setup/{token}")  # a sign-out ends the test; sign-in has a brake


def test_the_published_description_is_not_stale():
    command = [sys.executable, ROOT / "tools/generate_openapi.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


class _Running:
    """The API on a port, in a thread of its own: schemathesis asks without an event loop."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)

    async def _run(self) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        async with house(self._folder, {COVERED: {}, OPEN: {}}) as at, served(at) as url:
            self.at, self.url = at, url
            made = Api(at)
            self.tokens = {
                role: await made.token(role, f"{role} program") for role in (Role.TABLE_SERVER, Role.AUDITOR)
            }
            people = await made.person(Role.SHIFT_MANAGER, "Boss")
            self.boss = {
                "Cookie": f"tumbler_session={people.cookies['tumbler_session']}",
                "X-CSRF-Token": people.headers["X-CSRF-Token"],
            }
            self._ready.set()
            await self._end.wait()
            await made.close()

    def __enter__(self) -> "_Running":
        self._thread.start()
        assert self._ready.wait(60)
        return self

    def __exit__(self, *_error: object) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(60)


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    with _Running(tmp_path_factory.mktemp("schema")) as made:
        yield made


@pytest.mark.parametrize("who", ["boss", Role.TABLE_SERVER])
def test_whatever_is_sent_gets_an_answer_that_is_described(running, who):
    schema = schemathesis.openapi.from_url(f"{running.url}/api/openapi.json")
    headers = running.boss if who == "boss" else {"Authorization": f"Bearer {running.tokens[who]}"}
    asked = 0
    for result in schema.get_all_operations():
        operation = result.ok()  # type: ignore[union-attr]
        if operation.path in NEVER:
            continue

        good = operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
        bad = operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)

        @SETTINGS
        @hypothesis.given(case=good | bad)
        def ask(case):
            nonlocal asked
            asked += 1
            case.call_and_validate(headers=headers, checks=CHECKS, timeout=20)

        ask()
    assert asked > 100
    assert len(CHECKS) == len(CHECKED)
    running.at.service.books.check_everything()
