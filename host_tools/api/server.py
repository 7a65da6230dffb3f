"""Serving an app with uvicorn: where the configuration says, TLS by files, streams ended before the rest."""

import asyncio
import contextlib
import resource
from collections.abc import Callable, Iterator

import uvicorn
from fastapi import FastAPI

from host_tools.api.app import make_app
from host_tools.api.door import Door, Guest
from host_tools.api.patience import IDLE_S, PatientHttp
from host_tools.api.socket import MOST_SOCKETS
from host_tools.service.service import Service

_MOST_FILES = 8192
_FAREWELL_S = 2.0  # for those who follow to take the last events, and that the service stops
_SHARE = 0.75  # of them that connections may have; the others are for the ledger, the boards and the log


async def serve(service: Service, started: Callable[[str], None] = lambda url: None) -> None:
    """Serve a running service until cancelled; `started` gets the console's address. Raises OSError."""
    api = service.config.api
    config = uvicorn.Config(
        make_app(service),
        host=api.host,
        port=api.port,
        ssl_certfile=api.certificate,
        ssl_keyfile=str(api.key) if api.key else None,
        ws="websockets-sansio",
        ws_max_size=65536,
        ws_per_message_deflate=False,  # it takes 300 KB a socket
        ws_ping_interval=20.0,
        ws_ping_timeout=20.0,
        timeout_keep_alive=int(IDLE_S),
        timeout_graceful_shutdown=10,
        server_header=False,
        proxy_headers=False,
        access_log=False,
        log_config=None,
        log_level="error",  # what any stranger can cause is no line of the log
        lifespan="off",
    )
    server = _Server(config, service, started)
    serving = asyncio.create_task(server.serve())
    try:
        await asyncio.shield(serving)
    finally:
        server.should_exit = True
        await serving


class _Server(uvicorn.Server):
    """A server behind a door that bounds its connections; it ends the streams before it waits for them."""

    def __init__(self, config: uvicorn.Config, service: Service, started: Callable[[str], None]) -> None:
        super().__init__(config)
        self._app: FastAPI = config.app  # type: ignore[assignment]
        self._service = service
        self._tell_started = started

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are for who runs the service: uvicorn would end the process before the tables stop."""
        yield

    async def startup(self, sockets=None) -> None:
        """See uvicorn, which would listen without a door."""
        api, most = self.config, int(_SHARE * allow_many_sockets())
        door = Door(most, self._greet, api.ssl)
        self._app.state.most_sockets = min(MOST_SOCKETS, most // 2)  # the other half is for requests
        await self.lifespan.startup()
        await door.open(api.host, api.port)
        self.servers = [door]  # type: ignore[list-item]
        self.started = True
        scheme = "https" if api.is_ssl else "http"
        host = f"[{api.host}]" if ":" in api.host else api.host
        self._tell_started(f"{scheme}://{host}:{door.sockets[0].getsockname()[1]}")

    def _greet(self, door: Door, guest: Guest) -> PatientHttp:
        return PatientHttp(
            door,
            guest,
            config=self.config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
        )

    async def shutdown(self, sockets=None) -> None:
        """See uvicorn, which would cut off who follows before the last events and the reason are told."""
        for door in self.servers:
            door.close()
        self._service.stream.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_FAREWELL_S):
                while self._app.state.sockets:  # noqa: ASYNC110 - nobody announces it
                    await asyncio.sleep(0.02)
        await super().shutdown(sockets)


def allow_many_sockets() -> int:
    """Idle sockets must not use up the process's files: have as many as the system allows; how many."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted
