"""A plant's hands on the pins: what it does becomes levels, and what the board's outputs do becomes its news.

The plant says and hears the same as over the virtual board's channel. The drive's first pulse starts the
plant's strokes; that a run is given up no pin tells, but the desk does.
"""

import json
from collections import deque
from collections.abc import Mapping
from typing import Any

from host_tools.pins.wires import ANALOG_MAX, Wire, Wires
from host_tools.virtual_board.plant import Plant
from host_tools.virtual_board.scenario import GATES
from tumbler.hal import Uptime


class Hands:
    """settings: the content of board.json. Everything here runs in the plant's thread, but outputs may change
    in the firmware's: their news wait in line for the next turn."""

    def __init__(self, plant: Plant, settings: Mapping[str, Any]) -> None:
        self._plant = plant
        self._hal = settings["hal"]
        self._uptime = Uptime(0)
        self._now_us = 0
        self.wires = Wires(self.now_us)
        self._said: deque[dict[str, Any]] = deque()
        self._strokes = settings["limits"]["drive_strokes"]
        self._pulses = 0  # of the run under way
        self.lamp: int | None = None
        self.pictures: dict[int | None, bytes] = {}  # the newest frame under each lamp
        self._watch_outputs()

    def _watch_outputs(self) -> None:
        for name in self._hal["outputs"]:
            wire, active = self.wire(name)
            if name == "cover-lock":
                # A dealer whose cover is open looks again whenever the lock is set, though it is locked.
                wire.written = lambda level, on=active: self.say({"cover": level is on})
            elif name == "drive":
                wire.watch(lambda level, _, on=active: self.say({"pulse": True}) if level is on else None)
            elif name.startswith("lamp"):
                number = int(name.removeprefix("lamp"))
                wire.watch(lambda level, _, on=active, number=number: self._lit(number, level is on))

    def _lit(self, number: int, on: bool) -> None:
        if on or self.lamp == number:
            self.lamp = number if on else None
            self.say({"lamp": self.lamp})

    def now_us(self) -> int:
        """The board's clock: microseconds since its power-on, as exact as the plant."""
        return self._now_us

    def say(self, message: dict[str, Any]) -> None:
        """The plant hears `message` at its next turn, before time goes on."""
        self._said.append(message)

    def wire(self, name: str) -> tuple[Wire, bool]:
        """The wire of an input or output, and its level while what the name says is so."""
        wiring = self._hal["inputs"].get(name) or self._hal["outputs"][name]
        return self.wires[wiring["pin"]], wiring["active"] == "high"

    @property
    def vibration_wire(self) -> Wire:
        """The wire of the vibration sensor."""
        return self.wires[self._hal["vibration"]["pin"]]

    # --- power

    def power_on(self) -> None:
        """The board gets power: inputs are at the plant's levels, and the clock starts."""
        self._said.clear()
        self._pulses = 0
        self._plant.power_on()
        self._plant.receive({"start": 1})
        grant = json.loads(self._plant.answer())
        self._uptime = Uptime(grant["t"])
        for gate in GATES:
            wire, _ = self.wire(gate)
            if wire.level is None:
                self._set(gate, False)
        self._take(grant)

    def power_off(self) -> None:
        """Without power no output drives its wire."""
        for name in self._hal["outputs"]:
            self.wire(name)[0].drive(None)
        self.lamp = None
        self._said.clear()
        self._plant.power_off()

    # --- turns

    def turn(self) -> bytes | None:
        """Let the plant act: at most a step of time passes, or it delivers the frame, which is returned.

        When the scenario cuts the power, plant.power_off_ms is set after that.
        """
        while self._said:
            self._hear(self._said.popleft())
        head, _, frame = self._plant.answer().partition(b"\n")
        if not head:
            return None
        told = json.loads(head)
        if "frame" in told:
            self.pictures[self.lamp] = frame
            return frame
        self._take(told)
        return None

    def _hear(self, message: dict[str, Any]) -> None:
        if "drive" in message:
            self._pulses = 0
        if "pulse" not in message:
            self._plant.receive(message)
            return
        if not self._pulses:
            self._plant.receive({"strokes": self._strokes})
        self._pulses = (self._pulses + 1) % self._strokes  # the last one ends the run

    def _take(self, grant: dict[str, Any]) -> None:
        ends_us = self._uptime.advance(grant["t"])
        for gate, level, raw in grant["edges"]:
            self._now_us = self._uptime.at(raw)
            self._set(gate, level)
        self._now_us = ends_us
        for name, level in grant["levels"].items():
            self._set(name, level)
        self._vibrate(grant["vibration"])

    def _vibrate(self, milli_g: int) -> None:
        # Rounded up, so that the board converts it to the same again.
        converted = -(-milli_g * ANALOG_MAX // self._hal["vibration"]["full_scale_mg"])
        self.vibration_wire.value = min(ANALOG_MAX, converted)

    def _set(self, name: str, level: bool) -> None:
        wire, active = self.wire(name)
        wire.drive(level is active)
