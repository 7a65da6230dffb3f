"""Writes every file that is made from definitions.py; with --check it only says which of them are stale."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "firmware")]

import protocol_page  # noqa: E402
import record_vectors  # noqa: E402
import records_cddl  # noqa: E402
from generated_files import bring_up_to_date, is_check  # noqa: E402


def generated():
    """Path below the root -> text that it should have."""
    return {
        "docs/protocol.md": protocol_page.text(),
        "docs/records.cddl": records_cddl.text(),
        "tests/vectors/records.json": record_vectors.text(),
    }


def main(arguments):
    check = is_check("generate.py", arguments)
    bring_up_to_date("generate.py", generated(), check)


if __name__ == "__main__":
    main(sys.argv[1:])
