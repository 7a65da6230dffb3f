"""The app of a service: its routes, its guard, its bounds, the console, health and metrics."""

from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel

from host_tools.api import cards, decisions, felts, house, refusals, socket, tables
from host_tools.api.guard import COOKIE, Guard, service_of
from host_tools.api.limits import BodyLimit, SecurityHeaders
from host_tools.console import PAGE
from host_tools.ledger import LedgerError
from host_tools.service.service import Service

TITLE = "Sic Bo tumbler: table service"
VERSION = "1"

_running = APIRouter(tags=["running"])


class HealthView(BaseModel):
    """Whether the service can do its work: `ok`, and what is wrong by table ("" for the whole)."""

    ok: bool
    troubles: dict[str, str]


@_running.get("/health", responses={503: {"model": HealthView, "description": "something is wrong"}})
async def health(request: Request) -> HealthView:
    """Whether the store answers and all tables run; a tumbler that is away is no trouble of the service."""
    service = service_of(request)
    troubles = {each.name: each.failure for each in service.tables.values() if each.failure}
    try:
        service.books.devices()
    except LedgerError as error:
        troubles[""] = str(error)
    view = HealthView(ok=not troubles, troubles=troubles)
    return view if view.ok else JSONResponse(view.model_dump(), 503)  # type: ignore[return-value]


@_running.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}, "description": "figures for Prometheus"}},
)
async def metrics(request: Request) -> Response:
    """Figures for Prometheus: no money and no names of people."""
    return Response(service_of(request).figures(), media_type="text/plain; version=0.0.4")


def make_app(service: Service | None) -> FastAPI:
    """The app over a service; without one, only to be described."""
    app = FastAPI(
        title=TITLE,
        version=VERSION,
        description="Tables, rounds and wagers of Sic Bo. Money is exact decimal text, times are Unix ms.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    app.openapi = lambda: _description(app)
    app.state.service = service
    app.state.sockets = set()
    app.state.most_sockets = socket.MOST_SOCKETS
    tls = service is not None and service.config.api.certificate is not None
    if service is not None:
        app.state.guard = Guard(service, secure=tls)
    for part in (tables.router, felts.router, cards.router, decisions.router, house.router):
        app.include_router(part, prefix="/api", responses=refusals.RESPONSES)
    app.include_router(socket.router, prefix="/api")
    app.include_router(_running)
    app.mount("/api", _nothing)
    app.mount("/", StaticFiles(directory=PAGE, html=True))
    app.add_middleware(BodyLimit)
    app.add_middleware(SecurityHeaders, tls=tls)
    refusals.install(app)
    return app


def _description(app: FastAPI) -> dict[str, Any]:
    """OpenAPI's, with the two ways to prove who is asking."""
    if app.openapi_schema is None:
        told = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes
        )
        told["components"]["securitySchemes"] = {
            "token": {"type": "http", "scheme": "bearer"},
            "session": {"type": "apiKey", "in": "cookie", "name": COOKIE},
        }
        told["security"] = [{"token": []}, {"session": []}]
        app.openapi_schema = told
    return app.openapi_schema


async def _nothing(scope, receive, send) -> None:
    """What is not in the API is refused in its shape, not looked for among the page's files."""
    answer = refusals.refusal(404, "not-found", "there is no such thing in the API")
    await answer(scope, receive, send)
