"""What generators share: write the files that are not as they should be, or only say which."""

import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def is_check(generator: str, arguments: list[str]) -> bool:
    """Whether the command line asks for a check alone; ends the program when it is not understood."""
    if arguments not in ([], ["--check"]):
        sys.exit(f"usage: {generator} [--check]")
    return bool(arguments)


def bring_up_to_date(generator: str, files: Mapping[str, str], check: bool) -> None:
    """Write each stale one of `files` (path below the root -> text); `check`: only say which."""
    stale = []
    for name, text in files.items():
        path = ROOT / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if not check:
            path.write_text(text, encoding="utf-8")
            print("wrote", name)
    if check and stale:
        sys.exit(f"stale: {', '.join(stale)}; run tools/{generator}")
