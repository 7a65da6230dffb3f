"""Parts of a report: one HTML page that needs nothing else, pictures included."""

import base64
import html
import io
from collections.abc import Iterable, Sequence

from numpy.typing import NDArray
from PIL import Image

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 76em; padding: 0 1em; }
table { border-collapse: collapse; margin: 1em 0; }
caption { text-align: left; font-weight: 600; padding-bottom: .3em; }
td, th { padding: .2em .7em; border-bottom: 1px solid #ccc; text-align: right; }
td:first-child, th:first-child { text-align: left; }
tr.bad { background: #fbd5d5; }
figure { display: inline-block; margin: .4em; vertical-align: top; max-width: 40em; }
figure img { image-rendering: pixelated; width: 240px; background: #000; }
figcaption { font-size: 13px; }
.number { font-size: 2em; font-weight: 600; }
@media (prefers-color-scheme: dark) { body { background: #111; color: #ddd; } tr.bad { background: #622; } }
"""


def page(title: str, parts: Iterable[str]) -> str:
    """The whole page."""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{text(title)}</title>'
        f"<style>{_STYLE}</style></head>\n<body><h1>{text(title)}</h1>\n"
        + "\n".join(parts)
        + "\n</body></html>\n"
    )


def text(words: object) -> str:
    """Anything, safe within HTML."""
    return html.escape(str(words))


def paragraph(words: str) -> str:
    """A paragraph of plain text."""
    return f"<p>{text(words)}</p>"


def heading(words: str) -> str:
    """A section's heading."""
    return f"<h2>{text(words)}</h2>"


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[object]], bad: int | None = None) -> str:
    """A table; rows whose column `bad` is not 0 stand out."""
    lines = [f"<table><caption>{text(caption)}</caption>", _row("th", head)]
    lines += [_row("td", row, "bad" if bad is not None and row[bad] else "") for row in rows]
    return "\n".join([*lines, "</table>"])


def figure(frames: Iterable[NDArray], caption: str) -> str:
    """Pictures side by side, grey (rows, columns), with a caption of plain text."""
    images = "".join(f'<img alt="" src="{_data_uri(frame)}">' for frame in frames)
    return f"<figure>{images}<figcaption>{text(caption)}</figcaption></figure>"


def percent(share: float) -> str:
    """A share for people: enough digits to tell small ones apart."""
    return f"{100 * share:.1f} %" if share >= 0.1 else f"{100 * share:.3g} %"


def _row(cell: str, values: Iterable[object], kind: str = "") -> str:
    cells = "".join(f"<{cell}>{text(value)}</{cell}>" for value in values)
    return f'<tr class="{kind}">{cells}</tr>' if kind else f"<tr>{cells}</tr>"


def _data_uri(frame: NDArray) -> str:
    file = io.BytesIO()
    Image.fromarray(frame).save(file, "PNG")
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()
