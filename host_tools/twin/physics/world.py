"""The machine as a MuJoCo model: platform on its drive, glass, dice and debris.

SI units. Every body that touches another is in an explicit pair. A die is a box shrunk by its rounding, whose
contacts begin that far out: so it acts as a rounded cube and rests at half its edge. The glass is a ring of
planes, through which nothing escapes. Contacts are direct springs of 1400 rad/s, damped for the machine's
restitution; a step of 0.25 ms follows them, one of 1 ms does not and the dice never rest.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from host_tools.twin.errors import PhysicsMissing
from host_tools.twin.machine import Machine
from host_tools.twin.scene import Thing

STEP_US = 250
DRIVE = 3  # degrees of freedom of the platform: up, about x, about y
FREE = 7  # numbers that place a free body: its centre, then a quaternion
_CONTACT_RATE = 1400.0  # rad/s
_STOP_RATE = 2000.0  # rad/s of the rubber under and over the platform
_STOP_DAMPING = 0.8
_WALLS = 36  # planes that stand inside the round glass, by up to 0.4 % of its radius
_RINGS = ((30.0, 12), (60.0, 8), (90.0, 1))  # of the dome: elevation of the planes' touch, planes


def engine() -> Any:
    """The MuJoCo module. Errors: `PhysicsMissing`."""
    try:
        import mujoco  # noqa: PLC0415 - an optional extra
    except ImportError as error:
        raise PhysicsMissing from error
    found: Any = mujoco
    found.set_mju_user_warning(_ignore)  # else it writes a log where the user happens to be
    return found


def _ignore(_: str) -> None:
    """What goes wrong in the engine shows as an outcome."""


def build(machine: Machine, dice: int, beads: Sequence[Thing] = ()) -> Any:
    """The compiled model (`mujoco.MjModel`) of `machine` with that many dice; beads stick to the platform.

    Its `qpos` holds the platform's `DRIVE` numbers, then `FREE` for each die in order.
    """
    return engine().MjModel.from_xml_string(_document(machine, dice, beads))


def _document(machine: Machine, dice: int, beads: Sequence[Thing]) -> str:
    radius = machine.platform_radius / 1000
    glass = "".join(_glass(machine))
    bodies = "".join(_die(machine, i) for i in range(dice))
    return f"""<mujoco>
  <option timestep="{STEP_US / 1e6}" integrator="Euler" cone="pyramidal" iterations="20">
    <flag eulerdamp="disable" autoreset="disable"/>
  </option>
  <worldbody>
    {glass}
    <body name="platform">
      {_suspension(machine)}
      <inertial pos="0 0 0" mass="{machine.platform_mass / 1000}" diaginertia="{_disc(machine)}"/>
      <geom name="platform" type="box" size="{radius * 1.2} {radius * 1.2} 0.02" pos="0 0 -0.02"
        contype="0" conaffinity="0"/>
      {"".join(_bead(i, bead) for i, bead in enumerate(beads))}
    </body>
    {bodies}
  </worldbody>
  <contact>{"".join(_pairs(machine, dice, len(beads)))}</contact>
</mujoco>"""


def _suspension(machine: Machine) -> str:
    """Slide between its stops, and two hinges."""
    inertia = machine.platform_mass / 1000 * (machine.platform_radius / 1000) ** 2 / 4
    stops = _spring(_STOP_RATE, _STOP_DAMPING)
    turning = 2 * 0.3 * math.sqrt(machine.tilt_stiffness * inertia)
    hinge = f'type="hinge" stiffness="{machine.tilt_stiffness}" damping="{turning}"'
    return (
        f'<joint type="slide" axis="0 0 1" stiffness="{machine.spring}" limited="true" '
        f'range="0 {machine.travel / 1000}" solreflimit="{stops}" damping="0.5"/>'
        f'<joint axis="1 0 0" {hinge}/><joint axis="0 1 0" {hinge}/>'
    )


def _disc(machine: Machine) -> str:
    across = machine.platform_mass / 1000 * (machine.platform_radius / 1000) ** 2 / 4
    return f"{across} {across} {2 * across}"


def _glass(machine: Machine) -> Iterator[str]:
    radius = machine.platform_radius / 1000
    to_plane = radius * math.cos(math.pi / _WALLS)
    for i in range(_WALLS):
        angle = 2 * math.pi * i / _WALLS
        x, y = math.cos(angle), math.sin(angle)
        yield _plane(f"glass{i}", (to_plane * x, to_plane * y, 0), (-x, -y, 0))
    top = machine.dome_height / 1000
    foot = top - min(radius, top / 2)
    number = _WALLS
    for elevation, count in _RINGS:
        up, out = math.sin(math.radians(elevation)), math.cos(math.radians(elevation))
        for i in range(count):
            angle = 2 * math.pi * i / count
            x, y = out * math.cos(angle), out * math.sin(angle)
            at = (radius * x, radius * y, foot + (top - foot) * up)
            size = math.hypot(x / radius, y / radius, up / (top - foot))
            normal = (-x / radius / size, -y / radius / size, -up / (top - foot) / size)
            yield _plane(f"glass{number}", at, normal)
            number += 1


def _glass_count() -> int:
    return _WALLS + sum(count for _, count in _RINGS)


def _plane(name: str, at: Sequence[float], normal: Sequence[float]) -> str:
    place = f'pos="{_numbers(at)}" zaxis="{_numbers(normal)}"'
    return f'<geom name="{name}" type="plane" size="1 1 1" {place} contype="0" conaffinity="0"/>'


def _die(machine: Machine, number: int) -> str:
    edge, half = machine.die_edge / 1000, (machine.die_edge / 2 - machine.die_rounding) / 1000
    mass = edge**3 * machine.die_density * 1000
    inertia = mass * edge**2 / 6
    return (
        f'<body name="die{number}"><freejoint/>'
        f'<inertial pos="0 0 0" mass="{mass}" diaginertia="{inertia} {inertia} {inertia}"/>'
        f'<geom name="die{number}" type="box" size="{half} {half} {half}" contype="0" conaffinity="0"/>'
        "</body>"
    )


def _bead(number: int, bead: Thing) -> str:
    at = _numbers([value / 1000 for value in bead.centre])
    return (
        f'<geom name="bead{number}" type="sphere" size="{bead.radius / 1000}" pos="{at}" mass="0" '
        'contype="0" conaffinity="0"/>'
    )


def _pairs(machine: Machine, dice: int, beads: int) -> Iterator[str]:
    rounding = machine.die_rounding / 1000
    solref = _spring(_CONTACT_RATE, _damping(machine.restitution))

    def pair(one: str, other: str, friction: float, margin: float) -> str:
        return (
            f'<pair geom1="{one}" geom2="{other}" condim="3" margin="{margin}" gap="0" solref="{solref}" '
            f'friction="{friction} {friction} 0 0 0"/>'
        )

    for i in range(dice):
        yield pair("platform", f"die{i}", machine.friction_platform, rounding)
        for wall in range(_glass_count()):
            yield pair(f"glass{wall}", f"die{i}", machine.friction_glass, rounding)
        for other in range(i):
            yield pair(f"die{other}", f"die{i}", machine.friction_dice, 2 * rounding)
        for bead in range(beads):
            yield pair(f"bead{bead}", f"die{i}", machine.friction_platform, rounding)


def _damping(restitution: float) -> float:
    """The share of critical damping at which a spring gives back `restitution` of the speed of a blow."""
    loss = -math.log(restitution)
    return loss / math.hypot(math.pi, loss)


def _spring(rate: float, damping: float) -> str:
    """MuJoCo's direct form: negative stiffness and damping, both per mass."""
    return f"{-(rate**2)} {-2 * damping * rate}"


def _numbers(values: Sequence[float]) -> str:
    return " ".join(repr(float(value)) for value in values)
