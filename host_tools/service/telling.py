"""What an operator reads in the log of a table: what happened, how serious it is, and in which round."""

import logging

from host_tools.bridge import events as happenings
from host_tools.bridge.events import Event, body_of, kind_of

LEVELS = {
    happenings.DeviceConnected: logging.INFO,
    happenings.DeviceLost: logging.WARNING,
    happenings.DeviceRefused: logging.ERROR,
    happenings.RoundSettled: logging.INFO,
    happenings.RoundVoid: logging.INFO,
    happenings.RoundReferred: logging.WARNING,
    happenings.RoundCorrected: logging.WARNING,
    happenings.EvidenceAlarm: logging.ERROR,
    happenings.AlarmAnswered: logging.INFO,
    happenings.FaultRaised: logging.WARNING,
    happenings.FaultCleared: logging.INFO,
    happenings.StoreLost: logging.ERROR,
    happenings.StoreBack: logging.INFO,
}

_log = logging.getLogger(__name__)


def log_event(table: str, event: Event) -> None:
    """Log an event, if it is one for operators; `told` of the record has it for programs that read logs."""
    level = LEVELS.get(type(event))
    if level is None:
        return
    round_id = getattr(event, "round", None)
    told = {"table": table, "event": kind_of(event), **_said(event)}
    words = [f"{name} {value}" for name, value in told.items() if name not in ("table", "event")]
    if round_id is not None:
        told["round"] = round_id.hex()
    _log.log(level, "%s", f"table {table}: {', '.join([told['event'], *words])}", extra={"told": told})


def _said(event: Event) -> dict[str, object]:
    """Neither money nor names leave by the log."""
    match event:
        case happenings.RoundSettled(settlement=outcome):
            return {"faces": " ".join(map(str, outcome.faces or ()))}
        case happenings.RoundCorrected(correction=correction):
            faces = correction.outcome.faces
            return {"faces": " ".join(map(str, faces))} if faces else {"fact": correction.outcome.fact}
        case _:
            return body_of(event)
