"""What a table is configured as, in its access log: noted at the start that changes it, before it plays."""

import json
from collections.abc import Iterable

from host_tools.bridge.by import By, note
from host_tools.ledger import Ledger
from host_tools.service.config import CardsSettings, TableSettings

CONFIGURE = "configure"


def note_configuration(
    books: Ledger, tables: Iterable[TableSettings | CardsSettings], by: By, now_ms: int
) -> None:
    """Inside the caller's transaction: note each table that is configured otherwise than it was last."""
    for settings in tables:
        last, after = books.newest_access(settings.name, CONFIGURE), _told(settings)
        before = json.loads(last.after) if last else {}
        if before != after:
            note(books, settings.name, by, CONFIGURE, before, after, now_ms)


def _told(settings: TableSettings | CardsSettings) -> dict[str, object]:
    """What decides how a table plays and pays; `rulebook_digest` is the SHA-256 of its rules."""
    terms = settings.terms
    own = _of_cards(settings) if isinstance(settings, CardsSettings) else _of_dice(settings)
    return {
        "rulebook": terms.rulebook.id,
        "rulebook_digest": terms.rulebook.digest,
        "layout": terms.layout.id,
        "limits": terms.limits.id if terms.limits else None,
        "decimals": terms.decimals,
        "chip_unit": terms.text(terms.chip_unit),
        "betting_s": settings.betting_s,
        "between_s": settings.between_s,
        **own,
    }


def _of_dice(settings: TableSettings) -> dict[str, object]:
    return {
        "device": settings.device.hex() if settings.device else "virtual",
        "automatic": settings.automatic,
        "evidence": settings.examination.when if settings.examination else None,
    }


def _of_cards(settings: CardsSettings) -> dict[str, object]:
    return {"decks": settings.decks}
