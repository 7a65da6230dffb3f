"""From a played table to an auditor's desk: ledger, export, and verification with public keys only."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

TUMBLER = Path(sys.executable).with_name("tumbler")


def tumbler(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [TUMBLER, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a demo of two rounds."""
    folder = tmp_path_factory.mktemp("table") / "kept"
    done = tumbler("demo", "--rounds", 2, "--seed", 4, "--headless", "--keep", folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_record_of_the_table_verifies(kept: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "records.jsonl"
    assert tumbler("audit", "export", kept / "ledger.sqlite", bundle).returncode == 0
    done = tumbler("audit", "verify", bundle, "--registry", kept / "registry.json", "--json")
    file, head = map(json.loads, done.stdout.splitlines())
    assert (done.returncode, file["ok"]) == (0, True)
    assert file["verified"] == head["sequence"] == len(bundle.read_text().splitlines()) > 10


def test_the_registry_for_auditors_holds_no_secret(kept: Path) -> None:
    identity = json.loads((kept / "board" / "identity.json").read_text())
    registry = (kept / "registry.json").read_text()
    assert identity["public_key"] in registry
    assert identity["host_key"] not in registry


def test_a_changed_record_is_found(kept: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "records.jsonl"
    assert tumbler("audit", "export", kept / "ledger.sqlite", bundle).returncode == 0
    lines = bundle.read_text().splitlines(keepends=True)
    fifth = json.loads(lines[4])
    fifth["record"] = fifth["record"][:-2] + ("00" if fifth["record"][-2:] != "00" else "01")
    bundle.write_text("".join([*lines[:4], json.dumps(fifth) + "\n", *lines[5:]]))
    done = tumbler("audit", "verify", bundle, "--registry", kept / "registry.json")
    assert done.returncode == 1
    assert "line 5: BadSignature" in done.stdout


@pytest.mark.parametrize(
    ("ledger", "out", "told"),
    [
        ("no-such-file", "new.jsonl", "there is no ledger"),
        ("ledger.sqlite", "registry.json", "exists already"),
        ("registry.json", "new.jsonl", "cannot be used as a ledger"),
        ("ledger.sqlite", "no-folder/new.jsonl", "No such file"),
    ],
)
def test_an_export_that_cannot_be_made_says_why(kept: Path, ledger: str, out: str, told: str) -> None:
    public = (kept / "registry.json").read_bytes()
    done = tumbler("audit", "export", kept / ledger, kept / out)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
    assert not (kept / "new.jsonl").exists()
    assert (kept / "registry.json").read_bytes() == public
