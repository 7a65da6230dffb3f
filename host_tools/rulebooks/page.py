"""A layout as an HTML page for people: the betting layout with dice and odds, then every rule's clause."""

from html import escape

from host_tools.rulebooks.model import Layout, Offer, Rulebook, Section
from host_tools.rulebooks.odds import offer_odds_text

# Where a face's pips are on a 3 x 3 grid, cells numbered 1..9 by rows.
_PIPS = {1: (5,), 2: (3, 7), 3: (3, 5, 7), 4: (1, 3, 7, 9), 5: (1, 3, 5, 7, 9), 6: (1, 3, 4, 6, 7, 9)}
_NAMES = {1: "ONE", 2: "TWO", 3: "THREE", 4: "FOUR", 5: "FIVE", 6: "SIX"}
_HALVES = {".5": "½", ".25": "¼", ".75": "¾"}

_STYLE = """
body { font: 15px/1.4 system-ui, sans-serif; margin: 2rem auto; max-width: 90rem; padding: 0 1rem;
  color: #222; }
.felt { display: flex; gap: 12px; background: #0b5d3b; padding: 14px; border-radius: 10px; overflow-x: auto; }
.panel { display: flex; flex-direction: column; gap: 4px; }
.panel:last-child { flex: 1; }
.row { display: flex; gap: 4px; }
.cell { flex: 1; min-width: 3.2rem; min-height: 3rem; padding: 5px 3px;
  border: 1px solid #e8d9a0; border-radius: 4px; color: #fff; text-align: center;
  display: flex; flex-direction: column; justify-content: center; gap: 3px; }
.wide { flex: 2.2; }
.name { font-weight: 700; font-size: 1.05rem; }
.odds, .note { font-size: .68rem; color: #f6e7b0; }
.dice svg { width: 20px; height: 20px; margin: 0 1px; vertical-align: middle; }
h1 { margin-bottom: 0; } .meta { color: #666; margin-top: .2rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; font-size: .9rem; }
th, td { border-bottom: 1px solid #ddd; text-align: left; padding: 4px 8px; vertical-align: top; }
@media print { .felt { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
"""


def layout_page(rulebook: Rulebook, layout: Layout) -> str:
    """A whole HTML document without scripts or outside resources."""
    title = f"{rulebook.title}: {layout.title}"
    return f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{escape(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head>
<body>
<h1>{escape(title)}</h1>
<p class="meta">{escape(rulebook.operator)} · {escape(rulebook.jurisdiction)}
· effective {escape(rulebook.effective)} · layout by clause {escape(layout.clause)}</p>
<div class="felt">{"".join(_panel(layout, panel) for panel in layout.panels)}</div>
<p class="meta">{escape(layout.note)}</p>
{_wagers(layout)}
{_irregularities(rulebook)}
<p class="meta">Rulebook {escape(rulebook.id)}, SHA-256 {rulebook.digest}</p>
</body>
</html>
"""


def _panel(layout: Layout, rows: tuple[tuple[str, ...], ...]) -> str:
    lines = (
        f'<div class="row">{"".join(_cell(layout.offers[wager]) for wager in row)}</div>' for row in rows
    )
    return f'<div class="panel">{"".join(lines)}</div>'


def _cell(offer: Offer) -> str:
    wide = "" if offer.numbers else " wide"
    return (
        f'<div class="cell{wide}" title="{escape(offer.wager)}: clause {escape(offer.condition.clause)}">'
        f"{_face(offer)}{_pays(offer)}</div>"
    )


def _face(offer: Offer) -> str:
    """What the cell shows: a name, a total, or dice."""
    if offer.kind == "total":
        return f'<div class="name">{offer.numbers[0]}</div>'
    if not offer.numbers:
        return f'<div class="name">{offer.kind.replace("-", " ").upper()}</div>{_totals(offer)}'
    shown = offer.numbers * {"triple": 3, "double": 2}.get(offer.kind, 1)
    name = f'<div class="name">{_NAMES[offer.numbers[0]]}</div>' if offer.kind == "single" else ""
    return f'{name}<div class="dice">{"".join(map(_die, shown))}</div>'


def _totals(offer: Offer) -> str:
    totals = offer.condition.totals
    if not totals:
        return ""
    lowest, highest = min(totals), max(totals)
    gapless = set(totals) == set(range(lowest, highest + 1))
    text = f"{lowest} – {highest}" if gapless else ", ".join(map(str, totals))
    return f'<div class="note">{text}</div>'


def _pays(offer: Offer) -> str:
    if offer.kind == "single" and len(offer.odds) > 1:
        words = {1: "ON ONE DIE", 2: "ON TWO DICE", 3: "ON THREE DICE"}
        return "".join(
            f'<div class="odds">1 WINS {_mixed(str(odds))} {words[count]}</div>'
            for count, odds in sorted(offer.odds.items())
        )
    except_triple = "<br>EXCEPT FOR ANY TRIPLE" if offer.condition.totals else ""
    return f'<div class="odds">1 WINS {_mixed(offer_odds_text(offer))}{except_triple}</div>'


def _mixed(odds: str) -> str:
    """`11.5` as the layouts print it: 11 ½."""
    for decimals, sign in _HALVES.items():
        if odds.endswith(decimals):
            return f"{odds.removesuffix(decimals)} {sign}".removeprefix("0 ")
    return odds


def _die(face: int) -> str:
    """A die in the colours of the Chinese dice: red one and four."""
    colour = "#c22" if face in (1, 4) else "#222"
    pips = "".join(
        f'<circle cx="{(cell - 1) % 3 * 8 + 6}" cy="{(cell - 1) // 3 * 8 + 6}" r="2.6" fill="{colour}"/>'
        for cell in _PIPS[face]
    )
    return (
        f'<svg viewBox="0 0 28 28" role="img" aria-label="{face}">'
        f'<rect x="1" y="1" width="26" height="26" rx="5" fill="#fff"/>{pips}</svg>'
    )


def _wagers(layout: Layout) -> str:
    rows = "".join(
        f"<tr><td>{escape(section.title)}</td><td>{escape(_wins(section))}</td>"
        f"<td>{escape(section.condition.clause)}</td>"
        f"<td>{escape('; '.join(_odds_lines(section.offers)))}</td></tr>"
        for section in layout.sections
    )
    return (
        "<h2>Wagers</h2><table>"
        "<tr><th>wager</th><th>wins when</th><th>clause</th><th>pays (clause)</th></tr>"
        f"{rows}</table>"
    )


def _wins(section: Section) -> str:
    return "; ".join(dict.fromkeys(offer.wins for offer in section.offers))


def _odds_lines(offers: tuple[Offer, ...]) -> dict[str, None]:
    """Each different way of being paid once, with the totals it is for."""
    lines: dict[tuple[str, str], list[str]] = {}
    for offer in offers:
        numbers = [str(offer.numbers[0])] if offer.kind == "total" else []
        lines.setdefault((offer_odds_text(offer), offer.odds_clause), []).extend(numbers)
    return dict.fromkeys(
        f"{' or '.join(totals)}{': ' if totals else ''}{odds} to 1 ({clause})"
        for (odds, clause), totals in lines.items()
    )


def _irregularities(rulebook: Rulebook) -> str:
    rows = "".join(
        f"<tr><td>{escape(ruling.fact)}</td><td>{escape(ruling.action)}</td><td>{escape(ruling.clause)}</td>"
        f"<td>{escape(ruling.note)}</td></tr>"
        for ruling in rulebook.irregularities.values()
    )
    return (
        "<h2>Irregularities</h2><table><tr><th>fact</th><th>ruling</th><th>clause</th><th>note</th></tr>"
        f"{rows}</table>"
    )
