"""`tumbler serve`: tables, their API and the console from one process."""

import asyncio
import contextlib
import json
import logging
import signal
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("serve")(serve)


def serve(
    config: Annotated[Path | None, typer.Argument(help="The configuration, see docs/service.md.")] = None,
    check: Annotated[bool, typer.Option("--check", help="Only check the configuration.")] = False,
    openapi: Annotated[bool, typer.Option("--openapi", help="Only print the API's description.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Logs as one JSON object a line.")] = False,
) -> None:
    """Run tables, their API and the console until Ctrl-C or SIGTERM."""
    if openapi:
        from host_tools.api.app import make_app  # noqa: PLC0415 - only when called

        print(json.dumps(make_app(None).openapi(), indent=1, sort_keys=True))
        return
    if config is None:
        _stop(2, ["give a configuration; docs/service.md has an example"])
    from host_tools.service.config import ConfigError, load_config  # noqa: PLC0415

    try:
        loaded = load_config(config)
    except ConfigError as error:
        _stop(2, error.findings)
    if check:
        print(f"{config}: {len(loaded.tables)} tables, nothing wrong", file=sys.stderr)
        return
    _log_to_stderr(as_json=as_json)
    from host_tools.ledger import LedgerError  # noqa: PLC0415
    from host_tools.service.errors import ServiceError  # noqa: PLC0415
    from host_tools.virtual_board import BoardError, ScenarioError  # noqa: PLC0415

    try:
        asyncio.run(_run(loaded))
    except (LedgerError, BoardError, ScenarioError, ServiceError, OSError) as error:
        _stop(1, [str(error)])
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise typer.Exit(0) from None


async def _run(config) -> None:
    from host_tools.api.server import serve as serve_app  # noqa: PLC0415
    from host_tools.link import SystemClock  # noqa: PLC0415
    from host_tools.service.service import Service  # noqa: PLC0415

    task = asyncio.current_task()
    if task is not None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)  # end as on Ctrl-C
    async with Service(config, SystemClock()) as service:
        asked = asyncio.ensure_future(_asked_to_stop(service).wait())
        serving = asyncio.create_task(serve_app(service, lambda url: _greet(service, url)))
        await asyncio.wait({serving, asked}, return_when=asyncio.FIRST_COMPLETED)
        try:
            if serving.done():
                service.hurry()  # without the API nobody can end a round
            await service.wind_down()
        finally:
            serving.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await serving


def _asked_to_stop(service) -> asyncio.Event:
    """Set by the first Ctrl-C or SIGTERM; the API goes on, for rounds must be able to end. The next one ends
    the time they have for it. None leaves a round in doubt."""
    asked = asyncio.Event()

    def ask() -> None:
        if asked.is_set():
            service.hurry()
        asked.set()

    for each in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(each, ask)
    return asked


def _greet(service, url: str) -> None:
    print(f"The console is at {url}", flush=True)
    secret = service.accounts.set_up_secret()
    if secret is not None:
        print(f"Nobody has an account yet. Make the first one, once: {url}/#/setup/{secret}", flush=True)


def _log_to_stderr(*, as_json: bool) -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    if as_json:
        logging.getLogger().handlers[0].setFormatter(_JsonLines())


class _JsonLines(logging.Formatter):
    """One JSON object a line; what is told of a table has its `table`, `event` and perhaps `round`."""

    def format(self, record: logging.LogRecord) -> str:
        """See logging.Formatter."""
        told = {
            "at_ms": int(record.created * 1000),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "told", {}),
        }
        if record.exc_info:
            told["trace"] = self.formatException(record.exc_info)
        return json.dumps(told)


def _stop(code: int, reasons: list[str]) -> NoReturn:
    for reason in reasons:
        print(f"tumbler serve: {reason}", file=sys.stderr)
    raise typer.Exit(code)
