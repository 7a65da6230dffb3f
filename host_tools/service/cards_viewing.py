"""A table of cards as it leaves the service."""

from host_tools.service import steps
from host_tools.service.running_cards import RunningCards
from host_tools.service.views import RoundView, ShoeView, TableView


def cards_table_view(running: RunningCards, shown: RoundView | None, newest: int, now_ms: int) -> TableView:
    """The table now, with its latest round as `shown`; `newest` is the number of the newest durable event."""
    terms = running.settings.terms
    known = (shown.mode, shown.state) if shown else None
    return TableView(
        name=running.name,
        rulebook=terms.rulebook.id,
        layout=terms.layout.id,
        limits=terms.limits.id if terms.limits else None,
        mode=terms.rulebook.play_mode,
        decimals=terms.decimals,
        chip_unit=terms.text(terms.chip_unit),
        device="",
        connected=True,
        device_state=None,
        strokes=0,
        at_rest=False,
        cover_closed=None,
        faults=(),
        alarms=(),
        quarantine=running.quarantine,
        step=running.step,
        announcement=steps.announcement(known, shown.faces if shown else None),
        round=shown,
        bets_close_ms=running.bets_close_ms,
        opens_ms=running.opens_ms,
        sequence=newest,
        now_ms=now_ms,
        shoe=_shoe(running),
    )


def _shoe(running: RunningCards) -> ShoeView | None:
    if running.elsewhere:
        return None
    loaded, shoe = running.table.loaded, running.table.shoe
    if loaded is None or shoe is None:
        return None
    dealt = len(shoe.dealt)
    return ShoeView(loaded.id.hex(), loaded.decks, dealt, shoe.left, loaded.loaded_by, running.table.unfit)
