"""A layout as the console draws it: panels of rows of wagers with their odds, and what its rulebook says."""

from host_tools.rulebooks import Rulebook
from host_tools.rulebooks.model import Layout, Offer
from host_tools.rulebooks.odds import odds_text


def felt(rulebook: Rulebook, layout_name: str) -> dict[str, object]:
    """The layout with what a display needs to know of its rulebook, as JSON; raises UnknownLayoutError.

    `odds` are "to one" by level: `{"1": "1", "2": "2", "3": "12"}` for a single, one entry for most wagers.
    """
    layout = rulebook.layout(layout_name)
    return {
        "rulebook": rulebook.id,
        "title": rulebook.title,
        "operator": rulebook.operator,
        "jurisdiction": rulebook.jurisdiction,
        "effective": rulebook.effective,
        "mode": rulebook.play_mode,
        "minimum_tumbles": rulebook.minimum_tumbles,
        "referral": {"to": rulebook.referral, "clause": rulebook.referral_clause},
        "closing": {"when": rulebook.closing.when, "clause": rulebook.closing.clause},
        "layout": layout.id,
        "layout_title": layout.title,
        "layout_clause": layout.clause,
        "note": layout.note,
        "panels": [[list(row) for row in panel] for panel in layout.panels],
        "offers": {offer.wager: _offer(offer, layout) for offer in layout.offers.values()},
        "rulings": {
            fact: {"action": ruling.action, "clause": ruling.clause}
            for fact, ruling in rulebook.irregularities.items()
        },
    }


def _offer(offer: Offer, layout: Layout) -> dict[str, object]:
    title = next(section.title for section in layout.sections if section.kind == offer.kind)
    return {
        "kind": offer.kind,
        "numbers": list(offer.numbers),
        "title": title,
        "totals": list(offer.condition.totals),
        "odds": {str(level): odds_text(odds) for level, odds in sorted(offer.odds.items())},
        "wins": offer.wins,
        "clause": offer.condition.clause,
    }
