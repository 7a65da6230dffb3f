"""`tumbler audit`: offline checks for auditors, with public keys only."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

if TYPE_CHECKING:
    from host_tools.records.bundle import BundleReport
    from host_tools.records.registry import Head

audit = typer.Typer(no_args_is_help=True, help="Offline checks for auditors, with public keys only.")


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(audit, name="audit")


@audit.command("verify")
def verify(
    files: Annotated[list[Path], typer.Argument(help="Exported records, JSON lines, oldest first.")],
    registry: Annotated[Path, typer.Option(help="The registered devices with their public keys.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a result, nothing else.")] = False,
) -> None:
    """Verify the signatures and chains of exported records, from each device's registration on."""
    from host_tools.records import Auditor, Registry, RegistryError  # noqa: PLC0415 - imported when called
    from host_tools.records.bundle import audit_bundle  # noqa: PLC0415
    from host_tools.records.errors import BundleUnreadable  # noqa: PLC0415

    if not registry.exists():
        _stop(f"there is no registry {registry}")
    show_file, show_head = (_json_file, _json_head) if as_json else (_text_file, _text_head)
    try:
        auditor = Auditor(Registry.open(registry))
        for file in files:
            report = audit_bundle(file, auditor)
            show_file(file, report)
            if report.fault:
                raise typer.Exit(1)
    except (RegistryError, BundleUnreadable) as error:
        _stop(str(error))
    for device, head in sorted(auditor.heads.items()):
        show_head(device, head)


@audit.command("export")
def export(
    ledger: Annotated[str, typer.Argument(help="A SQLite file or a postgresql:// URL; tables may run.")],
    out: Annotated[Path, typer.Argument(help="The file to make, JSON lines for `tumbler audit verify`.")],
) -> None:
    """Write every record of a ledger, as received, for an auditor."""
    from host_tools.ledger import LedgerError, export_records, open_ledger  # noqa: PLC0415 - imported when called

    if out.exists():
        _stop(f"{out} exists already; name a new file")
    try:
        with open_ledger(ledger, read_only=True) as books, out.open("x", encoding="utf-8") as file:
            count = sum(export_records(books, device.id, file) for device in books.devices())
    except (LedgerError, OSError) as error:
        _stop(str(error))
    print(f"{count} records written to {out}", file=sys.stderr)


def _json_file(file: Path, report: "BundleReport") -> None:
    row = {"file": str(file), "ok": report.fault is None, "verified": report.verified}
    if report.fault:
        row |= {"line": report.line, "fault": type(report.fault).__name__, "reason": str(report.fault)}
    print(json.dumps(row))


def _json_head(device: bytes, head: "Head") -> None:
    row = {"device": device.hex(), "sequence": head.sequence, "digest": head.digest.hex(), "boot": head.boot}
    print(json.dumps(row))


def _text_file(file: Path, report: "BundleReport") -> None:
    print(f"{file}: {report.verified} records verified")
    if report.fault:
        print(f"{file}, line {report.line}: {type(report.fault).__name__}: {report.fault}")


def _text_head(device: bytes, head: "Head") -> None:
    print(f"device {device.hex()}: newest record {head.sequence}, SHA-256 {head.digest.hex()}")


def _stop(reason: str) -> NoReturn:
    print(f"tumbler audit: {reason}", file=sys.stderr)
    raise typer.Exit(2)
