"""The API of a test's service: clients for people and programs, in the process or over a real port."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx

from host_tools.api.app import make_app
from host_tools.api.server import serve
from host_tools.people import Person, Role
from tests.host_tools.service.service_rig import PASSWORD, House, house

HANDED_OVER = "a word for the first day"
FOUNDER = Person("Founder", Role.SHIFT_MANAGER, program=False, origin="test")


class Api:
    """Clients to the API of a house. People are named after their role."""

    def __init__(self, at: House) -> None:
        self.at = at
        self.app = make_app(at.service)
        self._stack = contextlib.AsyncExitStack()

    async def client(self, headers: dict[str, str] | None = None) -> httpx.AsyncClient:
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False, client=("10.0.0.7", 1))
        made = httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers)
        return await self._stack.enter_async_context(made)

    async def person(self, role: Role, name: str = "") -> httpx.AsyncClient:
        """Somebody who is signed in, with the page's CSRF secret."""
        name = name or f"a {role}"
        await self.at.service.accounts.add_person(name, role, HANDED_OVER, FOUNDER)
        await self.at.service.accounts.set_password(
            name, PASSWORD, Person(name, role, program=False, origin="test")
        )
        client = await self.client()
        answer = await client.post("/api/session", json={"name": name, "password": PASSWORD})
        assert answer.status_code == 200, answer.text
        client.headers["X-CSRF-Token"] = answer.json()["csrf"]
        return client

    async def token(self, role: Role = Role.TABLE_SERVER, name: str = "the server") -> str:
        _, token = await self.at.service.accounts.add_program(name, role, FOUNDER)
        return token

    async def program(self, role: Role = Role.TABLE_SERVER, name: str = "the server") -> httpx.AsyncClient:
        return await self.client({"Authorization": f"Bearer {await self.token(role, name)}"})

    async def close(self) -> None:
        await self._stack.aclose()


@contextlib.asynccontextmanager
async def api(
    folder: Path,
    tables: dict[str, dict[str, Any]] | None = None,
    tumblers: dict[str, Any] | None = None,
    **service: Any,
) -> AsyncIterator[Api]:
    """A running service and its app."""
    async with house(folder, tables, tumblers, **service) as at:
        made = Api(at)
        try:
            yield made
        finally:
            await made.close()


@contextlib.asynccontextmanager
async def served(at: House) -> AsyncIterator[str]:
    """The house's API on a real port; its URL."""
    url: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(serve(at.service, url.set_result))
    try:
        yield await url
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
