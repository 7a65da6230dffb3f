"""Writes every file that is made from definitions.py; with --check it only says which of them are stale."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "firmware")]

import protocol_page  # noqa: E402
import record_vectors  # noqa: E402
import records_cddl  # noqa: E402


def generated():
    """Path below the root -> text that it should have."""
    return {
        "docs/protocol.md": protocol_page.text(),
        "docs/records.cddl": records_cddl.text(),
        "tests/vectors/records.json": record_vectors.text(),
    }


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit("usage: generate.py [--check]")
    stale = []
    for name, text in generated().items():
        path = ROOT / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if not arguments:
            path.write_text(text, encoding="utf-8")
            print("wrote", name)
    if arguments and stale:
        sys.exit(f"stale: {', '.join(stale)}; run tools/generate.py")


if __name__ == "__main__":
    main(sys.argv[1:])
