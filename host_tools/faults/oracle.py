"""Judges a shift by what the device promised, what lay on the platform and what the table server was told.

It reads the database and the records with libraries of its own (SQLite, CBOR), decides with a pay table of
its own, and shares nothing with the bridge but the definitions' numbers. Last it asks the product's own
checks.
"""

import contextlib
import hashlib
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import apsw
import cbor2
import psycopg

from host_tools.bridge.wagering import Wager
from host_tools.faults.device import PromiseBroken
from host_tools.faults.payouts import twice_odds
from host_tools.faults.server import Key, TableServer
from host_tools.faults.world import READABLE, Throw
from host_tools.ledger import open_ledger
from host_tools.records import Device, Registry
from host_tools.records.audit import verify_chain
from tumbler.definitions import FACTS, FIRST_PREVIOUS, RECORD_FIELDS, RECORD_KINDS

_MINOR = 100  # of a stake in whole units
_MANAGER = "Shift Manager"

# Facts on which the rules leave a round to people (MBS v4 6.1; RWS Open Cover 5.10); all others void it.
REFERRED = {
    "covered": {
        *("activated-early", "unreadable", "die-missing", "extra-object", "dome-open", "door-open", "tilted"),
        "host-void",
    },
    "open": {
        *("exposed-early", "unreadable", "die-missing", "extra-object", "dome-broken", "dome-open"),
        *("door-open", "tilted", "host-void"),
    },
}

_FIELD_OF = {key: name for name, (key, _) in RECORD_FIELDS.items()}
_KIND_OF = {number: name for name, (number, *_) in RECORD_KINDS.items()}
_FACT_OF = {number: name for name, number in FACTS.items()}


class Told(Protocol):
    """What a table server knows of wagers: see faults.server.TableServer."""

    asked: dict[Key, Wager]
    registered: dict[Key, bool]
    withdrawn: dict[Key, bool]


Rows = Callable[[str], list[Any]]


@dataclass(frozen=True, slots=True)
class Witness:
    """What happened at a table: every record that its device promised to keep, when each boot began, whose
    key it is, and what lay on the platform."""

    records: list[bytes]
    boots: dict[int, float]
    registered: Device
    throws: list[Throw]


@dataclass(frozen=True, slots=True)
class Fact:
    """A record as it reads: kind, fields by name, when it was made on the world's clock."""

    kind: str
    fields: dict[str, Any]
    at: float


def judge(where: Path | str, witness: Witness, server: TableServer, mode: str) -> dict[str, Any]:
    """Raise PromiseBroken at the first thing that is not as it must be; else what there was, in numbers."""
    with queries(where) as rows:
        stored = [raw for (raw,) in rows("SELECT raw FROM records ORDER BY sequence")]
        require(
            stored == witness.records, "the ledger's records are not the device's, each once and in order"
        )
        facts = facts_by_round(witness.records, witness.boots)
        rounds = _Rounds(rows, facts, witness.throws, mode)
        verdicts = rounds.check()
        require(not server.waiting, "a wager's answer never came")
        wagers = check_wagers(rows, server)
        check_money(rows, rounds.faces, wagers)
        _check_told(rows, server)
    _check_by_itself(where, witness)
    return {
        "head": hashlib.sha256(stored[-1]).hexdigest(),
        "records": len(stored),
        "rounds": verdicts["settled"] + verdicts["void"],
        "verdicts": dict(verdicts),
        "wagers": len(wagers),
        "withdrawn": sum(each.withdrawn for each in wagers.values()),
        "refused": sum(not taken for taken in server.registered.values()),
    }


def require(holds: bool, what: str) -> None:
    """Raise PromiseBroken unless it holds."""
    if not holds:
        raise PromiseBroken(what)


@contextlib.contextmanager
def queries(where: Path | str) -> Iterator[Rows]:
    """The rows of a query of the ledger, each as a tuple."""
    if str(where).startswith("postgresql://"):
        with psycopg.connect(str(where)) as postgres:
            yield lambda sql: postgres.execute(sql.encode()).fetchall()
    else:
        flags = apsw.SQLITE_OPEN_READONLY
        with contextlib.closing(apsw.Connection(str(where), flags=flags)) as sqlite:
            yield lambda sql: list(sqlite.execute(sql))


# --- records


def facts_by_round(records: list[bytes], boots: Mapping[int, float]) -> dict[bytes, list[Fact]]:
    """Each round's facts in order; the chain's numbers and links are checked on the way."""
    rounds: dict[bytes, list[Fact]] = defaultdict(list)
    previous, boot = FIRST_PREVIOUS, 0
    for sequence, raw in enumerate(records, start=1):
        payload = cbor2.loads(cbor2.loads(raw).value[2])
        fields = {_FIELD_OF[key]: value for key, value in payload.items()}
        require(fields["sequence"] == sequence, f"record {sequence} says that it is {fields['sequence']}")
        require(fields["previous"] == previous, f"record {sequence} does not follow the one before it")
        require(fields["boot"] >= boot, f"record {sequence} is of an earlier boot than the one before it")
        previous, boot = hashlib.sha256(raw).digest(), fields["boot"]
        if "round" in fields:
            at = boots[boot] + fields["uptime_ms"] / 1000
            rounds[fields["round"]].append(Fact(_KIND_OF[fields["kind"]], fields, at))
    return rounds


# --- rounds


class _Rounds:
    """Every round of the ledger against what its records say; `faces` of those that are settled."""

    def __init__(self, rows: Rows, facts: dict[bytes, list[Fact]], throws: list[Throw], mode: str) -> None:
        self.faces: dict[bytes, tuple[int, ...]] = {}
        self._facts = facts
        self._throws = throws
        self._times = [throw.at for throw in throws]
        self._mode = mode
        self._states = dict(rows("SELECT id, state FROM rounds"))
        self._orders = dict(rows("SELECT round, fact FROM void_orders"))
        self._referred = dict(rows("SELECT round, fact FROM referrals"))
        self._settlements = rows("SELECT round, verdict, faces, fact, decided_by FROM settlements")

    def check(self) -> Counter[str]:
        """How many rounds came to what."""
        require(set(self._facts) <= set(self._states), "the device has played a round that nobody opened")
        settled = {row[0]: row[1:] for row in self._settlements}
        require(len(settled) == len(self._settlements), "a round has two settlements")
        require(set(settled) == set(self._states), "a round has no settlement")
        verdicts = Counter(self._check_one(id, state, *settled[id]) for id, state in self._states.items())
        return Counter({**verdicts, "referred": len(self._referred)})

    def _check_one(  # noqa: PLR0913, PLR0917 - a settlement's columns
        self, id: bytes, state: str, verdict: str, faces: str | None, fact: str, decided_by: str
    ) -> str:
        name = f"round {id.hex()}"
        expected_faces, expected_fact = self._expected(id, name)
        if expected_faces is not None:
            require((state, verdict) == ("settled", "settled"), f"{name} has a result and is {state}")
            found = tuple(int(each) for each in str(faces) if each.isdigit())
            require(sorted(found) == sorted(expected_faces), f"{name} is settled by {faces}")
            self.faces[id] = expected_faces
            return verdict
        require((state, verdict) == ("void", "void"), f"{name} has no result and is {state}")
        require(fact == expected_fact, f"{name} is void by {fact}, its records say {expected_fact}")
        referred = expected_fact in REFERRED[self._mode]
        require((id in self._referred) == referred, f"{name}, {fact}: referred must be {referred}")
        require((decided_by == _MANAGER) == referred, f"{name}, {fact}: decided by {decided_by!r}")
        return verdict

    def _expected(self, id: bytes, name: str) -> tuple[tuple[int, ...] | None, str]:
        """The faces that settle the round, or None and the fact that voids it."""
        facts = self._facts.get(id)
        if not facts:
            return None, "never-opened"
        kinds = [fact.kind for fact in facts]
        for once in ("round-opened", "tumble", "no-more-bets"):
            require(kinds.count(once) <= 1, f"{name} has {once} twice")
        ends = [fact for fact in facts if fact.kind in ("reading", "void")]
        require(len(ends) == 1, f"{name} has {len(ends)} ends")
        if ends[0].kind == "void":
            fact = _FACT_OF[ends[0].fields["fact"]]
            closed = "no-more-bets" in kinds
            require(fact != "host-lost" or not closed, f"{name} was closed and is void by the host's absence")
            resumed = ends[0].fields["boot"] > facts[0].fields["boot"]
            require((fact == "power-interruption") == resumed, f"{name} is void by {fact} in its own boot")
            return None, self._orders.get(id, fact) if fact == "host-void" else fact
        self._check_reading(name, facts, ends[0])
        return tuple(ends[0].fields["faces"]), ""

    def _check_reading(self, name: str, facts: list[Fact], reading: Fact) -> None:
        """Bets were closed, in the same boot; the dice were tumbled in this round and lie as read."""
        by_kind = {fact.kind: fact for fact in facts}
        order = ("tumble", "no-more-bets") if self._mode == "covered" else ("no-more-bets", "tumble")
        steps = [by_kind.get(kind) for kind in ("round-opened", *order, "reading")]
        require(None not in steps, f"{name} was read without {order}")
        sequences = [step.fields["sequence"] for step in steps if step]
        require(sequences == sorted(sequences), f"{name}: its steps are out of order")
        require(len({step.fields["boot"] for step in steps if step}) == 1, f"{name} was read by another boot")
        newest = bisect_right(self._times, reading.at) - 1
        throws = newest + 1 - bisect_right(self._times, by_kind["round-opened"].at)
        require(throws >= 3, f"{name} was read after {throws} strokes")
        throw = self._throws[newest]
        require(throw.refusal == READABLE, f"{name} was read although {throw.refusal}")
        require(
            sorted(throw.faces) == sorted(reading.fields["faces"]), f"{name}: {throw.faces} was read wrong"
        )


# --- wagers and money


@dataclass(frozen=True, slots=True)
class Placed:
    """A wager in the ledger."""

    player: str
    wager: str
    stake: int
    withdrawn: bool = False
    results: tuple[tuple[str, int, int], ...] = ()


def check_wagers(rows: Rows, server: Told) -> dict[Key, Placed]:
    """Exactly what was answered as registered is there, as it was sent; and exactly that is withdrawn."""
    found: dict[Key, Placed] = {}
    keys: dict[int, Key] = {}
    for number, round_, id, player, wager, stake in rows(
        "SELECT number, round, id, player, wager, stake FROM wagers"
    ):
        keys[number] = round_, id
        found[round_, id] = Placed(player, wager, stake)
    taken = {key for key, answer in server.registered.items() if answer}
    require(set(found) == taken, f"wagers registered unlike the answers: {set(found) ^ taken}")
    for key, placed in found.items():
        sent = server.asked[key]
        same = (sent.player, sent.wager, int(sent.stake) * _MINOR) == (
            placed.player,
            placed.wager,
            placed.stake,
        )
        require(same, f"wager {key} is registered as {placed}")
    for (number,) in rows("SELECT wager FROM withdrawals"):
        found[keys[number]] = replace(found[keys[number]], withdrawn=True)
    told = {key for key, answer in server.withdrawn.items() if answer}
    withdrawn = {key for key, placed in found.items() if placed.withdrawn}
    require(withdrawn == told, f"wagers withdrawn unlike the answers: {withdrawn ^ told}")
    for number, *result in rows("SELECT wager, result, payout, returned FROM outcomes"):
        key = keys[number]
        found[key] = replace(found[key], results=(*found[key].results, tuple(result)))
    return found


def check_money(rows: Rows, faces: dict[bytes, tuple[int, ...]], wagers: dict[Key, Placed]) -> None:
    """Each wager has the one outcome that the pay table gives it, and all accounts follow from that."""
    accounts: Counter[str] = Counter()
    for (round_, id), placed in wagers.items():
        expected = _outcome(placed, faces.get(round_))
        wanted = () if placed.withdrawn else (expected,)
        require(
            placed.results == wanted, f"wager {id} of {round_.hex()} came to {placed.results}, not {wanted}"
        )
        back = placed.stake if placed.withdrawn else expected[2]
        accounts[f"player:{placed.player}"] += back - placed.stake
        accounts["house"] += placed.stake - back
    posted = dict(rows("SELECT account, sum(amount) FROM postings GROUP BY account"))
    require(posted.pop("held", 0) == 0, "stakes are still held")
    told = {account: amount for account, amount in posted.items() if amount}
    require(told == {each: amount for each, amount in accounts.items() if amount}, f"accounts: {posted}")
    uneven = rows("SELECT entry FROM postings GROUP BY entry HAVING sum(amount) <> 0")
    require(not uneven, f"entries {uneven} do not balance")


def _outcome(placed: Placed, faces: tuple[int, ...] | None) -> tuple[str, int, int]:
    """(result, payout, what goes back) of a wager that was not withdrawn; `faces` None: the round is void."""
    if faces is None:
        return "void", 0, placed.stake
    payout = placed.stake * twice_odds(placed.wager, faces) // 2
    return ("won", payout, placed.stake + payout) if payout else ("lost", 0, 0)


def _check_told(rows: Rows, server: TableServer) -> None:
    """The table server was told of no other end of a round than the ledger's, and each end has one notice."""
    states = dict(rows("SELECT id, state FROM rounds"))
    referred = {round_ for (round_,) in rows("SELECT round FROM referrals")}
    for round_, outcome in server.outcomes.items():
        decided = outcome.verdict == "referred" and round_ in referred
        told = decided or outcome.verdict == states[round_]
        require(told, f"round {round_.hex()} was told to be {outcome.verdict}")
    ends = "('round-settled', 'round-void', 'round-referred')"
    notices = Counter(rows(f"SELECT round, topic FROM notices WHERE topic IN {ends}"))
    wanted = Counter((id, f"round-{state}") for id, state in states.items())
    wanted.update((id, "round-referred") for id in referred)
    require(notices == wanted, "the outbox does not tell each round's end once")


# --- the product's own judgement, with public keys only


def _check_by_itself(where: Path | str, device: Witness) -> None:
    with open_ledger(where, read_only=True) as books:
        books.check_everything()
    report = verify_chain(device.records, Registry([replace(device.registered, host_key=None)]))
    require(report.fault is None and report.verified == len(device.records), f"offline: {report.fault}")
