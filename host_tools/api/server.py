"""Serving an app with uvicorn: where the configuration says, TLS by files, streams ended before the rest."""

import asyncio
import contextlib
import resource
from collections.abc import Callable, Iterator

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from host_tools.api.app import make_app
from host_tools.service.service import Service

SILENT_S = 30.0  # how long a connection may say nothing at all
_MOST_FILES = 8192


class PatientProtocol(H11Protocol):
    """A connection that never says anything is closed, as one that is kept alive for nothing."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """See asyncio.Protocol."""
        super().connection_made(transport)
        self.timeout_keep_alive_task = self.loop.call_later(SILENT_S, self.timeout_keep_alive_handler)


async def serve(service: Service, started: Callable[[str], None] = lambda url: None) -> None:
    """Serve a running service until cancelled; `started` gets the console's address."""
    allow_many_sockets()
    api = service.config.api
    config = uvicorn.Config(
        make_app(service),
        host=api.host,
        port=api.port,
        ssl_certfile=api.certificate,
        ssl_keyfile=str(api.key) if api.key else None,
        http=PatientProtocol,
        ws="websockets-sansio",
        ws_max_size=65536,
        ws_per_message_deflate=False,  # it takes 300 KB a socket
        ws_ping_interval=20.0,
        ws_ping_timeout=20.0,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=10,
        server_header=False,
        proxy_headers=False,
        access_log=False,
        log_config=None,
        lifespan="off",
    )
    server = _Server(config, service)
    telling = asyncio.create_task(_tell(server, started))
    serving = asyncio.create_task(server.serve())
    try:
        await asyncio.shield(serving)
    finally:
        server.should_exit = True
        await serving
        telling.cancel()


class _Server(uvicorn.Server):
    """A server that ends the streams before it waits for them."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are for who runs the service: uvicorn would end the process before the tables stop."""
        yield

    async def shutdown(self, sockets=None) -> None:
        """See uvicorn."""
        self._service.stream.close()
        await super().shutdown(sockets)


async def _tell(server: uvicorn.Server, started: Callable[[str], None]) -> None:
    while not server.started:  # noqa: ASYNC110 - nobody announces it
        await asyncio.sleep(0.02)
    api, port = server.config, server.servers[0].sockets[0].getsockname()[1]
    scheme = "https" if api.is_ssl else "http"
    host = f"[{api.host}]" if ":" in api.host else api.host
    started(f"{scheme}://{host}:{port}")


def allow_many_sockets() -> None:
    """Idle sockets must not use up the process's files: have as many as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
