"""Make docs/demo.svg, the README's picture of the demo, from a real round on the virtual table."""

import argparse
import asyncio
import io
import re
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console

from host_tools.demo.displays import Display
from host_tools.demo.report import RoundReport
from host_tools.demo.run import PROGRAMS, Demo, demo_terms, new_view, play_demo
from host_tools.demo.screen import Screen

OUT = Path(__file__).parents[1] / "docs" / "demo.svg"
WIDTH, HEIGHT = 100, 26
# A page that shows the picture loads no font for it: the reader's own monospaced one is used.
FORMAT = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL).replace(
    "Fira Code", "ui-monospace, Menlo, Consolas, DejaVu Sans Mono"
)


class PictureDisplay(Display):
    """Keeps the picture of the last round that was settled."""

    svg = ""

    def conclude(self, report: RoundReport) -> None:
        """See Display."""
        super().conclude(report)
        if report.outcome.verdict == "settled":
            console = Console(
                record=True, width=WIDTH, height=HEIGHT, file=io.StringIO(), force_terminal=True
            )
            console.print(Screen(self.view, lambda: 0.0), height=HEIGHT)
            self.svg = console.export_svg(title="tumbler demo", code_format=FORMAT, unique_id="demo")


def main() -> None:
    """Play some rounds and write the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--seed", type=int, default=168)
    chosen = parser.parse_args()
    demo = Demo(chosen.rounds, chosen.seed, "mbs-electronic-sic-bo-v4", "rapid-select")
    terms = demo_terms(demo.rulebook, demo.layout)
    display = PictureDisplay(new_view(terms))
    asyncio.run(play_demo(demo, terms, display, PROGRAMS))
    OUT.write_text(display.svg, encoding="utf-8")
    print(f"{OUT}: {len(display.svg)} bytes")


if __name__ == "__main__":
    main()
