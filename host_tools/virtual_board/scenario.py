"""Scenario files: what dice, sensors, dealer and host do in each round, and what must come of it.

A scenario is a TOML file, checked completely when it is loaded; scenarios/README.md tells its keys.
Rounds play in order and start over after the last.
"""

import json
import random
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from tumbler.definitions import CHANNELS, FACTS, LATCHING_FACTS, PLAY_MODES, VOID_FACTS

# What starts an event's delay. The first group is what happens to the board itself; the cues in the second
# come from whoever plays the table, because a plant cannot see them.
PLANT_TRIGGERS = ("power-on", "drive", "stroke", "rest", "cover-released", "cover-opened", "capture")
CUES = ("round-opened", "no-more-bets", "repair")
COUNTED_TRIGGERS = ("stroke", "capture")

EXPECTATIONS = ("read", "void", "refused")
CAMERAS = ("working", "dead", "short", "stuck", "dark")
GATES = ("stroke-gate", "stroke-top")
FRAME_SETS = ("scenes320", "scenes160")

# How the player of the host's side departs from an ordinary round.
HOST_BEHAVIOURS = (
    "ordinary",
    "void-after-open",
    "void-concealed",  # covered: after the tumble, before no more bets; open: after no more bets
    "silent-after-open",  # sends nothing more until the device has ended the round
    "silent-concealed",
    "silent-after-no-more-bets",
    "no-more-bets-early",  # covered: before the tumble, which the device refuses; then ordinary
    "tumble-twice",  # the second is refused; then ordinary
)


class ScenarioError(Exception):
    """A scenario file that cannot be played: the message names file, place and key."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A pulse of the stroke sensor: time above the upper gate, speed between the gates, contact bounces.

    With a width of 0 the upper gate sees nothing and nothing shakes: a glitch of the lower one.
    """

    width_us: int
    speed_mm_s: int
    bounces: int = 0


@dataclass(frozen=True, slots=True)
class Event:
    """What changes `after_ms` after the `nth` occurrence of `when` in the round; once a round."""

    when: str
    nth: int = 1
    after_ms: int = 0
    levels: dict[str, bool] = field(default_factory=dict)  # channels of definitions.CHANNELS
    stick: dict[str, bool] = field(default_factory=dict)  # stroke gates held at a level from now on
    free: bool = False  # stuck gates work again
    vibration_mg: int = 0  # for `for_ms`
    for_ms: int = 0
    camera: str = ""  # CAMERAS
    scene: str = ""  # the dice lie differently from now on
    strokes: tuple[Stroke, ...] = ()  # that nobody commanded
    power_off_ms: int | None = None  # power cut for so long


@dataclass(frozen=True, slots=True)
class Round:
    """One round: what is on the platform, what happens, and what must come of it."""

    scene: str
    expect: str  # EXPECTATIONS; refused: the device does not open the round
    faces: tuple[int, ...] = ()  # of a round that is read, ascending
    fact: str = ""  # why it is void, or the fault for which it is refused
    fault: str = ""  # latched after the round
    clear: bool = True  # the player then has it repaired (the cue) and clears it
    host: str = "ordinary"
    strokes: tuple[Stroke, ...] = ()  # replace the first strokes of the drive
    stroke_count: int | None = None  # strokes that happen, whatever was commanded
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Scenario:
    """A loaded scenario. `tick_us` is the board's raw tick at power-on, `seed` that of ordinary variation."""

    title: str
    mode: str
    rounds: tuple[Round, ...]
    frames: str = "scenes320"
    dice: str = "white_black"  # style of the dice, which the reader's profile must fit
    seed: int = 1
    tick_us: int = 0
    dealer: bool = True  # covered play: opens the released cover and closes it when the lock engages

    @property
    def profile(self) -> str:
        """The reader's profile for these pictures, a file of firmware/profiles."""
        return f"{self.dice}_{self.frames.removeprefix('scenes')}.json"


def everyday(mode: str, frames: Path, rounds: int, seed: int, dice: str = "white_black") -> Scenario:
    """Ordinary rounds in `mode` with readable scenes of `dice` in folder `frames`, chosen by `seed`."""
    labels = _labels(frames).values()
    scenes = [label for label in labels if label["verdict"] == "readable" and label["style"] == dice]
    if not scenes:
        raise ScenarioError(f"{frames}: no readable scene with {dice} dice in labels.jsonl")
    chosen = random.Random(seed).choices(scenes, k=rounds)
    played = [Round(scene["scene"], "read", tuple(sorted(scene["values"]))) for scene in chosen]
    return Scenario("Everyday play", mode, tuple(played), frames.name, dice, seed)


def check_scenes(scenario: Scenario, frames: Path) -> None:
    """Scenes are in folder `frames` with the scenario's dice, and faces to be read are on their labels."""
    labels = _labels(frames)
    for number, played in enumerate(scenario.rounds, 1):
        shown = [played.scene, *(event.scene for event in played.events if event.scene)]
        place = f"{scenario.title}: round {number}"
        for scene in shown:
            if scene not in labels:
                raise ScenarioError(f"{place}: scene {scene!r} is not in {frames}")
            if labels[scene]["style"] != scenario.dice:
                raise ScenarioError(f"{place}: scene {scene!r} shows {labels[scene]['style']} dice")
        values = [tuple(sorted(labels[scene]["values"])) for scene in shown]
        if played.expect == "read" and played.faces not in values:
            raise ScenarioError(f"{place}: faces {played.faces} are to be read, but the dice show {values}")


def _labels(frames: Path) -> dict[str, dict[str, Any]]:
    try:
        lines = (frames / "labels.jsonl").read_text().splitlines()
    except OSError as error:
        raise ScenarioError(f"{frames}: no labels.jsonl, so no scenes to play ({error.strerror})") from error
    return {label["scene"]: label for label in map(json.loads, lines)}


def load_scenario(path: Path) -> Scenario:
    """Read and check the scenario file at `path`. Raises ScenarioError."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ScenarioError(f"{path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ScenarioError(f"{path}: {error}") from error
    return _scenario(_Keys(content, str(path)))


# --- checking -----------------------------------------------------------------------------------------------

T = TypeVar("T")


class _Keys:
    """The keys of one table; each must be taken, so that a misspelt one is noticed."""

    def __init__(self, table: Any, place: str) -> None:
        self.place = place
        if not isinstance(table, dict):
            raise ScenarioError(f"{place}: a table of keys is wanted")
        self._table = dict(table)
        self._known: list[str] = []

    def fail(self, key: str, what: str) -> ScenarioError:
        return ScenarioError(f"{self.place}: {key}: {what}")

    def take(self, key: str, kind: type[T], default: T | None = None) -> T:
        """The value of `key`; without a default the key must be there."""
        self._known.append(key)
        if key not in self._table:
            if default is None:
                raise ScenarioError(f"{self.place}: key {key!r} is missing")
            return default
        value = self._table.pop(key)
        if type(value) is not kind:
            raise self.fail(key, f"{kind.__name__} is wanted, not {value!r}")
        return value

    def choice(self, key: str, choices: Any, default: str | None = None) -> str:
        value = self.take(key, str, default)
        if value != default and value not in choices:
            raise self.fail(key, f"{value!r} is none of {', '.join(choices)}")
        return value

    def number(self, key: str, least: int, most: int, default: int | None = None) -> int:
        value = self.take(key, int, default)
        if value != default and not least <= value <= most:
            raise self.fail(key, f"{value} is not within {least}..{most}")
        return value

    def levels(self, key: str, names: Any) -> dict[str, bool]:
        levels = self.take(key, dict, {})
        for name, level in levels.items():
            if name not in names or type(level) is not bool:
                raise self.fail(key, f"{name} = {level!r}: true or false for {', '.join(names)} is wanted")
        return levels

    def tables(self, key: str, make: "Callable[[_Keys], T]", name: str) -> tuple[T, ...]:
        entries = self.take(key, list, [])
        return tuple(make(_Keys(entry, f"{self.place}: {name} {i}")) for i, entry in enumerate(entries, 1))

    def has(self, key: str) -> bool:
        return key in self._table

    def finish(self) -> None:
        for key in self._table:
            raise ScenarioError(f"{self.place}: unknown key {key!r}; known: {', '.join(self._known)}")


def _scenario(keys: _Keys) -> Scenario:
    scenario = Scenario(
        title=keys.take("title", str),
        mode=keys.choice("mode", PLAY_MODES),
        frames=keys.choice("frames", FRAME_SETS, "scenes320"),
        dice=keys.take("dice", str, "white_black"),
        seed=keys.number("seed", 0, 2**63, 1),
        tick_us=keys.number("tick_us", 0, 2**30 - 1, 0),
        dealer=keys.take("dealer", bool, True),
        rounds=keys.tables("round", _round, "round"),
    )
    keys.finish()
    if not scenario.rounds:
        raise ScenarioError(f"{keys.place}: no [[round]]")
    return scenario


def _round(keys: _Keys) -> Round:
    played = Round(
        scene=keys.take("scene", str),
        expect=keys.choice("expect", EXPECTATIONS),
        faces=tuple(keys.take("faces", list, [])),
        fact=keys.choice("fact", FACTS, ""),
        fault=keys.choice("fault", LATCHING_FACTS, ""),
        clear=keys.take("clear", bool, True),
        host=keys.choice("host", HOST_BEHAVIOURS, "ordinary"),
        strokes=keys.tables("strokes", _stroke, "stroke"),
        stroke_count=keys.number("stroke_count", 0, 50) if keys.has("stroke_count") else None,
        events=keys.tables("event", _event, "event"),
    )
    keys.finish()
    _check_expectation(keys, played)
    return played


def _check_expectation(keys: _Keys, played: Round) -> None:
    faces = played.faces
    right = len(faces) == 3 and all(type(face) is int and 1 <= face <= 6 for face in faces)
    if played.expect == "read" and not (right and list(faces) == sorted(faces)):
        raise keys.fail("faces", "a round that is read needs three faces 1..6, ascending")
    if played.expect != "read" and faces:
        raise keys.fail("faces", "only a round that is read has faces")
    if played.expect == "read" and played.fact:
        raise keys.fail("fact", "a round that is read has none")
    if played.expect == "void" and played.fact not in VOID_FACTS:
        raise keys.fail("fact", f"a void round needs one of {', '.join(VOID_FACTS)}")
    if not played.clear and not played.fault:
        raise keys.fail("clear", "there is no fault to leave alone")
    if played.expect == "refused" and played.fact not in LATCHING_FACTS:
        raise keys.fail("fact", f"a refused round needs one of {', '.join(LATCHING_FACTS)}")


def _stroke(keys: _Keys) -> Stroke:
    stroke = Stroke(
        width_us=keys.number("width_us", 0, 1_000_000),
        speed_mm_s=keys.number("speed_mm_s", 1, 10_000),
        bounces=keys.number("bounces", 0, 20, 0),
    )
    keys.finish()
    return stroke


def _event(keys: _Keys) -> Event:
    event = Event(
        when=keys.choice("when", (*PLANT_TRIGGERS, *CUES)),
        nth=keys.number("nth", 1, 100, 1),
        after_ms=keys.number("after_ms", 0, 600_000, 0),
        levels=keys.levels("levels", CHANNELS),
        stick=keys.levels("stick", GATES),
        free=keys.take("free", bool, False),
        vibration_mg=keys.number("vibration_mg", 1, 16_000, 0),
        for_ms=keys.number("for_ms", 1, 600_000, 0),
        camera=keys.choice("camera", CAMERAS, ""),
        scene=keys.take("scene", str, ""),
        strokes=keys.tables("strokes", _stroke, "stroke"),
        power_off_ms=keys.number("power_off_ms", 0, 600_000) if keys.has("power_off_ms") else None,
    )
    keys.finish()
    if event.nth > 1 and event.when not in COUNTED_TRIGGERS:
        raise keys.fail("nth", f"only {' and '.join(COUNTED_TRIGGERS)} are counted")
    if bool(event.vibration_mg) != bool(event.for_ms):
        raise keys.fail("vibration_mg", "goes together with for_ms")
    if event == Event(event.when, event.nth, event.after_ms):
        raise ScenarioError(f"{keys.place}: nothing happens in this event")
    return event
