"""The simulated tumbler: its sizes, drive, dice and materials.

Every value is a guess for a hand-sized machine with Asian 16 mm dice; the drive's was chosen so that a stroke
throws the dice to about 70 mm. None was measured on a real tumbler: see the fields.
"""

import math
from dataclasses import dataclass, fields

from host_tools.twin.errors import ImpossibleMachine


@dataclass(frozen=True, slots=True)
class Machine:
    """Lengths in mm, masses in g, forces in N, times in ms. Errors: `ImpossibleMachine`."""

    platform_radius: float = 60.0  # to the glass
    platform_mass: float = 120.0  # with the moving part of the drive
    travel: float = 8.0  # from rest to the upper stop
    dome_height: float = 90.0  # of the dome's top above the platform at rest
    tilt_stiffness: float = 2.0  # Nm/rad of the platform's suspension about both horizontal axes
    spring: float = 300.0  # N/m that pulls the platform back to rest

    dice: int = 3
    die_edge: float = 16.0
    die_rounding: float = 1.5  # radius of edges and corners
    die_density: float = 1.18  # g/cm3: acrylic is 1.18, cellulose acetate 1.3

    force: float = 16.0  # of the voice coil, on top of the weight
    pulse: float = 11.0  # how long the coil pushes
    force_jitter: float = 0.04  # largest part by which a stroke's force differs
    pulse_jitter: float = 0.8  # largest difference of a stroke's pulse
    off_centre: float = 6.0  # largest distance of the push from the middle
    stroke_period: float = 340.0
    period_jitter: float = 15.0

    friction_platform: float = 0.5  # die on a rubber-like mat
    friction_dice: float = 0.28
    friction_glass: float = 0.22
    restitution: float = 0.53  # of speed in a contact: acrylic on glass more, on the mat less

    gate_height: float = 3.5  # travel at which the platform's vane passes the gate `stroke-gate`
    gate_gap: float = 1.0  # from it up to `stroke-top`

    def __post_init__(self) -> None:
        for each in fields(self):
            if not math.isfinite(getattr(self, each.name)):
                raise ImpossibleMachine(each.name, "must be a finite number")
        self._check_ranges()
        self._check_sizes()

    def _check_ranges(self) -> None:
        above_zero = (
            *("platform_radius", "platform_mass", "travel", "dome_height", "tilt_stiffness", "spring"),
            *("die_edge", "die_density", "force", "pulse", "stroke_period", "gate_height", "gate_gap"),
        )
        for name in above_zero:
            if getattr(self, name) <= 0:
                raise ImpossibleMachine(name, f"must be above 0, not {getattr(self, name)}")
        at_least_zero = (
            *("die_rounding", "force_jitter", "pulse_jitter", "off_centre", "period_jitter"),
            *("friction_platform", "friction_dice", "friction_glass"),
        )
        for name in at_least_zero:
            if getattr(self, name) < 0:
                raise ImpossibleMachine(name, f"cannot be negative, not {getattr(self, name)}")
        if not 0.01 <= self.restitution <= 0.9:
            raise ImpossibleMachine("restitution", f"must be from 0.01 to 0.9, not {self.restitution}")
        if not 1 <= self.dice <= 6 or self.dice != int(self.dice):
            raise ImpossibleMachine("dice", f"must be a whole number from 1 to 6, not {self.dice}")
        if self.force_jitter >= 1:
            raise ImpossibleMachine("force_jitter", f"must be below 1, not {self.force_jitter}")

    def _check_sizes(self) -> None:
        if self.die_edge * math.sqrt(3) > 2 * self.platform_radius:
            raise ImpossibleMachine(
                "die_edge",
                f"a die of {self.die_edge} mm cannot turn on a platform of {self.platform_radius} mm radius",
            )
        if self.dice * 2 * self.die_edge**2 > math.pi * self.platform_radius**2:
            raise ImpossibleMachine("dice", f"{self.dice} dice of {self.die_edge} mm fill the platform")
        if not 0.1 <= self.die_rounding < self.die_edge / 4:
            raise ImpossibleMachine(
                "die_rounding", f"must be from 0.1 to below a quarter of the edge, not {self.die_rounding}"
            )
        if self.dome_height < self.travel + 2 * self.die_edge:
            raise ImpossibleMachine(
                "dome_height", f"must leave two dice above the travel, not {self.dome_height} mm"
            )
        if self.off_centre > self.platform_radius:
            raise ImpossibleMachine("off_centre", "the push must be under the platform")
        if self.pulse_jitter >= self.pulse:
            raise ImpossibleMachine("pulse_jitter", "must be shorter than the pulse")
        if self.stroke_period - self.period_jitter <= 4 * self.pulse:
            raise ImpossibleMachine("stroke_period", "must leave the platform time to fall back")
        if self.gate_height + self.gate_gap >= self.travel:
            raise ImpossibleMachine("gate_height", "both gates must be below the upper stop")
