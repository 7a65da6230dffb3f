"""Many rounds of the twin's physics: are the faces fair, how do the dice lie, what would the device count?"""

from collections import Counter
from dataclasses import asdict, dataclass
from time import process_time
from typing import Any

from host_tools.twin.fairness import Fairness, judge
from host_tools.twin.machine import Machine
from host_tools.twin.physics import Outcome, Tumbler
from host_tools.twin.physics.world import engine
from host_tools.twin.progress import Progress
from host_tools.twin.strokes import MIN_TUMBLES, pulses, tumbles
from host_tools.twin.truth import COCKED, SLIGHT, tell
from host_tools.twin.workers import in_order

STROKES = 4
BLOCK = 50  # rounds of one tumbler, one after the other


@dataclass(frozen=True, slots=True)
class Round:
    """One round: faces `before` and `after` it, how it ended, how the dice lie, and what the gates saw.

    `pulses`: passes of the upper gate; `counted`: those that the device's profile takes for a tumble.
    """

    before: tuple[int, ...]
    after: tuple[int, ...]
    outcome: str
    cocked: bool
    slight: bool
    stacked: bool
    touching: bool
    at_wall: bool
    pulses: int
    counted: int
    rest_us: int | None

    @property
    def is_read(self) -> bool:
        """Whether the device counts enough tumbles and finds the dice at rest, flat and side by side."""
        enough = self.counted >= MIN_TUMBLES
        return enough and self.outcome == Outcome.AT_REST and not (self.cocked or self.stacked)


@dataclass(frozen=True, slots=True)
class Block:
    """Plays block `number` of a seed's rounds: a tumbler of its own, tumbled again and again."""

    machine: Machine
    seed: int
    rounds: int

    def __call__(self, number: int) -> tuple[list[Round], float]:
        """The rounds, and the seconds of processor time that they took."""
        begun = process_time()
        tumbler = Tumbler(self.machine, self.seed + (number << 64))
        length = min(BLOCK, self.rounds - number * BLOCK)
        return [self._play(tumbler) for _ in range(length)], process_time() - begun

    def _play(self, tumbler: Tumbler) -> Round:
        tumble = tumbler.tumble(STROKES)
        truth = tell(tumble.after, self.machine.dice)
        tilts = [die.tilt for die in truth.dice]
        return Round(
            before=tumble.faces_before,
            after=tumble.faces,
            outcome=str(tumble.outcome),
            cocked=max(tilts) >= COCKED,
            slight=SLIGHT <= max(tilts) < COCKED,
            stacked=any(die.stacked for die in truth.dice),
            touching=any(die.touching for die in truth.dice),
            at_wall=any(die.touching_wall for die in truth.dice),
            pulses=len(list(pulses(tumble.edges))),
            counted=tumbles(tumble.edges),
            rest_us=tumble.rest_us,
        )


def play(rounds: int, force: float, seed: int, jobs: int) -> dict[str, Any]:
    """Play so many rounds of STROKES strokes of `force` N; returns figures ready for JSON.

    Raises PhysicsMissing, ImpossibleMachine, WorkerLost.
    """
    engine()
    block = Block(Machine(force=force), seed, rounds)
    progress = Progress("rounds", rounds, 0)
    played: list[Round] = []
    seconds = 0.0
    for part, took in in_order(block, range(-(-rounds // BLOCK)), jobs):
        played += part
        seconds += took
        progress.advance(len(part))
    return {"rounds": rounds, "seed": seed, "force": force} | _figures(played) | _speed(played, seconds)


def _figures(rounds: list[Round]) -> dict[str, Any]:
    read = [each for each in rounds if each.is_read]
    return {
        "outcomes": dict(Counter(each.outcome for each in rounds)),
        "share": {
            what: sum(getattr(each, what) for each in rounds) / len(rounds)
            for what in ("cocked", "slight", "stacked", "touching", "at_wall")
        },
        "pulses": sum(each.pulses for each in rounds) / len(rounds),
        "counted": sum(each.counted for each in rounds) / len(rounds),
        "void_too_few_tumbles": sum(each.counted < MIN_TUMBLES for each in rounds),
        "read": len(read),
        "fairness": _fairness(rounds),
        "fairness_of_read": _fairness(read) if read else None,
    }


def _fairness(rounds: list[Round]) -> dict[str, Any]:
    judged: Fairness = judge([each.before for each in rounds], [each.after for each in rounds])
    return {**asdict(judged), "least_p": judged.least_p}


def _speed(rounds: list[Round], seconds: float) -> dict[str, Any]:
    rests = sorted(each.rest_us for each in rounds if each.rest_us is not None)
    return {
        "rest_ms": {"median": rests[len(rests) // 2] // 1000, "longest": rests[-1] // 1000}
        if rests
        else None,
        "rounds_a_second_and_core": round(len(rounds) / seconds, 2),
    }
