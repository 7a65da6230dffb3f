"""Writes every board's wiring page and diagram; with --check it only says which of them are stale."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "firmware")]

import wiring_page  # noqa: E402

from host_tools.boards import BoardFileError, known_boards, load_board  # noqa: E402


def generated() -> dict[str, str]:
    """Path below the root -> text that it should have."""
    files = {}
    for name in known_boards():
        board = load_board(name)
        files[f"boards/{name}/README.md"] = wiring_page.page(board)
        if board.uses:
            files[f"boards/{name}/wiring.svg"] = wiring_page.diagram(board)
    return files


def main(arguments: list[str]) -> None:
    if arguments not in ([], ["--check"]):
        sys.exit("usage: generate_boards.py [--check]")
    stale = []
    try:
        files = generated()
    except BoardFileError as error:
        sys.exit(str(error))
    for name, text in files.items():
        path = ROOT / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if not arguments:
            path.write_text(text, encoding="utf-8")
            print("wrote", name)
    if arguments and stale:
        sys.exit(f"stale: {', '.join(stale)}; run tools/generate_boards.py")


if __name__ == "__main__":
    main(sys.argv[1:])
