"""A sitting of the table's campaign: one board, layout and set of dice; rounds from stroke to settlement.

The twin rolls the dice and shows them to the real firmware, whose records the bridge verifies and settles.
Each round is then judged by what truly lay there, and its money by odds that were written down a second time.
"""

import asyncio
import itertools
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from host_tools.bridge.errors import BridgeError
from host_tools.bridge.events import RoundOutcome
from host_tools.bridge.table import Table, Wager
from host_tools.campaign.errors import SittingFailed
from host_tools.campaign.profiles import Profiles
from host_tools.demo.run import DemoRefused, demo_terms
from host_tools.ledger import LedgerDamaged
from host_tools.link import LinkError
from host_tools.records import verify_chain
from host_tools.settlement import Table as Terms
from host_tools.twin.dice import ROLLED, WEAK, TwinDice
from host_tools.twin.strokes import MIN_TUMBLES
from host_tools.twin.truth import SceneTruth, Verdict
from host_tools.twin.unit import Unit
from host_tools.virtual_board import BoardError, Scenario
from host_tools.virtual_board.scenario import Round
from host_tools.virtual_table import TableUnusable, VirtualTable, virtual_table
from tests.host_tools.published_rules import LAYOUTS, published_odds
from tumbler.definitions import LATCHING_FACTS

ROUNDS = 50  # of a sitting
WORDS = {  # what becomes of a round's dice, by weight; most others would take long to happen by themselves
    ROLLED: 80,
    WEAK: 4,
    "touching": 4,
    "cocked": 2,
    "slight-tilt": 2,
    "stacked": 2,
    "damaged": 2,
    "missing-die": 2,
    "extra-die": 1,
    "foreign-object": 1,
}
MODES = ("covered", "open")
_WAGERS = range(4, 13)  # in a round
_CHIPS = (10, 200)


@cache
def playable() -> tuple[tuple[str, str], ...]:
    """(rulebook, layout) of dice that a house opens: not the one whose printed odds favour the player."""
    return tuple(each for each in LAYOUTS if _opens(*each))


def _opens(rulebook: str, layout: str) -> bool:
    try:
        demo_terms(rulebook, layout)
    except DemoRefused:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Sitting:
    """Plays sitting `number` of a seed: `rounds` rounds, with dice that have a profile."""

    seed: int
    profiles: Profiles
    rounds: int = ROUNDS

    def __call__(self, number: int) -> dict[str, Any]:
        """The sitting as a line of the campaign's results. Raises SittingFailed."""
        fitted = list(self.profiles.fitted("four"))
        layouts = playable()
        unit, size, style = fitted[number % len(fitted)]
        book, layout = layouts[number % len(layouts)]
        told = {
            "sitting": number,
            "unit": unit,
            "size": size,
            "style": style,
            "rulebook": book,
            "layout": layout,
        }
        try:
            played = asyncio.run(self._play(number, told))
        except (TableUnusable, BoardError, BridgeError, LinkError, TimeoutError) as error:
            raise SittingFailed(f"sitting {number} {told}: {type(error).__name__}: {error}") from error
        return told | played

    async def _play(self, number: int, told: dict[str, Any]) -> dict[str, Any]:
        terms = demo_terms(told["rulebook"], told["layout"])
        rng = Random(f"{self.seed}/{number}/sitting")
        words = rng.choices(list(WORDS), list(WORDS.values()), k=self.rounds)
        scenario = Scenario(
            "Campaign",
            terms.rulebook.play_mode,
            tuple(Round(word, "read") for word in words),
            dice=told["style"],
        )
        profile = self.profiles.path(told["unit"], told["size"], "four", told["style"])
        if profile is None:
            raise SittingFailed(f"sitting {number}: its dice have no profile any more")
        dice = TwinDice(
            Unit(self.profiles.seed, told["unit"]), told["style"], told["size"], rng.randrange(2**63), profile
        )
        ids = itertools.count(number * self.rounds)
        with tempfile.TemporaryDirectory(prefix="tumbler-campaign-") as folder:
            playing = virtual_table(
                Path(folder),
                scenario,
                terms,
                speed=None,
                seed=f"{self.seed}/{number}",
                new_round_id=lambda: Random(f"{self.seed}/{next(ids)}/id").randbytes(16),
                dice=dice,
            )
            async with playing as virtual:
                rounds = [
                    await _Round(virtual, dice, terms, Random(f"{self.seed}/{number}/{index}/player")).play(
                        word
                    )
                    for index, word in enumerate(words)
                ]
                return {"rounds": rounds, "findings": await _findings(virtual)}


@dataclass(frozen=True, slots=True)
class _Round:
    """One round, played and judged."""

    virtual: VirtualTable
    dice: TwinDice
    terms: Terms
    rng: Random

    async def play(self, word: str) -> dict[str, Any]:
        await self.virtual.ready()
        self.virtual.board.next_round()
        self.virtual.board.plant.log.clear()
        staked: list[Wager] = []

        async def bet(table: Table) -> None:
            staked.extend(await self._bet(table))

        outcome = await self.virtual.table.play_round(bet)
        if outcome.fact in LATCHING_FACTS:  # as a technician does, who has changed the dice
            await self.virtual.table.clear_fault(outcome.fact)
        truth = self.dice.truth
        judge = Judge(self.terms, truth, self.dice.tumbles)
        return {
            "word": word,
            "true": sorted(truth.faces),
            "must": str(truth.verdict),
            "reason": truth.reason and str(truth.reason),
            "tumbles": self.dice.tumbles,
            "verdict": outcome.verdict,
            "faces": outcome.faces and sorted(outcome.faces),
            "fact": outcome.fact,
            "wagers": len(staked),
            "judged": judge.ended(outcome),
            "money": list(judge.money(outcome, staked)),
        }

    async def _bet(self, table: Table) -> list[Wager]:
        """A seeded player's wagers that the table took."""
        round_id = table.round
        if round_id is None:
            return []
        offered = list(self.terms.layout.offers)
        chosen = self.rng.sample(offered, self.rng.choice(_WAGERS))
        batch = [
            Wager(
                f"w{number}",
                "player",
                wager,
                self.terms.text(self.rng.randint(*_CHIPS) * self.terms.chip_unit),
            )
            for number, wager in enumerate(chosen)
        ]
        taken = [await table.place(round_id, [wager]) for wager in batch]
        return [wager for wager, answers in zip(batch, taken, strict=True) if answers[0].registered]


@dataclass(frozen=True, slots=True)
class Judge:
    """Judges a round by what truly lay there after so many strokes that count."""

    terms: Terms
    truth: SceneTruth
    tumbles: int

    def ended(self, outcome: RoundOutcome) -> str:
        """How it ended: of these only "wrong" is an error."""
        enough, verdict = self.tumbles >= MIN_TUMBLES, self.truth.verdict
        if outcome.faces is not None:
            right = sorted(outcome.faces) == sorted(self.truth.faces)
            return "right" if right and enough and verdict is not Verdict.MUST_REFUSE else "wrong"
        if not enough:
            return "void rightly" if outcome.fact == "too-few-tumbles" else "void otherwise"
        return {
            Verdict.READABLE: "lost",
            Verdict.BORDERLINE: "void, borderline",
            Verdict.UNDECIDABLE: "void, borderline",
            Verdict.MUST_REFUSE: "void rightly",
        }[verdict]

    def money(self, outcome: RoundOutcome, staked: Sequence[Wager]) -> Iterator[str]:
        """What is wrong with the money, by true faces and published odds."""
        if outcome.verdict == "referred":
            return
        settled = {wager.id: wager for wager in outcome.wagers}
        if set(settled) != {wager.id for wager in staked}:
            yield f"settled wagers {sorted(settled)} are not those staked"
            return
        for wager in staked:
            due = self._due(wager, outcome)
            if Fraction(Decimal(settled[wager.id].returned)) != due:
                yield f"{wager.wager} {wager.stake}: {settled[wager.id].returned} back, {due} due"

    def _due(self, wager: Wager, outcome: RoundOutcome) -> Fraction:
        stake = Fraction(Decimal(wager.stake))
        if outcome.verdict == "void":
            return stake
        faces = tuple(sorted(self.truth.faces))
        odds = published_odds(self.terms.rulebook.id, self.terms.layout.id, wager.wager, faces)
        return Fraction(0) if odds is None else stake * (1 + odds)


async def _findings(virtual: VirtualTable) -> list[str]:
    """What an auditor finds: faults of the chain, of the ledger."""
    await virtual.caught_up()
    chain = verify_chain([stored.raw for stored in virtual.books.records(virtual.device)], virtual.registry)
    findings = [] if chain.fault is None else [str(chain.fault)]
    try:
        virtual.books.check()
    except LedgerDamaged as damage:
        findings += damage.findings
    return findings
