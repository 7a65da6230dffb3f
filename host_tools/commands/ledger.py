"""`tumbler ledger`: check a ledger as a whole, back it up, bring it back."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

if TYPE_CHECKING:
    from host_tools.ledger import Ledger

ledger = typer.Typer(no_args_is_help=True, help="Check a ledger as a whole, back it up, bring it back.")

Where = Annotated[str, typer.Argument(help="The ledger: a SQLite file or a postgresql:// URL.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(ledger, name="ledger")


@ledger.command("check")
def check(
    where: Where,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, nothing else.")] = False,
) -> None:
    """Verify every record, chain and sum, while the table may run; exit status 1 if one is wrong."""
    from host_tools.ledger import LedgerDamaged, LedgerError, open_ledger  # noqa: PLC0415 - when called

    try:
        with open_ledger(where, read_only=True) as books:
            found = _findings(books)
            told = _told(books)
    except LedgerDamaged as damage:
        found, told = damage.findings, {}
    except LedgerError as error:
        _stop(str(error))
    if as_json:
        print(json.dumps({"ledger": where, "ok": not found, "findings": found, **told}))
    else:
        _show(found, told)
    raise typer.Exit(1 if found else 0)


@ledger.command("backup")
def backup(where: Where, target: Annotated[Path, typer.Argument(help="The SQLite file to make.")]) -> None:
    """Copy a ledger to a new file, while the table may run, and check the copy as a whole."""
    from host_tools.ledger import LedgerError  # noqa: PLC0415
    from host_tools.ledger.copying import back_up  # noqa: PLC0415

    try:
        back_up(where, target)
    except LedgerError as error:
        _stop(str(error))
    check(str(target))


@ledger.command("restore")
def restore_(
    source: Annotated[Path, typer.Argument(help="A backup.")],
    where: Annotated[str, typer.Argument(help="A new file, or the URL of an empty database.")],
) -> None:
    """Bring a backup back and check the result as a whole."""
    from host_tools.ledger import LedgerError  # noqa: PLC0415
    from host_tools.ledger.copying import restore  # noqa: PLC0415

    try:
        restore(source, where)
    except LedgerError as error:
        _stop(str(error))
    check(where)


def _findings(books: "Ledger") -> list[str]:
    from host_tools.ledger import LedgerDamaged  # noqa: PLC0415

    try:
        books.check_everything()
    except LedgerDamaged as damage:
        return damage.findings
    return []


def _told(books: "Ledger") -> dict[str, list[dict[str, object]]]:
    """The ends of all chains: noted elsewhere, they show later that nothing was cut off."""
    devices = [
        {"device": each.id.hex(), "sequence": each.head_sequence, "digest": each.head_digest.hex()}
        for each in books.devices()
    ]
    newest = [books.newest_entry(table) for table in books.tables()]
    tables = [
        {
            "table": each.table,
            "entry": each.step,
            "digest": each.digest.hex(),
            "players": each.players,
            "held": each.held,
            "house": each.house,
        }
        for each in newest
        if each is not None
    ]
    accesses = [books.newest_access(log) for log in books.access_logs()]
    logs = [{"log": each.log, "entry": each.step, "digest": each.digest.hex()} for each in accesses if each]
    return {"devices": devices, "tables": tables, "access_logs": logs}


def _show(found: list[str], told: dict[str, list[dict[str, object]]]) -> None:
    for each in found:
        print(each)
    for rows in told.values():
        for row in rows:
            print(", ".join(f"{name} {value}" for name, value in row.items()))
    print("the ledger does NOT add up" if found else "every record, chain and sum is right")


def _stop(reason: str) -> NoReturn:
    print(f"tumbler ledger: {reason}", file=sys.stderr)
    raise typer.Exit(2)
