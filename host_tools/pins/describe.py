"""Records and outcomes in a line for people."""

from host_tools.bridge.events import RoundOutcome
from host_tools.records import Record
from tumbler import definitions
from tumbler.definitions import name_of

_SHOWN = ("faces", "strokes", "level", "detail")


def describe_record(record: Record) -> str:
    """`"12 void dome-open round 1a2b3c4d"`: what the record says beyond digests and identities."""
    words = [f"{record.sequence:4d} {record.kind}"]
    fields = record.fields
    if "fact" in fields:
        words.append(str(name_of(definitions.FACTS, fields["fact"])))
    if "channel" in fields:
        words.append(str(name_of(definitions.CHANNELS, fields["channel"])))
    words += [f"{name} {_value(fields[name])}" for name in _SHOWN if name in fields]
    if "round" in fields:
        words.append(f"round {fields['round'].hex()[:8]}")
    return " ".join(words)


def describe_outcome(outcome: RoundOutcome) -> str:
    """`"settled 2-4-5"` or `"void: dome-open"`."""
    if outcome.faces:
        return f"{outcome.verdict} {'-'.join(map(str, sorted(outcome.faces)))}"
    return f"{outcome.verdict}: {outcome.fact}"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ("/" if all(isinstance(each, int) for each in value) else " ").join(map(_value, value))
    return str(value)
