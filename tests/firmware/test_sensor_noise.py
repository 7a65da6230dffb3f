"""Whatever happens to the bytes of a sensor module on their way: the dice that lie there, or no reading.

Damage that is the same in every transfer, and noise that is not; on the wire of each driver, read by whole
scenes. Only an answer that is forged in full, check sums included and the same again and again, could pass.
"""

import random
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "portable"))

from fake_buses import Clock, I2c, Uart  # pyright: ignore[reportMissingImports]
from test_driver_dice_module import Module  # pyright: ignore[reportMissingImports]
from test_driver_huskylens import ModuleV1, ModuleV2  # pyright: ignore[reportMissingImports]

from tumbler.drivers import make_sensor
from tumbler.hal import SensorError
from tumbler.sensor_scene import SensorScene

TRUE_FACES = [2, 3, 6]  # of all three simulated modules
READ_MS = 15000  # of the boards with a sensor module

# (driver, settings on I2C, module)
MODULES = {
    "huskylens-v1": ({"address": 0x32}, ModuleV1),
    "huskylens-v2": ({"address": 0x50, "algorithm": 129}, ModuleV2),
    "dice-module": ({"address": 0x3D}, Module),
}

# What becomes of the `at`-th byte, counted anew after every `period` bytes from the module.
KINDS = {
    "flip": lambda byte, mask: [byte ^ mask],
    "set": lambda byte, mask: [byte | mask],
    "clear": lambda byte, mask: [byte & ~mask & 0xFF],
    "lose": lambda byte, mask: [],
    "double": lambda byte, mask: [byte, byte],
    "insert": lambda byte, mask: [mask, byte],
    "replace": lambda byte, mask: [mask],
}
DAMAGE = st.tuples(
    st.sampled_from(sorted(KINDS)), st.integers(0, 90), st.integers(1, 90), st.integers(1, 255)
)


class Wire:
    """A module whose bytes pass `spoil(bytes) -> bytes` on their way."""

    def __init__(self, module, spoil):
        self._module = module
        self._spoil = spoil
        self.out = bytearray()

    # I2C
    def write(self, data):
        return self._module.write(data)

    def read(self, buffer):
        self._module.read(buffer)
        spoilt = self._spoil(bytes(buffer))
        buffer[:] = (spoilt + bytes(len(buffer)))[: len(buffer)]

    # UART
    def hear(self, data):
        self._module.hear(data)
        self.out += self._spoil(bytes(self._module.out))
        self._module.out = bytearray()


def spoil_alike(kind, at, period, mask):
    """The same damage in every transfer."""

    def spoil(data):
        spoilt = bytearray()
        for place, byte in enumerate(data):
            hit = place % period == at % period
            spoilt += bytes(KINDS[kind](byte, mask) if hit else [byte])
        return bytes(spoilt)

    return spoil


def noise(seed, one_in):
    """One byte in `one_in` is damaged, differently each time."""
    source = random.Random(seed)

    def spoil(data):
        spoilt = bytearray()
        for byte in data:
            hit = source.randrange(one_in) == 0
            kind = source.choice(sorted(KINDS))
            spoilt += bytes(KINDS[kind](byte, source.randrange(1, 256)) if hit else [byte])
        return bytes(spoilt)

    return spoil


def read(name, bus, spoil):
    """The event of one scene; None when it ended in a sensor fault, or not within a round's time."""
    on_i2c, module = MODULES[name]
    wire = Wire(module(), spoil)
    sensor = make_sensor(name, I2c({on_i2c["address"]: wire}) if bus == "i2c" else Uart(wire), on_i2c)
    clock = Clock()
    scene = SensorScene(clock, sensor)
    while clock.ms < READ_MS:
        try:
            event = scene.step()
        except SensorError:
            return None
        if event is not None:
            return event
        clock.ms += 5
    return None


@pytest.mark.parametrize("bus", ["i2c", "uart"])
@pytest.mark.parametrize("name", MODULES)
def test_a_sound_wire_gives_the_dice(name, bus):
    event = read(name, bus, bytes)
    assert event is not None
    assert (event[0], sorted(event[1])) == ("read", TRUE_FACES)


@pytest.mark.parametrize("bus", ["i2c", "uart"])
@pytest.mark.parametrize("name", MODULES)
@settings(max_examples=40)
@given(damage=DAMAGE)
def test_damage_that_is_always_the_same_gives_no_other_faces(name, bus, damage):
    event = read(name, bus, spoil_alike(*damage))
    assert event is None or event[0] == "refused" or sorted(event[1]) == TRUE_FACES


@pytest.mark.parametrize("bus", ["i2c", "uart"])
@pytest.mark.parametrize("name", MODULES)
@settings(max_examples=15)
@given(seed=st.integers(0, 1 << 32), one_in=st.sampled_from((3, 10, 40, 200)))
def test_noise_gives_no_other_faces(name, bus, seed, one_in):
    event = read(name, bus, noise(seed, one_in))
    assert event is None or event[0] == "refused" or sorted(event[1]) == TRUE_FACES
