"""`tumbler settle`: settles a stream of wagers, one JSON object a line, of any length in constant memory."""

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from host_tools.commands.rules import usage_errors

if TYPE_CHECKING:
    from host_tools.rulebooks import Ruling
    from host_tools.settlement import Judge, Outcome, Result, Table, Void


def register(app: typer.Typer) -> None:
    """Add the command `settle`."""
    app.command("settle")(settle_command)


def settle_command(  # noqa: PLR0913, PLR0917 (a command has as many parameters as it has options)
    rules: Annotated[str, typer.Option(help="A rulebook id, or the path of a rulebook's .toml file.")],
    layout: Annotated[str, typer.Option(help="A layout of that rulebook.")],
    dice: Annotated[str | None, typer.Option(help="The dice, as 1,2,3.")] = None,
    cards: Annotated[str | None, typer.Option(help="The cards, as 1,2,3.")] = None,
    void: Annotated[str | None, typer.Option(help="The fact that ended the round, as not-flat.")] = None,
    decided_by: Annotated[
        str, typer.Option(help="Who decided on a void that the rules leave to a person.")
    ] = "",
    limits: Annotated[str | None, typer.Option(help="Stake limits of that rulebook, as eur-5.")] = None,
    chip_unit: Annotated[
        str | None,
        typer.Option(help="Stakes are multiples of it; the least that is paid exactly if omitted."),
    ] = None,
    decimals: Annotated[int, typer.Option(help="Decimals of the currency.")] = 2,
    bets: Annotated[
        Path | None, typer.Option(help="Read wagers from this file; else standard input.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON lines even on a terminal.")] = False,
) -> None:
    """Settle wagers, JSON lines {"id","wager","stake"}, by a rulebook: won, lost, void or refused, exactly.

    Prints a JSON object for each line, on a terminal coloured columns. Exit status 2 if a line was refused.
    """
    import sqlite3  # noqa: PLC0415 (the ids of a long stream are in a temporary file of its)

    from host_tools.settlement import OutcomeError, TableError  # noqa: PLC0415

    with usage_errors(TableError, OutcomeError, sqlite3.Error):
        table = _table(rules, layout, limits, chip_unit, decimals)
        judge = _judge(table, _outcome(dice, cards, void, decided_by))
        counts = _settle_all(judge, _source(bets), as_json or not sys.stdout.isatty())
    if judge.ruling is not None:
        typer.echo(_told(judge.ruling), err=True)
    typer.echo(_summary(table, judge.outcome, counts), err=True)
    if counts["refused"]:
        raise typer.Exit(2)


def _settle_all(judge: "Judge", source: BinaryIO, as_json: bool) -> Counter[str]:
    """Answer every line of the source on standard output; how many had each result."""
    from host_tools.settlement.stream import settle_lines  # noqa: PLC0415

    counts: Counter[str] = Counter()
    if not as_json:
        typer.echo(_row("id", "wager", "stake", "result", "to 1", "payout", "returned"))
    show = _json_line if as_json else _columns
    with source, _progress(source, as_json) as progress:
        for number, (result, readable) in enumerate(settle_lines(judge, source), 1):
            counts[result.result] += 1
            sys.stdout.write(show(result))
            if not readable and as_json:
                typer.echo(result.reason, err=True)
            progress(number)
    return counts


def _judge(table: "Table", outcome: "Outcome | Void") -> "Judge":
    """Who settles; exit status 1 where only a person can: the answer is no until somebody decides."""
    from host_tools.settlement import Judge, NeedsDecisionError  # noqa: PLC0415

    try:
        return Judge(table, outcome)
    except NeedsDecisionError as error:
        typer.echo(f"{error} (--decided-by)", err=True)
        raise typer.Exit(1) from error


def _table(rules: str, layout: str, limits: str | None, chip_unit: str | None, decimals: int) -> "Table":
    """The table to settle on. Settling opens no table for play, so a player's advantage is only told."""
    from host_tools.rulebooks import load_rulebook  # noqa: PLC0415
    from host_tools.rulebooks.odds import player_advantages  # noqa: PLC0415
    from host_tools.settlement import open_table  # noqa: PLC0415

    book = load_rulebook(rules)
    advantages = player_advantages(book, book.layout(layout))
    for edge in advantages:
        typer.echo(f"warning: on {layout} the house edge of {edge.wager} is {edge.edge}", err=True)
    if limits is None and book.limits:
        typer.echo(
            f"warning: without --limits any stake is taken; there are {', '.join(book.limits)}", err=True
        )
    accepted = [edge.wager for edge in advantages]
    return open_table(
        book, layout, limits=limits, chip_unit=chip_unit, decimals=decimals, accept_player_advantage=accepted
    )


def _outcome(dice: str | None, cards: str | None, void: str | None, decided_by: str) -> "Outcome | Void":
    from host_tools.settlement import Outcome, OutcomeError, Void  # noqa: PLC0415

    if sum(each is not None for each in (dice, cards, void)) != 1:
        raise OutcomeError("give exactly one of --dice, --cards and --void")
    if decided_by and void is None:
        raise OutcomeError("--decided-by goes with --void: what the dice or cards show, nobody decides")
    if void is not None:
        return Void(void, decided_by)
    faces = (dice if dice is not None else cards or "").split(",")
    if not all(face.isascii() and face.isdecimal() and len(face) == 1 for face in faces):
        raise OutcomeError(f"faces are three numbers from 1 to 6, as 1,2,3; not {dice or cards!r}")
    return Outcome(tuple(map(int, faces)), "dice" if dice is not None else "cards")  # pyright: ignore[reportArgumentType] (Outcome checks)


def _source(bets: Path | None) -> BinaryIO:
    if bets is not None:
        return bets.open("rb")
    if sys.stdin is None:
        raise OSError("standard input is closed; give the wagers with --bets FILE")
    if sys.stdin.isatty():
        typer.echo(
            'reading wagers from the keyboard, as {"id": "1", "wager": "small", "stake": "10"}', err=True
        )
    return sys.stdin.buffer


@contextmanager
def _progress(source: BinaryIO, wanted: bool) -> Iterator[Callable[[int], None]]:
    """Show on standard error how far a long stream is: a bar on a terminal, else a line now and then."""
    if not wanted:
        yield lambda number: None
    elif not sys.stderr.isatty():

        def tell(number: int) -> None:
            if number % 100_000 == 0:
                typer.echo(f"{number:,} lines settled", err=True)

        yield tell
    else:
        from rich.console import Console  # noqa: PLC0415
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

        size = os.fstat(source.fileno()).st_size if source.seekable() else 0
        columns = (TextColumn("{task.completed:,.0f} lines settled"), BarColumn(), TimeElapsedColumn())
        console = Console(stderr=True)
        # Left alone, rich would take over standard output too and show the rows on the bar's terminal.
        with Progress(
            *columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False
        ) as bar:
            task = bar.add_task("settling", total=None)

            def show(number: int) -> None:
                if number % 1000 == 0:
                    done = source.tell() if size else 0
                    bar.update(task, completed=number, total=number * size // done if done else None)

            yield show


def _json_line(result: "Result") -> str:
    row = result._asdict()
    del row["clause"]
    return json.dumps(row) + "\n"


_STYLES = {"won": "32;1", "lost": "2", "void": "33", "refused": "31"}


def _columns(result: "Result") -> str:
    """A line of columns, coloured by the result, and a second one with the reason if there is any."""
    texts = map(_plain, (*result[:4], result.odds or "", result.payout, result.returned))
    reason = f"\n    {_plain(result.reason)}" if result.reason else ""
    return f"\x1b[{_STYLES[result.result]}m{_row(*texts)}{reason}\x1b[0m\n"


def _row(*texts: str) -> str:
    """Columns for a terminal of 80; longer texts push the rest to the right."""
    return "{:<10} {:<19} {:>9} {:<7} {:>6} {:>11} {:>11}".format(*texts)


def _plain(text: str) -> str:
    """Text from outside without control characters, which could rewrite the terminal."""
    return "".join(character if character.isprintable() else "?" for character in text)


def _told(ruling: "Ruling") -> str:
    """What the rules say about the void, and whose wagers it is for where that is not the whole round."""
    from host_tools.rulebooks import TERMINAL_FACTS  # noqa: PLC0415

    note = f" ({ruling.note})" if ruling.note else ""
    scope = "; settle so only the wagers of the lost terminal" if ruling.fact in TERMINAL_FACTS else ""
    return f"{ruling.fact}: {ruling.action} by clause {ruling.clause}{note}{scope}"


def _summary(table: "Table", outcome: "Outcome | Void", counts: Counter[str]) -> str:
    from host_tools.settlement import Outcome  # noqa: PLC0415

    if isinstance(outcome, Outcome):
        what = f"{outcome.drawn} {'-'.join(map(str, outcome.faces))}"
    else:
        what = f"void by {outcome.fact}"
    told = ", ".join(
        f"{counts[each]:,} {each}" for each in ("won", "lost", "void", "refused") if counts[each]
    )
    by = f"{table.rulebook.id} {table.layout.id}"
    return f"{by}, {what}: {told or 'no wagers'} (SHA-256 of the rulebook {table.rulebook.digest[:16]}...)"
