"""What a person reads at a glance the device reads, too: small dice that touch, or lie beside a lamp's mirror
image or where the light has fallen off."""

from pathlib import Path

import pytest

from host_tools.campaign.profiles import Profiles
from host_tools.campaign.readings import Readings
from host_tools.scoring import Outcome
from host_tools.twin.mix import Draw, Mix
from host_tools.twin.studio import Shot, Studio

SEED = 9000
UNITS = 6
SIZE = "160x120"


class Pictures(Studio):
    """Flat white dice and touching ones in turn."""

    def shoot(self, number: int) -> Shot:
        category = "touching" if number // UNITS % 2 else "flat"
        return self.take(number, Draw(category, "white_black", SIZE, "four", "tracer", "none"))


@pytest.mark.parametrize("unit", [2, 5])
def test_small_white_dice_are_read(tmp_path: Path, unit: int) -> None:
    profiles = Profiles(tmp_path, SEED, UNITS, (SIZE,), ("four",), ("white_black",))
    profiles(unit)
    readings = Readings(Pictures(SEED, Mix({}), UNITS), profiles)
    told = [readings(number) for number in range(unit, 60 * UNITS, UNITS)]
    refused = [each for each in told if each["outcome"] != Outcome.RIGHT.value]
    assert {each["outcome"] for each in refused} <= {Outcome.LOST.value}
    assert [each for each in refused if each["category"] == "flat"] == []
    assert len(refused) <= 2, "of 30 scenes of touching dice"
