"""Judges a load test by the tumblers' own memory and by what the players were told.

The rules of money are the fault tests' oracle's, with a pay table of its own.
"""

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from host_tools.faults.oracle import check_money, check_wagers, facts_by_round, queries, require
from host_tools.ledger import open_ledger
from host_tools.load.players import Players


def judge(where: Path | str, promised: dict[bytes, list[bytes]], players: Players) -> dict[str, Any]:
    """Raise PromiseBroken at the first thing that is not as it must be; else what there was, in numbers.

    `promised`: by device, every record that a tumbler has promised to keep; of others the ledger's count."""
    with queries(where) as rows:
        stored: dict[bytes, list[bytes]] = defaultdict(list)
        for device, raw in rows("SELECT device, raw FROM records ORDER BY device, sequence"):
            stored[device].append(raw)
        for device, records in promised.items():
            require(stored[device] == records, f"the ledger lacks or doubles records of {device.hex()}")
        faces = _faces(stored)
        verdicts = _check_rounds(rows, faces)
        wagers = check_wagers(rows, players)
        check_money(rows, faces, wagers)
        _check_told(rows, players)
    with open_ledger(where, read_only=True) as books:
        books.check_everything()
    return {
        "records": sum(map(len, stored.values())),
        "rounds": sum(verdicts.values()),
        "verdicts": dict(verdicts),
        "wagers": len(wagers),
        "withdrawn": sum(each.withdrawn for each in wagers.values()),
        "events": len(players.told),
    }


def _faces(stored: dict[bytes, list[bytes]]) -> dict[bytes, tuple[int, ...]]:
    """What each round's signed reading says."""
    return {
        round_: tuple(fact.fields["faces"])
        for records in stored.values()
        for round_, facts in facts_by_round(records, defaultdict(float)).items()
        for fact in facts
        if fact.kind == "reading"
    }


def _check_rounds(rows: Any, faces: dict[bytes, tuple[int, ...]]) -> Counter[str]:
    """Each round has one settlement, by its reading or void."""
    states = dict(rows("SELECT id, state FROM rounds"))
    settlements = rows("SELECT round, verdict, faces FROM settlements")
    require(len(settlements) == len({row[0] for row in settlements}), "a round has two settlements")
    require({row[0] for row in settlements} == set(states), "a round has no settlement")
    for round_, verdict, said in settlements:
        name = f"round {round_.hex()}"
        require(states[round_] == verdict, f"{name} is {states[round_]} and was concluded as {verdict}")
        read = sorted(faces[round_]) if round_ in faces else None
        paid = sorted(int(each) for each in str(said) if each.isdigit()) if verdict == "settled" else None
        require(read == paid, f"{name} was read as {read} and paid by {paid}")
    return Counter(states.values())


def _check_told(rows: Any, players: Players) -> None:
    """The stream told every notice of a table once, in the order of their numbers."""
    # What a device says outside of a table's rounds has the device as its source.
    notices = rows("SELECT number, topic, round FROM notices WHERE source LIKE 'Table %' ORDER BY number")
    wanted = [(number, topic, round_.hex() if round_ else None) for number, topic, round_ in notices]
    require(players.told == wanted, f"{len(players.told)} events were told, {len(wanted)} have happened")
