"""A set of scenes: number `n` is drawn, placed, photographed and labelled from the seed and `n` alone."""

from dataclasses import dataclass, replace
from typing import Any

from numpy.random import Generator

from host_tools.twin.camera import Picture, Style, Troubled
from host_tools.twin.camera.photos import Camera
from host_tools.twin.camera.trouble import GRAVE
from host_tools.twin.labels import label
from host_tools.twin.mix import SOUND, Draw, Mix
from host_tools.twin.placing import place
from host_tools.twin.scene import Scene
from host_tools.twin.unit import RENDERERS, Unit, generator

WORN = 0.3  # share of sets of dice that are not as new
MOST_WEAR = 0.3
DIRT = 0.4  # specks on a face of worn dice, on average


@dataclass(frozen=True, slots=True)
class Shot:
    """A scene of a set, how it came about, its picture, and its label as a line of labels.jsonl."""

    draw: Draw
    unit: Unit
    scene: Scene
    picture: Picture
    label: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Studio:
    """The set of `seed` and `mix`, taken with so many `units` in turn."""

    seed: int
    mix: Mix
    units: int = 1

    def unit(self, number: int) -> Unit:
        """The tumbler of scene `number`."""
        return Unit(self.seed, number % self.units)

    def shoot(self, number: int) -> Shot:
        """Scene `number`. Raises NoRoom for a category that its platform has no room for."""
        return self.take(number, self.mix.draw(self.seed, number))

    def take(self, number: int, draw: Draw) -> Shot:
        """Scene `number` as the `draw` wants it."""
        unit = self.unit(number)
        rng = generator(self.seed, number, "scene")
        scene = place(draw.category, unit.machine(), rng)
        style = _used(unit.style(draw.style), rng)
        picture = _camera(unit, draw).render(scene, style, rng)
        lens = unit.rig(draw.size, draw.lamps).lens
        told = label(name(number), draw.category, scene, style, picture, lens)
        made = {axis: getattr(draw, axis) for axis in ("size", "lamps", "renderer", "trouble")}
        return Shot(draw, unit, scene, picture, told | made)


def _camera(unit: Unit, draw: Draw) -> Camera:
    """The camera, with its trouble; a single frame cannot disagree with another."""
    if draw.trouble == SOUND or (draw.lamps == "ring" and draw.trouble in GRAVE):
        return unit.camera(draw.size, draw.lamps, draw.renderer)
    return Troubled(RENDERERS[draw.renderer], unit.rig(draw.size, draw.lamps), draw.trouble)


def name(number: int) -> str:
    """Name of a scene's folder."""
    return f"{number:06d}"


def _used(style: Style, rng: Generator) -> Style:
    """The dice as they are after some use."""
    worn, wear = rng.uniform() < WORN, float(rng.uniform(0, MOST_WEAR))
    return replace(style, wear=wear, dirt=DIRT) if worn else style
