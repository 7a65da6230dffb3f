"""`tumbler bench [NAME]`: each module of the checkout's `benchmarks` folder against its baseline."""

import importlib
import json
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

ROOT = Path(__file__).parents[2]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("bench")(bench)


def bench(
    name: Annotated[str | None, typer.Argument(help="One benchmark; all when left out.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a result, nothing else.")] = False,
) -> None:
    """Measure every benchmark against its baseline, as ratios."""
    names = list_benchmarks(ROOT / "benchmarks")
    if not names:
        _stop("there is no benchmarks folder here: run it from a checkout of the project, with `make bench`")
    if name is not None and name not in names:
        _stop(f"no benchmark {name!r}; there are {', '.join(names)}")
    sys.path.insert(0, str(ROOT))
    chosen = names if name is None else [name]
    results = _run_all(chosen)
    ok = _print_json(results) if as_json else _print_table(results)
    raise typer.Exit(0 if ok else 1)


def list_benchmarks(folder: Path) -> list[str]:
    """Names of the benchmarks in a folder."""
    names = (module.name for module in pkgutil.iter_modules([str(folder)]))
    return sorted(name for name in names if not name.startswith("_"))


def _run_all(names: list[str]) -> Iterator[tuple[str, list[dict] | Exception]]:
    """Each benchmark's results, or the error it raised; the rest go on."""
    for number, name in enumerate(names, start=1):
        print(f"[{number}/{len(names)}] {name} ...", file=sys.stderr, flush=True)
        try:
            yield name, importlib.import_module(f"benchmarks.{name}").run()
        except Exception as error:  # whatever a benchmark raises is its result
            print(f"{name} failed: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
            yield name, error


def _print_json(results: Iterator[tuple[str, list[dict] | Exception]]) -> bool:
    ok = True
    for name, result in results:
        if isinstance(result, Exception):
            ok = False
            print(json.dumps({"bench": name, "error": f"{type(result).__name__}: {result}"}), flush=True)
            continue
        for row in result:
            print(json.dumps(row), flush=True)
    return ok


def _print_table(results: Iterator[tuple[str, list[dict] | Exception]]) -> bool:
    from rich.console import Console  # noqa: PLC0415 - commands import their machinery when called
    from rich.table import Table  # noqa: PLC0415

    table = Table()
    for heading in ("bench", "what"):
        table.add_column(heading)
    for heading in ("ours", "baseline", "ratio"):
        table.add_column(heading, justify="right")
    table.add_column("unit")
    ok = True
    for name, rows in results:
        if isinstance(rows, Exception):
            ok = False
            table.add_row(name, f"failed: {type(rows).__name__}: {rows}", style="red")
            continue
        for row in rows:
            numbers = (_number(row[key]) for key in ("ours", "baseline", "ratio"))
            table.add_row(row["bench"], row["what"], *numbers, row["unit"])
    Console().print(table)
    return ok


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"


def _stop(reason: str) -> None:
    print(f"tumbler bench: {reason}", file=sys.stderr)
    raise typer.Exit(2)
