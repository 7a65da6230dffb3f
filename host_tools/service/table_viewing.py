"""A table as it leaves the service: what all have, what one of dice adds and what one of cards adds."""

from typing import Any

from host_tools.service import steps
from host_tools.service.running import RunningTable
from host_tools.service.running_cards import RunningCards
from host_tools.service.views import RoundView, ShoeView, TableView


def table_view(
    running: RunningTable | RunningCards, shown: RoundView | None, newest: int, now_ms: int
) -> TableView:
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
        quarantine=running.quarantine,
        step=running.step,
        announcement=steps.announcement(known, shown.faces if shown else None),
        round=shown,
        referred=tuple(each.id.hex() for each in running.referred),
        bets_close_ms=running.bets_close_ms,
        opens_ms=running.opens_ms,
        sequence=newest,
        now_ms=now_ms,
        **(_of_cards(running) if isinstance(running, RunningCards) else _of_dice(running)),
    )


def _of_dice(running: RunningTable) -> dict[str, Any]:
    status, examination = running.status or {}, running.settings.examination
    return {
        "device": running.tumbler.id.hex(),
        "connected": running.status is not None,
        "device_state": status.get("state"),
        "strokes": status.get("strokes", 0),
        "at_rest": bool(status.get("at_rest", False)),
        "cover_closed": status.get("covered"),
        "faults": running.faults,
        "alarms": running.alarms,
        "evidence": examination.when if examination else None,
        "manual_entry": bool(running.settings.terms.rulebook.manual_entry),
    }


def _of_cards(running: RunningCards) -> dict[str, Any]:
    return {
        "device": "",
        "connected": True,
        "device_state": None,
        "strokes": 0,
        "at_rest": False,
        "cover_closed": None,
        "faults": (),
        "alarms": (),
        "shoe": _shoe(running),
    }


def _shoe(running: RunningCards) -> ShoeView | None:
    if running.quarantine:
        return None
    loaded, shoe = running.table.loaded, running.table.shoe
    if loaded is None or shoe is None:
        return None
    dealt = len(shoe.dealt)
    return ShoeView(loaded.id.hex(), loaded.decks, dealt, shoe.left, loaded.loaded_by, running.table.unfit)
