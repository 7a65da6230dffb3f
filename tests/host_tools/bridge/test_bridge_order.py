"""The order of facts, explored exhaustively against a regular expression of the two play modes."""

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest

from host_tools.bridge.order import Standing, standing
from tumbler.definitions import CHANNELS, FACTS, PLAY_MODES

DEPTH = 5  # the legal order takes four


@dataclass
class Fact:
    kind: str
    fields: dict[str, Any] = field(default_factory=dict)
    boot: int = 1
    sequence: int = 0


def letters(mode: str) -> dict[str, Fact]:
    other = "open" if mode == "covered" else "covered"
    exposed = {"channel": CHANNELS["cover-open"], "level": True}
    closed = {"channel": CHANNELS["cover-closed"], "level": True}
    return {
        "O": Fact("round-opened", {"mode": PLAY_MODES[mode]}),
        "W": Fact("round-opened", {"mode": PLAY_MODES[other]}),
        "T": Fact("tumble", {"strokes": [[1, 1]] * 3}),
        "t": Fact("tumble", {"strokes": [[1, 1]] * 2}),
        "N": Fact("no-more-bets"),
        "R": Fact("reading", {"faces": [1, 6, 3]}),
        "V": Fact("void", {"fact": FACTS["not-flat"]}),
        "F": Fact("fault", {"fact": FACTS["dome-open"]}),
        "E": Fact("enclosure", exposed),
        "h": Fact("enclosure", closed),
        "B": Fact("boot"),
    }


ESTABLISHED = {
    "covered": re.compile("[hEB]*Oh*Th*N[hE]*R.*"),
    "open": re.compile("[hEB]*O[hE]*N[hE]*T[hE]*R.*"),
}


@cache
def fact(mode: str, letter: str, boot: int, sequence: int) -> Fact:
    known = letters(mode)[letter]
    return Fact(known.kind, known.fields, boot, sequence)


def told(mode: str, story: str) -> Standing:
    places = enumerate(story, start=1)
    facts = [fact(mode, letter, story[:place].count("B"), place) for place, letter in places]
    return standing(mode, 3, facts)


@pytest.mark.parametrize("mode", ["covered", "open"])
def test_faces_are_established_by_the_legal_order_and_no_other(mode: str) -> None:
    alphabet = "".join(letters(mode))
    reached = {"read": 0, "broken": 0, "no-result": 0}
    stories = [""]
    while stories:
        story = stories.pop()
        now = told(mode, story)
        assert (now.state == "read") == bool(ESTABLISHED[mode].fullmatch(story)), (story, now)
        assert (now.faces is not None) == (now.state == "read")
        assert bool(now.fact) == (now.state in ("broken", "no-result"))
        if now.is_final:
            reached[now.state] += 1
            assert now.sequence == len(story)
            assert {told(mode, story + letter) for letter in alphabet} == {now}, story
        elif len(story) < DEPTH:
            stories += [story + letter for letter in alphabet]
    assert all(count > 5 for count in reached.values()), reached


@pytest.mark.parametrize(
    ("mode", "story", "state", "named"),
    [
        ("covered", "OV", "no-result", "not-flat"),
        ("covered", "Ot", "no-result", "too-few-tumbles"),
        ("covered", "OTT", "broken", "tumbled-twice"),
        ("covered", "ON", "broken", "bets-closed-out-of-order"),
        ("covered", "OTR", "broken", "read-out-of-order"),
        ("covered", "OTENR", "broken", "read-after-early-exposure"),
        ("covered", "OTFNR", "broken", "read-after-a-fault"),
        ("covered", "OTBN", "broken", "bets-closed-out-of-order"),
        ("covered", "OTNBR", "broken", "read-out-of-order"),
        ("covered", "OTNBV", "no-result", "not-flat"),
        ("covered", "W", "broken", "opened-in-another-play-mode"),
        ("covered", "OO", "broken", "opened-twice"),
        ("covered", "V", "no-result", "not-flat"),
        ("open", "OT", "broken", "tumbled-out-of-order"),
        ("open", "ONR", "broken", "read-out-of-order"),
        ("open", "ONTT", "broken", "tumbled-twice"),
    ],
)
def test_what_breaks_the_order_is_named(mode: str, story: str, state: str, named: str) -> None:
    now = told(mode, story)
    assert (now.state, now.fact) == (state, named)


@pytest.mark.parametrize("faces", [[1, 2], [1, 2, 7], [0, 1, 2], [1, 2, 3, 4], [1, 2, True], []])
def test_impossible_faces_are_never_established(faces: list[int]) -> None:
    known = letters("open")
    facts = [known[letter] for letter in "ONT"]
    now = standing("open", 3, [*facts, Fact("reading", {"faces": faces})])
    assert (now.state, now.fact, now.faces) == ("broken", "impossible-faces", None)


def test_a_void_for_a_fact_without_a_name_is_broken() -> None:
    now = standing("open", 3, [letters("open")["O"], Fact("void", {"fact": 99})])
    assert (now.state, now.fact) == ("broken", "unknown-fact")
