"""Writes every board's wiring page, diagram and type check; with --check it only says which are stale."""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "firmware")]

import wiring_page  # noqa: E402
from generated_files import bring_up_to_date, is_check  # noqa: E402

from host_tools.boards import Board, BoardFileError, known_boards, load_board, schema  # noqa: E402

# back end: its modules of tumbler.hal, beside those that all share
_BACK_ENDS = {
    "virtual": ("virtual",),
    "microcontroller": ("microcontroller", "drive", "gates", "line", "pins", "watchdog"),
    "blinka": ("blinka", "desktop"),
}


def generated() -> dict[str, str]:
    """Path below the root -> text that it should have."""
    files = {}
    for name in known_boards():
        board = load_board(name)
        files[f"boards/{name}/README.md"] = wiring_page.page(board)
        files[f"boards/{name}/pyrightconfig.json"] = type_check(board)
        if board.uses:
            files[f"boards/{name}/wiring.svg"] = wiring_page.diagram(board)
    return files


def type_check(board: Board) -> str:
    """pyright's configuration: the firmware that runs on the board, against that board's stubs."""
    typings = f"../../typings/{board.name}"
    # On a desktop only its back end is new: CPython's stubs lack what the rest uses of MicroPython.
    include = ("tumbler/hal",) if board.port == "blinka" else ("main.py", "provision.py", "loader", "tumbler")
    settings = {
        "include": [f"../../firmware/{name}" for name in include],
        "exclude": [f"../../firmware/tumbler/{name}" for name in sorted(_elsewhere(board))],
        "extraPaths": ["../../firmware"],
        "venvPath": "../..",
        "venv": ".venv",
        "pythonVersion": "3.11",
        "typeCheckingMode": "standard",
        "reportMissingModuleSource": False,
    }
    if board.port != "blinka":
        settings |= {"stubPath": typings, "typeshedPath": typings}
    if (board.folder / "stubs").is_dir():
        settings["extraPaths"] = ["stubs", "../../firmware"]
    return json.dumps(settings, indent=2) + "\n"


def _elsewhere(board: Board) -> set[str]:
    """The modules of the firmware that this board never imports: other back ends' and other cameras'."""
    back_end = board.settings["board"]
    others = {name for each, names in _BACK_ENDS.items() if each != back_end for name in names}
    camera = board.settings["hal"].get("camera", {}).get("driver")
    unused = {f"drivers/camera_{name}.py" for name in schema.CAMERAS if name != camera}
    return {f"hal/{name}.py" for name in others - set(_BACK_ENDS[back_end])} | unused


def main(arguments: list[str]) -> None:
    check = is_check("generate_boards.py", arguments)
    try:
        files = generated()
    except BoardFileError as error:
        sys.exit(str(error))
    bring_up_to_date("generate_boards.py", files, check)


if __name__ == "__main__":
    main(sys.argv[1:])
