"""`tumbler bench [NAME]`: the checkout's `benchmarks`, each against its baseline, and campaigns."""

import importlib
import json
import os
import pkgutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NoReturn

import typer

ROOT = Path(__file__).parents[2]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("bench")(bench)


def bench(  # noqa: PLR0913, PLR0917 - a command has so many options
    name: Annotated[str | None, typer.Argument(help="One benchmark; all when left out.")] = None,
    scenes: Annotated[
        int | None, typer.Option(min=1, help="With reader: a campaign over so many scenes of the twin.")
    ] = None,
    rounds: Annotated[
        int | None, typer.Option(min=1, help="With table: a campaign of so many whole rounds on the twin.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of a campaign: the same seed, the same scenes.")] = 1,
    jobs: Annotated[int | None, typer.Option(min=1, help="Of a campaign: processes; one a core.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Of a campaign: its folder, where it goes on when it was stopped.")
    ] = None,
    part: Annotated[
        str | None, typer.Option(help="With faults: flash, table, bridge or store; all when left out.")
    ] = None,
    size: Annotated[
        int | None, typer.Option(min=1, help="With faults: of that part, in place of its full size.")
    ] = None,
    tables: Annotated[
        int | None, typer.Option(min=1, help="With service: a load test of so many simulated tables ...")
    ] = None,
    firmware: Annotated[int, typer.Option(min=0, help="... and so many with real firmware ...")] = 8,
    seconds: Annotated[float, typer.Option(min=1, help="... for so long.")] = 600.0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a result, nothing else.")] = False,
) -> None:
    """Measure every benchmark against its baseline, as ratios; or run a campaign (docs/campaign.md), or break
    everything on purpose (tests/faults/README.md)."""
    names = list_benchmarks(ROOT / "benchmarks")
    if not names:
        _stop("there is no benchmarks folder here: run it from a checkout of the project, with `make bench`")
    sys.path.insert(0, str(ROOT))
    if name == "faults":
        _faults(part, seed, size, out)
    if part is not None or size is not None:
        _stop("--part and --size are of `faults`")
    if tables is not None:
        _load(name, tables, firmware, seconds, out)
    if scenes is not None or rounds is not None or name == "table":
        _campaign(name, scenes, rounds, seed, jobs or os.cpu_count() or 1, out, as_json)
    if name is not None and name not in names:
        _stop(f"no benchmark {name!r}; there are {', '.join(names)}, the campaign table, and faults")
    chosen = names if name is None else [name]
    results = _run_all(chosen)
    ok = _print_json(results) if as_json else _print_table(results)
    raise typer.Exit(0 if ok else 1)


def _campaign(  # noqa: PLR0913, PLR0917 - what a campaign is asked
    name: str | None,
    scenes: int | None,
    rounds: int | None,
    seed: int,
    jobs: int,
    out: Path | None,
    as_json: bool,
) -> NoReturn:
    """Run it; exit status 1 when anything was wrong."""
    count = {"reader": scenes, "table": rounds}.get(name or "")
    if count is None or (scenes is not None and rounds is not None):
        _stop("a campaign is `reader --scenes N` or `table --rounds N`")
    from host_tools.campaign.errors import SittingFailed  # noqa: PLC0415
    from host_tools.twin.errors import TwinError  # noqa: PLC0415 - only when called
    from host_tools.twin.workers import WorkerLost  # noqa: PLC0415

    campaign = importlib.import_module(f"host_tools.campaign.{name}")
    folder = out or ROOT / "build" / "campaign" / f"{name}-{seed}"
    try:
        figures = campaign.run(count, seed, jobs, folder)
    except (TwinError, WorkerLost, SittingFailed) as error:
        _stop(str(error))
    except KeyboardInterrupt:
        _stop("stopped; the same command goes on from here")
    told = f"{campaign.summary(figures)}\nReport: {folder / 'report.html'}"
    print(json.dumps(figures) if as_json else told)
    raise typer.Exit(0 if campaign.is_clean(figures) else 1)


def _faults(part: str | None, seed: int, size: int | None, out: Path | None) -> NoReturn:
    """Break everything on purpose, a JSON object a part; exit status 1 when a promise was broken."""
    from host_tools.faults.parts import PARTS, run_all  # noqa: PLC0415 - only when called

    if part not in (None, *PARTS):
        _stop(f"no part {part!r} of faults; there are {', '.join(PARTS)}")
    sound = True
    for figures in run_all(part, seed, size, out or ROOT / "build" / "faults"):
        print(json.dumps(figures), flush=True)
        sound = sound and not figures["broken"]
    raise typer.Exit(0 if sound else 1)


def _load(name: str | None, tables: int, firmware: int, seconds: float, out: Path | None) -> NoReturn:
    """The service under load, its figures as a JSON object; exit status 1 when anything was lost."""
    if name != "service":
        _stop("--tables is of `service`")
    from host_tools.load.run import Load, run_as_command  # noqa: PLC0415 - only when called

    folder = out or Path(tempfile.mkdtemp(prefix="load", dir="."))
    print(f"the service's files are in {folder}", file=sys.stderr)
    raise typer.Exit(0 if run_as_command(Load(tables, firmware, seconds), folder) else 1)


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


def _stop(reason: str) -> NoReturn:
    print(f"tumbler bench: {reason}", file=sys.stderr)
    raise typer.Exit(2)
