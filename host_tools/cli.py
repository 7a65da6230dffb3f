"""The `tumbler` command: each command is a module in `host_tools.commands`, put together here."""

import importlib
import pkgutil

import typer

from host_tools import commands

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="The Sic Bo tumbler: firmware tools, table bridge and audits.",
)


@app.callback()
def root() -> None:
    """The Sic Bo tumbler: firmware tools, table bridge and audits."""


def main() -> None:
    """Run the `tumbler` command: every module of `host_tools.commands` adds its own with `register(app)`."""
    for module in pkgutil.iter_modules(commands.__path__):
        importlib.import_module(f"{commands.__name__}.{module.name}").register(app)
    app()
