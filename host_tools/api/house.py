"""Routes of the house: signing in, accounts, tokens, records, chains, access logs."""

import asyncio
from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response

from host_tools.api.bodies import (
    AccountPath,
    AccountView,
    After,
    Name,
    NewPassword,
    NewPerson,
    NewProgram,
    SessionView,
    SignIn,
    TokenView,
)
from host_tools.api.guard import COOKIE, Auditor, guard_of, service_of
from host_tools.people import MAY, Account, Person
from host_tools.service.auditing import MOST_RECORDS
from host_tools.service.views import AccessView, ChainView, RecordView

router = APIRouter(tags=["house"])
Limit = Annotated[int, Query(ge=1, le=MOST_RECORDS)]
SetUpPath = Annotated[str, Path(min_length=1, max_length=128, pattern=r"^[A-Za-z0-9_-]+$")]
DeviceId = Annotated[str, Query(pattern=r"^[0-9a-f]{16}$")]


# --- signing in ---


@router.post("/session")
async def sign_in(body: SignIn, request: Request, response: Response) -> SessionView:
    """Sign in as a person; the session's cookie comes with the answer."""
    guard, sessions = guard_of(request), service_of(request).sessions
    origin = guard.stranger(request)
    secret, _ = await asyncio.to_thread(sessions.sign_in, body.name, body.password, origin)
    guard.give_cookie(response, secret)
    return _session(*sessions.person(secret, origin))


@router.get("/session")
async def get_session(request: Request) -> SessionView:
    """Who is asking, and what they may do."""
    return _session(*guard_of(request).person(request))


@router.delete("/session", status_code=204)
async def sign_out(request: Request, response: Response) -> None:
    """End the session."""
    guard = guard_of(request)
    guard.person(request)
    service_of(request).sessions.sign_out(request.cookies.get(COOKIE, ""))
    guard.take_cookie(response)


@router.post("/setup/{token}", status_code=201)
async def set_up(token: SetUpPath, body: SignIn, request: Request) -> AccountView:
    """Make the first account, a shift manager's, with the link that the first start prints."""
    origin = guard_of(request).stranger(request)
    made = await service_of(request).accounts.set_up(token, body.name, body.password, origin)
    return _account(made)


def _session(person: Person, csrf: str) -> SessionView:
    choose = person.known_to_others
    return SessionView(
        name=person.name,
        role=person.role,
        program=person.program,
        may=[] if choose else sorted(MAY[person.role]),
        csrf=csrf,
        choose_password=choose,
    )


# --- accounts ---


@router.get("/people")
async def list_people(auditor: Auditor) -> list[AccountView]:
    """The accounts of people, closed ones too."""
    return [_account(each) for each in await auditor.people() if not each.program]


@router.post("/people", status_code=201)
async def add_person(body: NewPerson, auditor: Auditor) -> AccountView:
    """Make an account for a person."""
    return _account(await auditor.add_person(body.name, body.role, body.password))


@router.post("/people/{name}/password", status_code=204)
async def set_password(name: AccountPath, body: NewPassword, auditor: Auditor) -> None:
    """Give a person a new password, one's own with the old one; all their sessions end."""
    await auditor.set_password(name, body.password, body.old)


@router.post("/people/{name}/close")
async def close_person(name: AccountPath, auditor: Auditor) -> AccountView:
    """Close a person's account for good; all their sessions end."""
    return _account(await auditor.close_account(name, program=False))


@router.get("/tokens")
async def list_programs(auditor: Auditor) -> list[AccountView]:
    """The accounts of programs, closed ones too; their tokens are known to nobody."""
    return [_account(each) for each in await auditor.people() if each.program]


@router.post("/tokens", status_code=201)
async def add_program(body: NewProgram, auditor: Auditor) -> TokenView:
    """Make an account for a program; its token is told here and never again."""
    account, token = await auditor.add_program(body.name, body.role)
    return TokenView(**asdict(account), token=token)


@router.delete("/tokens/{name}")
async def close_program(name: AccountPath, auditor: Auditor) -> AccountView:
    """Close a program's account for good; its token opens nothing any more."""
    return _account(await auditor.close_account(name, program=True))


def _account(account: Account) -> AccountView:
    return AccountView(**asdict(account))


# --- for auditors ---


@router.get("/records")
async def list_records(
    device: DeviceId, auditor: Auditor, after: After = 0, limit: Limit = MOST_RECORDS
) -> list[RecordView]:
    """A device's signed records above sequence `after`, in order."""
    return await auditor.records(device, after, limit)


@router.get("/chain")
async def list_chains(auditor: Auditor) -> list[ChainView]:
    """The heads of all devices' chains."""
    return await auditor.chain()


@router.get("/logs")
async def list_logs(auditor: Auditor) -> list[str]:
    """The names of the access logs: one a table, and one of people."""
    return await auditor.logs()


@router.get("/log")
async def list_accesses(
    log: Annotated[Name, Query()], auditor: Auditor, after: After = 0, limit: Limit = MOST_RECORDS
) -> list[AccessView]:
    """The entries of an access log above step `after`, in order."""
    return await auditor.log(log, after, limit)
