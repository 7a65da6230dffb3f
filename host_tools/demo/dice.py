"""Three dice drawn with box-drawing characters, pips in the usual places; no face unless one was read."""

from rich.text import Text

_PIPS = {  # rows top to bottom; x: a pip
    1: ("   ", " x ", "   "),
    2: ("x  ", "   ", "  x"),
    3: ("x  ", " x ", "  x"),
    4: ("x x", "   ", "x x"),
    5: ("x x", " x ", "x x"),
    6: ("x x", "x x", "x x"),
}
_RED = (1, 4)  # the faces with red pips on the dice of Sic Bo tables
_COVERED = ("░░░░░░░", "░░░░░░░", "░░░░░░░")
_TUMBLING = (
    ("  ·    ", "     · ", " ·     "),
    ("    ·  ", " ·     ", "     · "),
    (" ·   · ", "   ·   ", "       "),
)
_EMPTY = ("       ", "   ?   ", "       ")

WIDTH = 9
HEIGHT = 5


def draw_faces(faces: tuple[int, int, int]) -> Text:
    """Three faces side by side, five lines high."""
    return _beside([_die([_pips(row) for row in _PIPS[face]], _style(face)) for face in faces])


def draw_covered() -> Text:
    """Three dice nobody may see yet."""
    return _beside([_die(_COVERED, "yellow")] * 3)


def draw_tumbling(step: int) -> Text:
    """Three dice on the move; `step` counts the pictures. None looks like a face, so that none is misread."""
    return _beside([_die(_TUMBLING[(step + die) % 3], "cyan") for die in range(3)])


def draw_unread() -> Text:
    """Three dice without a result."""
    return _beside([_die(_EMPTY, "dim")] * 3)


def _pips(row: str) -> str:
    return " " + " ".join("●" if pip == "x" else " " for pip in row) + " "


def _style(face: int) -> str:
    return "bold red" if face in _RED else "bold"


def _die(rows: tuple[str, ...] | list[str], style: str) -> list[Text]:
    edge = "white"
    sides = [Text.assemble(("│", edge), (row, style), ("│", edge)) for row in rows]
    return [Text("╭───────╮", edge), *sides, Text("╰───────╯", edge)]


def _beside(dice: list[list[Text]]) -> Text:
    lines = [Text().join(row) for row in zip(*dice, strict=True)]
    return Text("\n").join(lines)
