"""What the five documents print, written down a second time by hand: the oracle of the rulebook tests.

Nothing here uses the engine. Winning is decided on strings of faces, odds are texts as printed.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement

from host_tools.rulebooks import Offer, Rulebook

MULTISETS = list(combinations_with_replacement((1, 2, 3, 4, 5, 6), 3))

FACES = "1 2 3 4 5 6"
DOMINOES = "1-2 1-3 1-4 1-5 1-6 2-3 2-4 2-5 2-6 3-4 3-5 3-6 4-5 4-6 5-6"
FOURS = "1-2-3-4 2-3-4-5 2-3-5-6 3-4-5-6"
# 28, not 30: neither 112 nor 665.
DOUBLE_SINGLES = """113 114 115 116 221 223 224 225 226 331 332 334 335 336 441 442 443 445 446
    551 552 553 554 556 661 662 663 664"""
THREE_SINGLES = """126 135 234 256 346 123 136 145 235 356 124 146 236 245 456 125 134 156 246 345"""
TOTALS_64 = {"4": "64", "5": "32", "6": "19", "7": "12", "8": "8.5", "9": "7", "10": "6.5"}
TOTALS_62 = {"4": "62", "5": "31", "6": "18", "7": "12", "8": "8", "9": "7", "10": "6"}
TOTALS_65 = {"4": "65", "5": "33", "6": "19", "7": "12", "8": "8", "9": "7", "10": "6"}


def _dashed(printed: str) -> list[str]:
    return ["-".join(each) for each in printed.split()]


def _table(even: str, totals: dict[str, str], any_triple: str, **others: str) -> dict[str, dict[int, str]]:
    """Wager -> number of matching dice (1 where it does not matter) -> odds as printed."""
    table: dict[str, dict[int, str]] = {wager: {1: "1"} for wager in even.split()}
    table["any-triple"] = {1: any_triple}
    for low, odds in totals.items():
        table[f"total:{low}"] = table[f"total:{21 - int(low)}"] = {1: odds}
    if "triple" in others:
        table |= {f"triple:{face}": {3: others["triple"]} for face in FACES.split()}
        table |= {f"double:{face}": {2: others["double"], 3: others["double"]} for face in FACES.split()}
        table |= {f"single:{face}": {1: "1", 2: "2", 3: "12"} for face in FACES.split()}
        table |= {f"domino:{pair}": {1: "6"} for pair in DOMINOES.split()}
    if "four" in others:
        table |= {f"four-number:{four}": {1: others["four"]} for four in FOURS.split()}
    if "combinations" in others:
        table |= {f"three-single:{three}": {1: "30"} for three in _dashed(THREE_SINGLES)}
        table |= {f"double-single:{three}": {1: "50"} for three in _dashed(DOUBLE_SINGLES)}
    return table


_PAY_TABLE_1 = _table("small big odd even", TOTALS_64, "32", triple="195", double="11.5", four="7.5")
_PAY_TABLE_2 = _table(
    "small big odd even", TOTALS_64, "32", triple="195", double="11.5", four="7.5", combinations="yes"
)
_PAY_TABLE_3 = _table(
    "small big odd even", TOTALS_62, "31", triple="180", double="11", four="7", combinations="yes"
)
_DUISBURG = _table("small big", TOTALS_65, "33", triple="190", double="11")

ODDS: dict[str, dict[str, dict[str, dict[int, str]]]] = {
    "mbs-electronic-sic-bo-v4": {
        "rapid-select": _PAY_TABLE_2,
        "alfastreet": _table("small big", TOTALS_64, "32", triple="195", double="11.5"),
    },
    "rws-sic-bo-etg-v8": {
        "pay-table-1": _PAY_TABLE_1,
        "pay-table-2": _PAY_TABLE_2,
        "pay-table-3": _PAY_TABLE_3,
    },
    "rws-sic-bo-open-cover-2021": {
        "pay-table-1": _PAY_TABLE_1,
        "pay-table-2": _PAY_TABLE_2,
        "pay-table-3": _PAY_TABLE_3,
    },
    "duisburg-sic-bo-2019": {"as-printed": _DUISBURG, "big-from-11": _DUISBURG},
    "mbs-3-card-sic-bo-2016": {"standard": _table("small big odd even", TOTALS_62, "31")},
}
"""Rulebook -> layout -> wager -> odds."""

LAYOUTS = [(book, layout) for book, layouts in ODDS.items() for layout in layouts]

# Euro tables of the Duisburg document, one minimum after the other, as its rows print them.
DUISBURG_MAXIMA = {
    "small big": "120 240 600 1200",
    "triple": "1 2 5 10",
    "any-triple": "4 8 20 40",
    "double": "10 20 50 100",
    "total:4 total:17": "2 4 10 20",
    "total:5 total:16": "4 8 20 40",
    "total:6 total:15": "6 12 30 60",
    "total:7 total:14": "10 20 50 100",
    "total:8 total:13": "14 28 70 140",
    "total:9 total:12": "18 36 90 180",
    "total:10 total:11": "20 40 100 200",
    "domino": "20 40 100 200",
    "single": "10 20 50 100",
}

# Fact -> action and clause by document; every other fact of the device is referred.
_INTERRUPTIONS = "power-interruption drive-fault sensor-fault host-lost memory-fault program-fault"
RULINGS: dict[str, dict[str, tuple[str, str]]] = {
    "mbs-electronic-sic-bo-v4": {
        "too-few-tumbles": ("void", "5.1"),
        "exposed-early": ("void", "5.2"),
        "not-flat": ("void", "5.3"),
        "stacked": ("void", "5.3"),
        "die-damaged": ("void", "5.4"),
        "dome-broken": ("void", "5.5"),
        **dict.fromkeys(_INTERRUPTIONS.split(), ("void", "5.8.1")),
        "interrupted-after-outcome": ("settle-by-dice", "5.8.2"),
        "wrong-result-registered": ("settle-by-dice", "6.3"),
        "terminal-lost-registered": ("settle-by-dice", "5.9.1"),
        "terminal-lost-unregistered": ("void", "5.9.2"),
    },
    "duisburg-sic-bo-2019": dict.fromkeys(
        ("stacked", "unreadable", "not-flat"), ("void", "Anlage 1, Absatz 3")
    ),
    "mbs-3-card-sic-bo-2016": {
        "exposed-early": ("void", "5.1"),
        "foreign-card": ("void", "5.2.1"),
        "card-shortage": ("void", "5.3"),
        "card-excess": ("void", "5.3"),
        "shoe-exhausted": ("void", "5.4"),
    },
}
_RWS = {
    "too-few-tumbles": ("void", "5.3.1"),
    "not-flat": ("void", "5.3.2"),
    "stacked": ("void", "5.3.2"),
    "die-damaged": ("void-affected", "5.4"),
    **dict.fromkeys(_INTERRUPTIONS.split(), ("void", "5.1.2")),
    "interrupted-after-outcome": ("settle-by-dice", "5.1.1"),
    "wrong-result-registered": ("settle-by-dice", "5.5"),
    "terminal-lost-registered": ("settle-by-dice", "5.2.1"),
    "terminal-lost-unregistered": ("void", "5.2.2"),
}
RULINGS["rws-sic-bo-etg-v8"] = _RWS | {"exposed-early": ("void", "5.3.3")}
RULINGS["rws-sic-bo-open-cover-2021"] = _RWS | {"activated-early": ("void", "5.3.3")}
REFERRED = {
    "mbs-electronic-sic-bo-v4": "6.1",
    "rws-sic-bo-etg-v8": "5.10",
    "rws-sic-bo-open-cover-2021": "5.10",
    "duisburg-sic-bo-2019": "Anlage 1",
}


def published_odds(book: str, layout: str, wager: str, throw: tuple[int, ...]) -> Fraction | None:
    """The odds at which the documents pay a wager on a throw, None where it loses."""
    matches = _matches(wager, throw, big_from=10 if layout == "as-printed" else 11)
    printed = ODDS[book][layout][wager].get(matches)
    return None if printed is None else Fraction(printed)


def _matches(wager: str, throw: tuple[int, ...], big_from: int) -> int:
    kind, _, rest = wager.partition(":")
    shown = "".join(map(str, throw))
    points = int(shown[0]) + int(shown[1]) + int(shown[2])
    triple = shown == shown[0] * 3
    if kind in ("triple", "double", "single"):
        return sum(face == rest for face in shown)
    if kind in ("small", "big", "odd", "even"):
        fits = {
            "small": points <= 10,
            "big": points >= big_from,
            "odd": points % 2 == 1,
            "even": points % 2 == 0,
        }
        return 1 if fits[kind] and not triple else 0
    numbers = rest.replace("-", "")
    if kind == "any-triple":
        return 1 if triple else 0
    if kind == "total":
        return 1 if points == int(rest) else 0
    if kind == "domino":
        return 1 if numbers[0] in shown and numbers[1] in shown else 0
    if kind == "four-number":
        different = shown[0] != shown[1] and shown[1] != shown[2] and shown[0] != shown[2]
        return 1 if different and all(face in numbers for face in shown) else 0
    assert kind in ("three-single", "double-single")
    return 1 if "".join(sorted(shown)) == "".join(sorted(numbers)) else 0


_known: dict[tuple[object, ...], tuple[Fraction | None, ...]] = {}


def _paid(offer: Offer) -> tuple[Fraction | None, ...]:
    """What the engine pays on each multiset; asked once for all offers that do not differ in it."""
    key = (offer.condition.test, offer.condition.totals, offer.numbers, *offer.odds.items())
    if key not in _known:
        _known[key] = tuple(map(offer.pays, MULTISETS))
    return _known[key]


@cache
def _column(book: str, layout: str, wager: str) -> tuple[Fraction | None, ...]:
    return tuple(published_odds(book, layout, wager, throw) for throw in MULTISETS)


def differences(rulebook: Rulebook) -> Iterator[str]:
    """Everything in which a rulebook departs from what its document prints."""
    for fact, ruling in rulebook.irregularities.items():
        printed = RULINGS[rulebook.id].get(fact, ("refer", REFERRED.get(rulebook.id, "")))
        if (ruling.action, ruling.clause) != printed:
            yield f"{fact}: {ruling.action} by {ruling.clause}, not {printed}"
    yield from _limit_differences(rulebook)
    layouts = ODDS[rulebook.id]
    if set(rulebook.layouts) != set(layouts):
        yield f"layouts {set(rulebook.layouts)}"
    for layout in rulebook:
        table = layouts.get(layout.id, {})
        for wager in table.keys() ^ layout.offers.keys():
            yield f"{layout.id}: {wager} is offered by only one of document and rulebook"
        for wager, offer in layout.offers.items():
            if wager in table and _paid(offer) != _column(rulebook.id, layout.id, wager):
                yield f"{layout.id}: {wager} is not paid as printed"


def _limit_differences(rulebook: Rulebook) -> Iterator[str]:
    minima = ("1", "2", "5", "10") if rulebook.id == "duisburg-sic-bo-2019" else ()
    if set(rulebook.limits) != {f"eur-{minimum}" for minimum in minima}:
        yield f"limits {set(rulebook.limits)}"
    for position, minimum in enumerate(minima):
        limits = rulebook.limits[f"eur-{minimum}"]
        if limits.minimum != int(minimum):
            yield f"{limits.id}: minimum {limits.minimum}"
        for wager, most in limits.maxima.items():
            rows = [
                row
                for row in DUISBURG_MAXIMA
                if wager in row.split() or wager.partition(":")[0] in row.split()
            ]
            if len(rows) != 1 or most.stake != int(DUISBURG_MAXIMA[rows[0]].split()[position]):
                yield f"{limits.id}: {wager} {most}"
