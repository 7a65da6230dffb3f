"""A small house by the API's contract, without tables behind it: it serves the page and what a test shows.

Deeds are noted and change what is shown as the service would; nothing is settled here.
"""

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import uvicorn
from fastapi import FastAPI, Request, Response, WebSocket, WebSocketDisconnect
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles

from host_tools.console import CONTENT_SECURITY_POLICY, PAGE
from host_tools.console.felt import felt
from host_tools.people.roles import MAY, Role
from host_tools.rulebooks import load_rulebook
from host_tools.service.steps import announcement
from host_tools.service.views import (
    FaultView,
    ProposalView,
    RoundView,
    SettlementView,
    TableView,
    WagerView,
)

PASSWORD = "a long pass phrase"
CSRF = "csrf-secret"
PEOPLE = {
    "dora": Role.DEALER,
    "sam": Role.SUPERVISOR,
    "maria": Role.SHIFT_MANAGER,
    "theo": Role.TECHNICIAN,
    "ada": Role.AUDITOR,
}
NOW = lambda: int(time.time() * 1000)  # noqa: E731 - a clock


def _listed(table: TableView) -> TableView:
    """As a list of tables has it."""
    light = table.round and replace(table.round, wagers=(), differences=())
    return replace(table, round=light)


@dataclass
class House:
    """What is shown, and the deeds that came."""

    tables: dict[str, TableView] = field(default_factory=dict)
    history: dict[str, list[RoundView]] = field(default_factory=dict)
    proposals: list[ProposalView] = field(default_factory=list)
    deeds: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    refuse: dict[str, tuple[int, str, str]] = field(default_factory=dict)
    events: list[dict[str, Any]] = field(default_factory=list)
    resumed_after: list[int] = field(default_factory=list)
    first_words: set[str] = field(default_factory=set)  # whose password somebody else has set
    silent: bool = False
    pictures_missing: bool = False
    sockets: set[Any] = field(default_factory=set)
    loop: asyncio.AbstractEventLoop | None = None

    def show(self, table: TableView, kind: str = "table-changed") -> None:
        """Put a table as it is now and tell everybody."""
        sequence = len(self.events) + 1
        self.tables[table.name] = replace(table, sequence=sequence, now_ms=NOW())
        round_id = table.round.id if table.round else None
        self.tell(
            {
                "sequence": sequence,
                "table": table.name,
                "kind": kind,
                "round": round_id,
                "at_ms": NOW(),
                "body": {},
            }
        )

    def tell(self, event: dict[str, Any]) -> None:
        """Send an event to all sockets; those with a number are kept."""
        if event["sequence"] is not None:
            self.events.append(event)
        for queue in tuple(self.sockets):
            assert self.loop
            self.loop.call_soon_threadsafe(queue.put_nowait, event)

    def cut(self) -> None:
        """Close every socket, as a network does."""
        for queue in tuple(self.sockets):
            assert self.loop
            self.loop.call_soon_threadsafe(queue.put_nowait, None)

    def app(self) -> FastAPI:
        """The API with the page at `/`."""
        app = FastAPI()
        app.middleware("http")(self._guard)
        self._sessions(app)
        self._reading(app)
        self._doing(app)
        app.websocket("/api/events")(self._follow)
        app.mount("/", StaticFiles(directory=PAGE, html=True))
        return app

    async def _guard(self, request: Request, call_next: Any) -> Response:
        if self.silent:
            return JSONResponse({"error": "away", "message": "The service stops."}, 503)
        if request.url.path in self.refuse:
            status, kind, message = self.refuse[request.url.path]
            return JSONResponse({"error": kind, "message": message}, status)
        changes = request.method != "GET" and not request.url.path.startswith(("/api/session", "/api/setup"))
        if changes and request.headers.get("x-csrf-token") != CSRF:
            return JSONResponse({"error": "csrf", "message": "Load the page again."}, 403)
        answer = await call_next(request)
        answer.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
        answer.headers["Cache-Control"] = "no-store"
        return answer

    def _sessions(self, app: FastAPI) -> None:
        @app.get("/api/session")
        def who(request: Request) -> Response:
            name = request.cookies.get("session", "")
            return (
                _session(name, choose=name in self.first_words)
                if name in PEOPLE
                else _refused(401, "sign-in", "Sign in.")
            )

        @app.post("/api/session")
        async def sign_in(request: Request) -> Response:
            asked = await request.json()
            if asked["password"] != PASSWORD or asked["name"] not in PEOPLE:
                return _refused(401, "refused", "Name or password is wrong.")
            answer = _session(asked["name"], choose=asked["name"] in self.first_words)
            answer.set_cookie("session", asked["name"], httponly=True, samesite="strict")
            return answer

        @app.post("/api/people/{name}/password")
        async def set_password(name: str, request: Request) -> Response:
            self.deeds.append(("password", name, await request.json()))
            self.first_words.discard(name)
            return Response(status_code=204)

        @app.delete("/api/session")
        def sign_out() -> Response:
            answer = JSONResponse(None)
            answer.delete_cookie("session")
            return answer

        @app.post("/api/setup/{token}")
        async def set_up(token: str, request: Request) -> Response:
            self.deeds.append(("setup", token, await request.json()))
            return JSONResponse({"name": "maria"}, 201)

    def _reading(self, app: FastAPI) -> None:
        @app.get("/api/tables")
        def tables() -> list[dict[str, Any]]:
            return [{**asdict(_listed(table)), "now_ms": NOW()} for table in self.tables.values()]

        @app.get("/api/tables/{table}")
        def one(table: str) -> dict[str, Any]:
            return {**asdict(self.tables[table]), "now_ms": NOW()}

        @app.get("/api/tables/{table}/rounds")
        def rounds(table: str, limit: int = 20) -> list[dict[str, Any]]:
            current = self.tables[table].round
            shown = [current] if current else []
            return [asdict(each) for each in [*shown, *self.history.get(table, [])]][:limit]

        @app.get("/api/tables/{table}/rounds/{round}")
        def one_round(table: str, round: str) -> dict[str, Any]:
            current = self.tables[table].round
            known = [*([current] if current else []), *self.history.get(table, [])]
            return asdict(next(each for each in known if each.id == round))

        @app.get("/api/tables/{table}/rounds/{round}/evidence/{lamp}.png")
        def picture(table: str, round: str, lamp: int, marks: str = "") -> Response:
            if self.pictures_missing:
                return Response(status_code=404)
            return Response(_PNG, media_type="image/png")

        @app.get("/api/tables/{table}/layout")
        def layout(table: str) -> dict[str, object]:
            return felt(load_rulebook(self.tables[table].rulebook), self.tables[table].layout)

        @app.get("/api/events")
        def events(after: int = 0) -> list[dict[str, Any]]:
            return self.events[after:]

        @app.get("/api/proposals")
        def proposals() -> list[dict[str, Any]]:
            return [asdict(each) for each in self.proposals]

        @app.get("/api/chain")
        def chain() -> list[dict[str, Any]]:
            return [
                {"device": "ab" * 8, "table": "Dragon 1", "sequence": 8123, "digest": "c4" * 32, "boot": 17}
            ]

        @app.get("/api/records")
        def records(device: str, after: int = 0) -> list[dict[str, Any]]:
            kinds = ["round-opened", "tumble", "no-more-bets", "reading"]
            return [
                {
                    "device": device,
                    "sequence": after + n,
                    "boot": 17,
                    "kind": kinds[n % 4],
                    "digest": f"{n:02x}" * 32,
                }
                for n in range(1, 101 if not after else 20)
            ]

        @app.get("/api/logs")
        def logs() -> list[str]:
            return ["Dragon 1", "people"]

        @app.get("/api/tables/{table}/affected")
        def affected(table: str) -> list[dict[str, Any]]:
            return [asdict(each) for each in reversed(self.history.get(table, []))]

        @app.get("/api/log")
        def log(log: str, after: int = 0) -> list[dict[str, Any]]:
            hostile = "<img src=x onerror=alert(1)>"
            return [
                {
                    "log": "Dragon 1",
                    "step": 1,
                    "at_ms": NOW(),
                    "who": hostile,
                    "action": "refer",
                    "before": "{}",
                }
            ]

        @app.get("/api/people")
        def people() -> list[dict[str, Any]]:
            return [_account(name, role) for name, role in PEOPLE.items()]

        @app.get("/api/tokens")
        def tokens() -> list[dict[str, Any]]:
            return [_account("table-server-1", Role.TABLE_SERVER), _account("old", Role.AUDITOR, closed=True)]

    def _doing(self, app: FastAPI) -> None:
        @app.post("/api/proposals/{proposal}/{deed}")
        def second(proposal: str, deed: str) -> dict[str, Any]:
            self.deeds.append((deed, proposal, {}))
            self.proposals = [each for each in self.proposals if each.id != proposal]
            return {}

        @app.post("/api/tables/{table}/recall")
        def recall(table: str) -> list[dict[str, Any]]:
            return [
                {
                    "round": "7a" * 16,
                    "outcome": "read",
                    "faces": [1, 2, 6],
                    "fact": "",
                    "record": 41,
                    "agrees": True,
                }
            ]

        @app.post("/api/tables/{table}/faults/{fact}/clear")
        def clear(table: str, fact: str) -> dict[str, Any]:
            self.deeds.append(("clear", f"{table} {fact}", {}))
            self.show(replace(self.tables[table], faults=(), step="open-round"), "fault-cleared")
            return {}

        @app.post("/api/tables/{table}/dice")
        async def dice(table: str, request: Request) -> Response:
            self.deeds.append(("dice", table, await request.json()))
            return Response(status_code=204)

        @app.post("/api/tables/{table}/alarms/{number}/answer")
        async def answer(table: str, number: int, request: Request) -> Response:
            self.deeds.append(("answer", f"{table} {number}", await request.json()))
            self.show(replace(self.tables[table], alarms=()), "alarm-answered")
            return Response(status_code=204)

        @app.post("/api/tables/{table}/rounds")
        def open_round(table: str) -> dict[str, Any]:
            self.deeds.append(("open", table, {}))
            self.show(in_state(self.tables[table], "betting"), "round-opened")
            return {}

        @app.post("/api/tables/{table}/rounds/{round}/{deed}")
        async def in_round(table: str, round: str, deed: str, request: Request) -> Response:
            body = await request.json()
            self.deeds.append((deed, table, body))
            if deed in ("correction", "manual-result") or body.get("verdict") == "by-dice":
                self.proposals.append(a_proposal(table, round, deed, body))
                return JSONResponse(asdict(self.proposals[-1]), 202)
            after = {"no-more-bets": "closed", "tumble": "settled", "refer": "referred", "void": "void"}
            if deed in after:
                self.show(in_state(self.tables[table], after[deed]), deed)
            return JSONResponse({})

        @app.post("/api/{rest:path}")
        async def other(rest: str, request: Request) -> dict[str, Any]:
            self.deeds.append((rest, "", await request.json()))
            return {"token": "tok-secret-once"}

    async def _follow(self, socket: WebSocket, after: int = 0) -> None:
        if self.silent:
            await socket.close(1013)
            return
        await socket.accept()
        self.loop = asyncio.get_running_loop()
        self.resumed_after.append(after)
        queue: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        for event in self.events[after:]:
            queue.put_nowait(event)
        self.sockets.add(queue)
        try:
            while (event := await queue.get()) is not None:
                await socket.send_json(event)
            await socket.close(1012)
        except WebSocketDisconnect:
            pass
        finally:
            self.sockets.discard(queue)


def _session(name: str, *, choose: bool) -> JSONResponse:
    role = PEOPLE[name]
    told = {"name": name, "role": role, "csrf": CSRF, "may": sorted(MAY[role]), "choose_password": choose}
    return JSONResponse(told)


def _account(name: str, role: Role, *, closed: bool = False) -> dict[str, Any]:
    return {"name": name, "role": role, "program": role == Role.TABLE_SERVER, "closed": closed}


def _refused(status: int, kind: str, message: str) -> JSONResponse:
    return JSONResponse({"error": kind, "message": message}, status)


@contextlib.contextmanager
def serving(house: House) -> Iterator[str]:
    """Run it on a free port; gives its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = uvicorn.Server(
        uvicorn.Config(house.app(), port=port, log_level="error", timeout_graceful_shutdown=1)
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        house.cut()
        thread.join(10)


# --- what a test shows ---


def a_table(
    name: str, rulebook: str = "rws-sic-bo-etg-v8", layout: str = "pay-table-1", **changes: Any
) -> TableView:
    """A table between rounds, ready for the next one."""
    view = TableView(
        name=name,
        rulebook=rulebook,
        layout=layout,
        limits=None,
        mode=load_rulebook(rulebook).play_mode,
        decimals=2,
        chip_unit="1",
        device="ab" * 8,
        connected=True,
        device_state="idle",
        strokes=0,
        at_rest=True,
        cover_closed=True,
        faults=(),
        alarms=(),
        quarantine="",
        step="open-round",
        announcement="",
        round=None,
        referred=(),
        bets_close_ms=None,
        opens_ms=None,
        sequence=0,
        now_ms=NOW(),
        evidence="after",
        manual_entry=True,
    )
    return replace(view, **changes)


STEPS = {
    "betting": "place-bets",
    "closed": "uncover",
    "settled": "open-round",
    "void": "open-round",
    "referred": "open-round",
    "held": "check-evidence",
}
DEVICE = {"betting": "concealed", "closed": "closed"}


def in_state(
    table: TableView, state: str, faces: tuple[int, int, int] = (4, 5, 6), **changes: Any
) -> TableView:
    """The table with a round in that state."""
    round_ = a_round(table, state, faces, **changes)
    step = "tumble" if state == "closed" and table.mode == "open" else STEPS[state]
    return replace(
        table,
        round=round_,
        step=step,
        device_state=DEVICE.get(state, "idle"),
        strokes=3 if state != "betting" or table.mode == "covered" else 0,
        announcement=announcement((table.mode, state), round_.faces),
        bets_close_ms=NOW() + 24_000 if state == "betting" else None,
    )


def a_round(
    table: TableView,
    state: str,
    faces: tuple[int, int, int] = (4, 5, 6),
    *,
    ago_ms: int = 0,
    corrected: bool = False,
    wagers: tuple[WagerView, ...] = (),
) -> RoundView:
    """A round of that table; `winning` by the table's own rulebook."""
    shown = faces if state == "settled" else None
    layout = load_rulebook(table.rulebook).layout(table.layout)
    winning = tuple(name for name, offer in layout.offers.items() if offer.pays(faces)) if shown else ()
    settlements = [_settlement(state, shown, 11)] if state in ("settled", "void", "referred") else []
    if corrected:
        settlements.append(
            replace(_settlement(state, shown, 12), corrects=11, decided_by="sam", seconded_by="maria")
        )
    at = NOW() - ago_ms
    return RoundView(
        id=f"{at:032x}",
        table=table.name,
        mode=table.mode,
        state=state,
        rulebook=table.rulebook,
        layout=table.layout,
        opened_ms=at,
        changed_ms=at,
        faces=shown,
        settlements=tuple(settlements),
        differences=(),
        wagers=wagers,
        winning=winning,
    )


def _settlement(state: str, faces: tuple[int, int, int] | None, number: int) -> SettlementView:
    fact = {"void": "not-flat", "referred": "unreadable"}.get(state, "")
    action = {"void": "void", "referred": "refer"}.get(state, "settle")
    clause = {"void": "5.3.2", "referred": "5.10"}.get(state, "4.1")
    return SettlementView(number, state, faces, fact, action, clause, 4711, "", "", "", None, None, NOW())


def a_wager(number: int, wager: str, stake: str, **changes: Any) -> WagerView:
    """A wager as placed."""
    return replace(WagerView(f"w{number}", f"seat-{number}", wager, stake), **changes)


def a_proposal(table: str, round_id: str, deed: str, body: dict[str, Any], by: str = "sam") -> ProposalView:
    """A deed that waits for its second person."""
    return ProposalView(
        id=f"p{len(body)}-{deed}",
        table=table,
        round=round_id,
        deed=deed,
        faces=tuple(body["faces"]),
        reason=body["reason"],
        evidence=body.get("evidence"),
        proposed_by=by,
        proposed_ms=NOW(),
        lapses_ms=NOW() + 600_000,
    )


def a_fault(fact: str) -> FaultView:
    """A latched fault."""
    return FaultView(fact, "gate 0x21", "change the dice and register the new set")


_PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b55"
    "0000000a49444154789c6360000000020001e221bc330000000049454e44ae426082"
)
