"""Alarms: settled rounds that their evidence speaks against, each until a person has answered for it.

An alarm is a notice of the ledger, and so is the answer. A correction of the round (RWS 5.5) answers, too.
"""

import json
from dataclasses import dataclass

from host_tools.bridge.by import By, note
from host_tools.bridge.deciding import Bench
from host_tools.bridge.errors import DecisionIncomplete, WrongStep
from host_tools.ledger import Ledger, Notice
from host_tools.ledger.schema import ALARM, ALARM_ANSWERED


@dataclass(frozen=True, slots=True)
class Alarm:
    """What the second reader found of a settled round: `number` is its notice's, `fact` one of
    examining.FACTS, `device` and `second` are the faces by either reader, empty where there are none."""

    number: int
    round: bytes
    fact: str
    device: tuple[int, ...]
    second: tuple[int, ...]
    made_ms: int


def standing(books: Ledger, table: str) -> list[Alarm]:
    """The alarms of a table that nobody has answered for, oldest first."""
    told = books.alarms(table)
    answered = {json.loads(each.body)["alarm"] for each in told if each.topic == ALARM_ANSWERED}
    alarms = [_alarm(each) for each in told if each.topic == ALARM and each.number not in answered]
    return [each for each in alarms if not _is_corrected(books, each)]


def answer(bench: Bench, table: str, number: int, reason: str, by: By) -> Alarm:
    """Inside the caller's transaction: `by` answers for an alarm, for a `reason`; it stands no more.

    Raises WrongStep when no such alarm stands, DecisionIncomplete without a reason."""
    books, reason = bench.books, reason.strip()
    if not reason:
        raise DecisionIncomplete("say what was looked at and found; the reason is kept")
    alarm = next((each for each in standing(books, table) if each.number == number), None)
    if alarm is None:
        raise WrongStep(f"no alarm {number} stands at table {table}; somebody has answered for it, perhaps")
    body = {"alarm": number, "fact": alarm.fact, "answered_by": by.who, "reason": reason}
    books.notify(table, ALARM_ANSWERED, alarm.round, body, bench.now_ms)
    at = {"round": alarm.round.hex(), "alarm": number}
    before, after = {**at, "fact": alarm.fact}, {**at, "reason": reason}
    note(books, table, by, "answer-alarm", before, after, bench.now_ms)
    return alarm


def _alarm(notice: Notice) -> Alarm:
    body = json.loads(notice.body)
    faces = tuple(body["device"]), tuple(body["second"])
    return Alarm(notice.number, notice.round or b"", body["fact"], *faces, notice.made_ms)


def _is_corrected(books: Ledger, alarm: Alarm) -> bool:
    made = books.settlement(alarm.round)
    return made is not None and made.corrects is not None and made.made_ms >= alarm.made_ms
