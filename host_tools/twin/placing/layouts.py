"""The categories of scenes: what each puts on the platform.

A layout is made around the middle, then carried to a random place; single dice are added where there is room.
A layout that found no room is made again from the same generator, so a seed still gives one scene.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from numpy.random import Generator

from host_tools.twin.errors import NoRoom, UnknownCategory
from host_tools.twin.machine import Machine
from host_tools.twin.placing.moves import (
    any_azimuth,
    bead_under,
    direction,
    flat,
    leaned,
    raised,
    shifted,
    touching,
    turned_about_middle,
)
from host_tools.twin.scene import DAMAGES, DISGUISED, DISGUISES, Die, Scene, Thing
from host_tools.twin.solid import die_gap, footprint_gap, thing_gap, wall_gap
from host_tools.twin.truth import up_face

CLEAR = 1.0  # mm around a die that touches nothing
CLOSE = 0.4  # largest gap in mm of what is placed as touching
COCKED = (6.0, 45.0)  # degrees
SLIGHT = (1.5, 6.0)
_PLACES = 300  # tried for one body
_LAYOUTS = 60  # tried for one scene

Group = tuple[list[Die], list[Thing]]


class _Full(Exception):
    """No place was found for a body."""


@dataclass(frozen=True, slots=True)
class _Table:
    """The machine and the generator that all layouts draw from."""

    machine: Machine
    rng: Generator

    def die(self) -> Die:
        return flat(self.machine, self.rng, any_azimuth(self.rng))

    def aligned(self, yaw: float, spread: float = 0.0) -> Die:
        """A flat die whose sides are along `yaw`, to within about `spread` degrees."""
        return flat(self.machine, self.rng, yaw + math.radians(self.rng.normal(0, spread) if spread else 0))

    def degrees(self, span: tuple[float, float]) -> float:
        """An angle in radians from a span in degrees, its ends excluded."""
        low, high = span
        return math.radians(self.rng.uniform(low + 0.02, high - 0.02))

    def quarter(self) -> float:
        return math.pi / 2 * float(self.rng.integers(4))

    def close(self) -> float:
        """A gap of bodies that touch: often none."""
        return float(self.rng.choice([0.0, self.rng.uniform(0, CLOSE)]))

    def grey(self) -> float:
        """What a foreign object reflects."""
        return float(self.rng.uniform(0.05, 0.9))

    def against(self, fixed: Die, die: Die, azimuth: float, gap: float | None = None) -> Die:
        """`die` brought from `azimuth`, where it may be aside, to `gap` from `fixed`; close to it if None."""
        gap = self.close() if gap is None else gap
        far = 4 * self.machine.die_edge
        start = shifted(die, far * direction(azimuth))
        return touching(start, -direction(azimuth), far, lambda moved: die_gap(moved, fixed), gap)

    def at_wall(self, die: Die, azimuth: float, gap: float) -> Die:
        """A die in the middle moved along `azimuth` to the wall."""
        radius = self.machine.platform_radius
        return touching(die, direction(azimuth), 2 * radius, lambda moved: wall_gap(moved, radius), gap)

    def carried(self, group: Group) -> Group:
        """A group turned and shifted to a random place, clear of the wall."""
        dice, things = group
        turn = any_azimuth(self.rng)
        turned = [turned_about_middle(body, turn) for body in (*dice, *things)]
        for _ in range(_PLACES):
            by = self.spot()
            moved = [_moved(body, by) for body in turned]
            bodies = [die for die in moved if isinstance(die, Die)]
            if all(wall_gap(die, self.machine.platform_radius) >= CLEAR for die in bodies):
                return bodies, [thing for thing in moved if isinstance(thing, Thing)]
        raise _Full

    def spot(self) -> tuple[float, float, float]:
        """A place on the platform, all equally likely."""
        out = self.machine.platform_radius * math.sqrt(self.rng.uniform())
        x, y, _ = out * direction(any_azimuth(self.rng))
        return float(x), float(y), 0.0

    def add_free(self, group: Group, count: int) -> Group:
        """`group` and flat dice that touch nothing, up to `count` dice."""
        dice, things = list(group[0]), group[1]
        while len(dice) < count:
            dice.append(self._free(dice, things))
        return dice, things

    def _free(self, dice: list[Die], things: list[Thing]) -> Die:
        for _ in range(_PLACES):
            die = shifted(self.die(), self.spot())
            if (
                wall_gap(die, self.machine.platform_radius) >= CLEAR
                and all(footprint_gap(die, other) >= CLEAR for other in dice)
                and all(thing_gap(die, thing) >= CLEAR / 2 for thing in things)
            ):
                return die
        raise _Full


def _moved(body: Die | Thing, by: tuple[float, float, float]) -> Die | Thing:
    if isinstance(body, Die):
        return shifted(body, by)
    x, y, z = (c + d for c, d in zip(body.centre, by, strict=True))
    return replace(body, centre=(x, y, z))


# --- dice that lie flat


def _flat(table: _Table) -> Group:
    return table.add_free(([], []), table.machine.dice)


def _touching(table: _Table) -> Group:
    shapes = [_edge_to_edge, _corner_to_edge]
    if table.machine.dice > 2:
        shapes += [_crowd, _row, _corner_of_three]
    dice = shapes[table.rng.integers(len(shapes))](table)
    return table.add_free(table.carried((dice, [])), table.machine.dice)


def _edge_to_edge(table: _Table) -> list[Die]:
    first = table.aligned(0)
    across = table.rng.uniform(-0.9, 0.9) * table.machine.die_edge
    return [first, table.against(first, shifted(table.aligned(0), (0, across, 0)), 0)]


def _corner_to_edge(table: _Table) -> list[Die]:
    first = table.aligned(0)
    return [first, table.against(first, table.die(), math.radians(table.rng.uniform(-45, 45)))]


def _crowd(table: _Table) -> list[Die]:
    """Three dice at any angles, the third touching one of the two or both."""
    first, second = _corner_to_edge(table)
    third = table.against(first, table.die(), math.radians(table.rng.uniform(45, 180)))
    if die_gap(third, second) < 0:
        third = table.against(second, third, 0)
    if die_gap(third, first) < 0 or footprint_gap(third, second) < 0:
        raise _Full
    return [first, second, third]


def _row(table: _Table) -> list[Die]:
    middle = table.aligned(0)
    return [middle, *(table.against(middle, table.aligned(0), azimuth) for azimuth in (0, math.pi))]


def _corner_of_three(table: _Table) -> list[Die]:
    """Three dice in an L."""
    middle = table.aligned(0)
    return [middle, *(table.against(middle, table.aligned(0), azimuth) for azimuth in (0, math.pi / 2))]


def _wall(table: _Table) -> Group:
    dice: list[Die] = []
    for _ in range(table.rng.integers(1, table.machine.dice + 1)):
        azimuth = any_azimuth(table.rng)
        die = table.aligned(azimuth, 0.2) if table.rng.uniform() < 0.5 else table.die()
        die = table.at_wall(die, azimuth, table.close())
        if any(footprint_gap(die, other) < 0 for other in dice):
            raise _Full
        dice.append(die)
    return table.add_free((dice, []), table.machine.dice)


def _ordinary(table: _Table) -> Group:
    """What a round without irregularity leaves."""
    layouts = [_flat, _flat, _wall] if table.machine.dice < 2 else [_flat, _flat, _wall, _touching]
    return layouts[table.rng.integers(len(layouts))](table)


# --- dice that do not


def _cocked(table: _Table) -> Group:
    layouts = [_on_wall, _on_bead] if table.machine.dice < 2 else [_on_wall, _on_bead, _on_die]
    group = layouts[table.rng.integers(len(layouts))](table)
    return table.add_free(group, table.machine.dice)


def _on_wall(table: _Table) -> Group:
    """Foot on the floor, the raised lower edge on the glass."""
    azimuth = any_azimuth(table.rng)
    lean = azimuth + math.pi + math.radians(table.rng.normal(0, 4))
    die = leaned(table.aligned(lean, 3), lean, table.degrees(COCKED))
    return [table.at_wall(die, azimuth, 0.0)], []


def _on_bead(table: _Table) -> Group:
    return table.carried(_propped(table, table.degrees((COCKED[0], 20.0))))


def _propped(table: _Table, tilt: float) -> Group:
    die = leaned(table.aligned(0), math.pi, tilt)
    core_edge = table.machine.die_edge - 2 * table.machine.die_rounding
    along = float(table.rng.uniform(0.6, 1.0))
    aside = float(table.rng.uniform(-0.4, 0.4)) * core_edge
    return [die], [replace(bead_under(die, tilt, along, aside), albedo=table.grey())]


def _on_die(table: _Table) -> Group:
    first = table.aligned(0)
    lean = math.radians(table.rng.normal(0, 4))
    die = leaned(table.aligned(lean, 3), lean, table.degrees(COCKED))
    across = table.rng.uniform(-0.5, 0.5) * table.machine.die_edge
    return table.carried(([first, table.against(first, shifted(die, (0, across, 0)), 0, gap=0.0)], []))


def _slight(table: _Table) -> Group:
    """A grain under a die."""
    group = table.carried(_propped(table, table.degrees(SLIGHT)))
    return table.add_free(group, table.machine.dice)


def _stacked(table: _Table) -> Group:
    if table.machine.dice < 2:
        raise NoRoom("stacked: needs a machine of at least two dice")
    stacks = [_square_stack, _crooked_stack]
    if table.machine.dice > 2:
        stacks += [_tower, _bridge]
    dice = stacks[table.rng.integers(len(stacks))](table)
    return table.add_free(table.carried((dice, [])), table.machine.dice)


def _square_stack(table: _Table) -> list[Die]:
    return [table.aligned(0), _upon(table, table.aligned(table.quarter(), 1), 0.05, 1)]


def _crooked_stack(table: _Table) -> list[Die]:
    return [table.aligned(0), _upon(table, table.die(), 0.38, 1)]


def _tower(table: _Table) -> list[Die]:
    return [table.aligned(0), *(_upon(table, table.aligned(0, 8), 0.08, level) for level in (1, 2))]


def _bridge(table: _Table) -> list[Die]:
    """One die across two."""
    edge = table.machine.die_edge
    apart = table.rng.uniform(1.01, 1.5) * edge
    pair = [shifted(table.aligned(0, 4), (side * apart / 2, 0, 0)) for side in (-1, 1)]
    if die_gap(*pair) < 0:
        raise _Full
    return [*pair, _upon(table, table.aligned(0, 15), 0.12, 1)]


def _upon(table: _Table, die: Die, offset: float, level: int) -> Die:
    """The die `level` dice up, off the middle by at most `offset` of its edge."""
    edge = table.machine.die_edge
    aside = offset * edge * math.sqrt(table.rng.uniform()) * direction(any_azimuth(table.rng))
    return raised(shifted(die, aside), level * edge)


# --- wrong dice, wrong number of dice, other things


def _damaged(table: _Table) -> Group:
    dice, things = _ordinary(table)
    which = int(table.rng.integers(len(dice)))
    dice[which] = replace(dice[which], damage=str(table.rng.choice(DAMAGES)))
    return dice, things


def _disguised(table: _Table) -> Group:
    dice, things = _ordinary(table)
    able = [number for number, die in enumerate(dice) if up_face(die) in DISGUISES]
    if not able:
        raise _Full
    which = able[table.rng.integers(len(able))]
    dice[which] = replace(dice[which], damage=DISGUISED)
    return dice, things


def _missing(table: _Table) -> Group:
    dice, things = _ordinary(table)
    return dice[: int(table.rng.integers(table.machine.dice))], things


def _extra(table: _Table) -> Group:
    return table.add_free(_ordinary(table), table.machine.dice + 1)


def _foreign(table: _Table) -> Group:
    dice, things = _ordinary(table)
    for _ in range(table.rng.integers(1, 4)):
        things = [*things, _bead(table, dice, things)]
    return dice, things


def _bead(table: _Table, dice: list[Die], things: list[Thing]) -> Thing:
    for _ in range(_PLACES):
        radius = float(table.rng.uniform(0.4, 5.0))
        x, y, _ = table.spot()
        bead = Thing((x, y, radius), radius, table.grey())
        inside = math.hypot(x, y) + radius <= table.machine.platform_radius
        apart = all(math.dist(bead.centre, other.centre) > bead.radius + other.radius for other in things)
        if inside and apart and all(thing_gap(die, bead) >= CLEAR / 2 for die in dice):
            return bead
    raise _Full


_LAYOUT: dict[str, Callable[[_Table], Group]] = {
    "flat": _flat,
    "touching": _touching,
    "wall": _wall,
    "cocked": _cocked,
    "slight-tilt": _slight,
    "stacked": _stacked,
    "damaged": _damaged,
    "disguised": _disguised,
    "missing-die": _missing,
    "extra-die": _extra,
    "foreign-object": _foreign,
}
CATEGORIES = tuple(_LAYOUT)


def place(category: str, machine: Machine, rng: Generator) -> Scene:
    """A scene of one of `CATEGORIES`, its dice in no order. Errors: `UnknownCategory`, `NoRoom`."""
    if category not in _LAYOUT:
        raise UnknownCategory(f"no category {category!r}: take one of {', '.join(CATEGORIES)}")
    table = _Table(machine, rng)
    for _ in range(_LAYOUTS):
        try:
            dice, things = _LAYOUT[category](table)
        except _Full:
            continue
        shuffled = tuple(dice[i] for i in rng.permutation(len(dice)))
        return Scene(machine.platform_radius, shuffled, tuple(things))
    raise NoRoom(f"{category}: no room for it on a platform of {machine.platform_radius} mm radius")
