"""Whole rounds by the controller over the back end for microcontrollers, from drive pulse to record."""

# heap: 800k

import gc
import os
import sys
import unittest

from fake_machine import (
    COVER_LOCK,
    DRIVE,
    GATE_PINS,
    HEIGHT,
    LAMP_PINS,
    LOADED,
    PINS,
    WIDTH,
    Reset,
    make_board,
    make_world,
    pulse,
)
from test_controller import VALUES, Link, Reader, Refusal, Signer

from tumbler import journal as journals
from tumbler import start
from tumbler.config import Limits
from tumbler.controller import Controller, Identity
from tumbler.definitions import FACTS
from tumbler.journal import Journal
from tumbler.records import cose, fields
from tumbler.records.chain import Chain
from tumbler.replay import replay
from tumbler.scene import Scene

FOLDER = "microcontroller-test-journal"
GATE, TOP = "stroke-gate", "stroke-top"


class Seen(Reader):
    """A reader of frames in the size of this camera, which looks whether each shows its lamp."""

    class profile:
        width, height, lamps, digest = WIDTH, HEIGHT, 4, b"p" * 32

    def add(self, frame, lamp):
        if (frame[0], frame[-1]) != (lamp, lamp):
            self.shows(Refusal("unreadable"))
        self.lamps.append(lamp)


def clear_folder():
    for folder in (FOLDER, FOLDER + journals.MARKS):
        try:
            for name in os.listdir(folder):
                os.remove(folder + "/" + name)
            os.rmdir(folder)
        except OSError:
            pass


class Table:
    """A microcontroller's board with a mechanism around it: drive, vane, shaking dice and a cover to open."""

    def __init__(self, world=None, lost=None, capacity=512):
        self.world = world or make_world()
        self.world.step_us = 4000
        self.board = make_board(self.world)
        self.link = Link()
        self.journal = Journal(FOLDER, capacity)
        self.journal.mount()
        proven = replay(self.journal)
        boot = self.journal.next_boot(proven.boot)
        chain = Chain(b"device01", boot, proven.sequence, proven.digest, Signer(), self.board.entropy)
        limits = Limits(VALUES)
        identity = Identity(b"f" * 32, b"p" * 32)
        scene = Scene(self.board, Seen())
        self.controller = Controller(
            self.board, limits, identity, scene, self.journal, chain, self.link, proven, lost
        )
        self.controller.power_on()
        self.board.start_watchdog()
        self.world.pin(DRIVE).changed = self._strike
        self.world.pin(COVER_LOCK).changed = self._release
        self.run(100)

    def _strike(self, level):
        if level:
            pulse(self.world, GATE, 20000, 19000)
            pulse(self.world, TOP, 22000, 15000)
            self._shake(900)
            self.world.later(120000, lambda: self._shake(0))

    def _shake(self, mg):
        self.world.shaking_mg = mg

    def _release(self, level):
        if level:
            self.cover(True)

    def cover(self, opened):
        closed, open_ = self.world.pin(PINS["cover-closed"]), self.world.pin(PINS["cover-open"])
        first, second = (closed, open_) if opened else (open_, closed)
        self.world.later(200000, lambda: first.becomes(1))
        self.world.later(900000, lambda: second.becomes(0))

    def run(self, ms):
        end = self.world.us + ms * 1000
        while self.world.us < end:
            self.controller.step()
            self.board.idle()

    def command(self, name, **arguments):
        self.controller._obey(dict(arguments, id=len(self.link.replies), command=name), self.board.now())
        return self.link.replies[-1][1:]

    def records(self):
        numbers = range(self.journal.first, self.journal.last + 1)
        return [fields.unpack(cose.payload_of(self.journal.read(number))) for number in numbers]

    def newest(self, kind):
        return [values for name, values in self.records() if name == kind][-1]


class WholeRounds(unittest.TestCase):
    def setUp(self):
        clear_folder()
        journals.create(FOLDER)

    def tearDown(self):
        LOADED.pop("csi", None)
        clear_folder()

    def play(self, table, number):
        identity = bytes([number]) * 16
        self.assertEqual(table.command("open-round", round=identity, mode=0)[0], "done")
        table.run(50)
        self.assertEqual(table.command("tumble", round=identity)[0], "done")
        table.run(2800)
        self.assertEqual(table.command("no-more-bets", round=identity)[0], "done")
        table.run(1500)
        table.cover(False)
        table.run(1200)

    def test_rounds_from_the_drive_to_the_reading(self):
        table = Table()
        for number in (1, 2):
            self.play(table, number)
            reading = table.newest("reading")
            self.assertEqual(reading["round"], bytes([number]) * 16)
            self.assertEqual(reading["faces"], [2, 3, 5])
            self.assertEqual(reading["strokes"], [[15000, 500]] * 4)
        kinds = [kind for kind, _ in table.records()]
        self.assertEqual(kinds.count("reading"), 2)
        self.assertFalse("fault" in kinds or "void" in kinds, kinds)
        self.assertEqual([table.world.pin(pin).level for pin in LAMP_PINS], [0] * 4)
        self.assertEqual((table.world.pin(DRIVE).level, table.world.pin(COVER_LOCK).level), (0, 0))

    def test_a_port_with_soft_interrupts_plays_the_same_round(self):
        world = make_world()
        world.hard, world.timer = False, 0
        table = Table(world)
        self.play(table, 1)
        self.assertEqual(table.newest("reading")["strokes"], [[15000, 500]] * 4)

    def test_an_unplugged_accelerometer_is_a_sensor_fault_until_it_is_back(self):
        table = Table()
        chips = dict(table.world.chips)
        table.world.chips.clear()
        table.run(50)
        fault = table.newest("fault")
        self.assertEqual(fault["fact"], FACTS["sensor-fault"])
        self.assertIn("sensor: no answer at 0x19", fault["detail"])
        self.assertEqual(table.command("clear-fault", fact=FACTS["sensor-fault"])[0], "still-present")
        table.world.chips.update(chips)
        table.run(50)
        self.assertEqual(table.command("clear-fault", fact=FACTS["sensor-fault"])[0], "done")

    def test_lost_edges_are_a_sensor_fault(self):
        table = Table()
        pin = table.world.pin(GATE_PINS[GATE])
        for edge in range(300):
            pin.becomes(edge & 1)
        table.run(50)
        self.assertIn("edges lost", table.newest("fault")["detail"])

    def test_noise_at_a_gate_is_served_until_the_technician_comes(self):
        table = Table()
        pin = table.world.pin(GATE_PINS[GATE])
        end = table.world.us + 10000000
        while table.world.us < end:  # longer than the watchdog waits
            for edge in range(300):
                pin.becomes(edge & 1)
            table.world.pass_us(200000)
            table.run(5)
        self.assertEqual(table.controller.state.faults, ("sensor-fault",))

    def test_a_board_whose_journal_is_damaged_stays_up_to_say_so(self):
        table = Table(lost="journal damaged at record 1")
        table.run(60000)  # longer than the watchdog waits
        self.assertEqual(table.link.statuses[-1]["faults"], ("memory-fault",))
        self.assertEqual(table.journal.last, 0)

    def test_a_board_whose_journal_is_full_stays_up_until_the_host_has_taken_records(self):
        table = Table(capacity=176)
        while table.command("attest", nonce=b"n" * 16)[0] == "done":
            pass
        del table
        gc.collect()
        again = Table(capacity=176)
        pin = again.world.pin(GATE_PINS[GATE])
        for edge in range(300):
            pin.becomes(edge & 1)
        chips = dict(again.world.chips)
        again.world.chips.clear()
        again.run(30000)  # longer than the watchdog waits
        again.world.chips.update(chips)
        again.run(30000)
        self.assertEqual(again.records()[-1][0], "attestation")
        again.journal.acknowledge(again.journal.last, again.journal.last + 1)
        again.run(100)
        self.assertEqual(again.records()[-1][0], "boot")
        self.play(again, 1)
        self.assertEqual(again.newest("reading")["strokes"], [[15000, 500]] * 4)

    def test_a_program_error_stops_the_drive_and_restarts(self):
        table = Table()
        table.command("open-round", round=b"r" * 16, mode=0)
        table.run(10)
        table.command("tumble", round=b"r" * 16)
        table.run(8)
        self.assertEqual(table.world.pin(DRIVE).level, 1)

        def broken():
            raise ValueError("a defect")

        table.controller.step = broken
        table.world.dog = None
        failed_with = []
        fail = table.controller.fail

        def failing(error):
            failed_with.append(table.world.pin(DRIVE).level)
            fail(error)

        table.controller.fail = failing
        printing = hasattr(sys, "print_exception")  # CPython has none
        if not printing:
            sys.print_exception = lambda error: None  # pyright: ignore[reportAttributeAccessIssue]
        try:
            with self.assertRaises(Reset):
                start.run(table.board, table.controller)
        finally:
            if not printing:
                del sys.print_exception  # pyright: ignore[reportAttributeAccessIssue]
        self.assertEqual(table.world.pin(DRIVE).level, 0)
        self.assertEqual(failed_with, [0])
        self.assertEqual(table.newest("fault")["fact"], FACTS["program-fault"])
        self.assertIsNotNone(table.world.dog)

    def test_a_technician_s_interruption_stops_the_drive(self):
        table = Table()
        table.board.start_strokes(4)
        table.world.pass_us(5000)
        self.assertEqual(table.world.pin(DRIVE).level, 1)

        def interrupted():
            raise KeyboardInterrupt

        table.controller.step = interrupted
        with self.assertRaises(KeyboardInterrupt):
            start.run(table.board, table.controller)
        self.assertEqual(table.world.pin(DRIVE).level, 0)
        self.assertIsNone(table.world.timers[0].due)


if __name__ == "__main__":
    unittest.main()
