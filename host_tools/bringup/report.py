"""A self-test's report: JSON for machines, and a page of HTML with its pictures to print and file."""

import base64
import html
import io
import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

from PIL import Image

from host_tools.bringup.bench import Picture, Report

_STYLE = """
body{font:14px sans-serif;margin:2em;color:#111}h1{font-size:20px}table{border-collapse:collapse;width:100%}
td,th{border:1px solid #999;padding:3px 6px;text-align:left;vertical-align:top}.bad{font-weight:bold}
figure{display:inline-block;margin:8px}img{image-rendering:pixelated;width:240px}
.sign{margin-top:3em;border-top:1px solid #111;width:20em}
"""
_WORDS = {True: "passed", False: "FAILED", None: "not judged"}


def write_report(report: Report, path: Path) -> tuple[Path, Path]:
    """Write `path` with the suffixes .json and .html; both paths."""
    data, page = path.with_suffix(".json"), path.with_suffix(".html")
    data.write_text(json.dumps(as_json(report), indent=1) + "\n")
    page.write_text(_page(report))
    return data, page


def as_json(report: Report) -> dict[str, Any]:
    """The report without its pictures."""
    return {
        "board": report.board,
        "machine": report.interpreter.machine,
        "micropython": ".".join(str(part) for part in report.interpreter.version),
        "at": report.at.isoformat(timespec="seconds"),
        "host_tools": version("sicbo-tumbler"),
        "passed": report.passed,
        "results": report.results,
    }


def _page(report: Report) -> str:
    told = as_json(report)
    rows = "".join(_row(result) for result in report.results)
    pictures = "".join(_figure(picture) for picture in report.pictures)
    verdict = "passed" if report.passed else "FAILED"
    about = ", ".join(html.escape(str(told[name])) for name in ("machine", "micropython", "at", "host_tools"))
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Self-test {html.escape(report.board)}'
        f"</title><style>{_STYLE}</style>"
        f"<h1>Self-test: {html.escape(report.title)}: {verdict}</h1><p>{about}</p>"
        f"<table><tr><th>test<th>result<th>expected<th>found<th>what to do</tr>{rows}</table>{pictures}"
        '<p class="sign">technician, date</p></html>\n'
    )


def _row(result: dict[str, Any]) -> str:
    cells = (
        result["test"],
        _WORDS[result["ok"]],
        result["expected"],
        result["found"],
        result.get("advice", ""),
    )
    style = ' class="bad"' if result["ok"] is False else ""
    return f"<tr{style}>" + "".join(f"<td>{html.escape(str(cell))}" for cell in cells) + "</tr>"


def _figure(picture: Picture) -> str:
    file = io.BytesIO()
    Image.frombytes("L", (picture.width, picture.height), picture.pixels).save(file, "PNG")
    data = base64.b64encode(file.getvalue()).decode()
    return f'<figure><img src="data:image/png;base64,{data}"><figcaption>{picture.name}</figcaption></figure>'
