"""The application of a slot on a port of nothing but stand-ins, for heap.mjs to measure."""

# ruff: noqa: PLC0415  (what is imported is measured, so it is imported late)

import json
import os
import sys
import time

LEVELS = {}  # of every pin


class Pin:
    IN, OUT, PULL_UP, PULL_DOWN, IRQ_RISING, IRQ_FALLING = range(6)

    def __init__(self, name, *arguments, **keywords):
        self._name = name
        self.value(keywords.get("value", 1))

    def value(self, *level):
        if level:
            LEVELS[self._name] = level[0]
        return LEVELS[self._name]

    def irq(self, **keywords):
        pass


class Uart:
    def __init__(self, number, rxbuf, txbuf, **keywords):
        self._buffers = bytearray(rxbuf), bytearray(txbuf)

    def any(self):
        return 0

    def write(self, data):
        return len(data)


class I2c:
    """An accelerometer at rest."""

    def __init__(self, number, **keywords):
        self._registers = bytearray(256)
        self._registers[0x0F] = 0x33

    def writeto_mem(self, address, register, data):
        self._registers[register & 0x7F : (register & 0x7F) + len(data)] = data

    def readfrom_mem_into(self, address, register, buffer):
        if register == 0x2F:
            buffer[0] = 1
        elif register & 0x7F == 0x28:
            buffer[:6] = b"\x00\x00\x00\x00\x40\x1f"
        else:
            buffer[:] = self._registers[register & 0x7F : (register & 0x7F) + len(buffer)]

    def writeto(self, address, data):
        return len(data)

    def readfrom_into(self, address, buffer):
        pass


class Timer:
    PERIODIC = 1

    def __init__(self, number):
        pass

    def init(self, **keywords):
        pass

    deinit = init


class Machine:
    Pin, UART, I2C, Timer = Pin, Uart, I2c, Timer


class Os:
    drawn = 0

    def urandom(self, n):
        Os.drawn += 1
        return bytes([(Os.drawn * 41 + at * 7) & 0xFF for at in range(n)])


class VfsLfs2:
    pass


class Vfs:
    def mount(self):
        return [(VfsLfs2(), "/flash")]


class Port:
    machine, time, os, vfs = Machine(), time, Os(), Vfs()

    @staticmethod
    def flash():
        """No flash beside the volume's: the journal is files on it."""


class Pictures:
    """The modules csi and camera: the frame of the lamp that is on, in a buffer that is not on the heap."""

    def __init__(self, lamps, width, height):
        self._lamps, self._width, self._height = lamps, width, height
        self.picture = bytearray(width * height)

    def __getattr__(self, name):
        if name.isupper() or name in ("PixelFormat", "FrameSize", "GrabMode"):
            return self
        return self._nothing

    def _nothing(self, *arguments, **keywords):
        return self

    def width(self):
        return self._width

    def height(self):
        return self._height

    def bytearray(self):
        return self.picture

    def snapshot(self, blocking=True):
        for number, pin in enumerate(self._lamps):
            if LEVELS[pin]:
                with open(f"/frames/lamp{number}.raw", "rb") as file:
                    file.readinto(self.picture)
        return self

    def capture(self):
        return self.snapshot().picture


def stand_in(hal):
    """Put the module of the board's camera in its place, if it has one."""
    camera = hal.get("camera")
    if camera is None:
        return
    lamps = [hal["outputs"][f"lamp{number}"]["pin"] for number in range(4)]
    pictures = Pictures(lamps, camera["width"], camera["height"])
    if camera["driver"] == "esp32":
        pictures.Camera = pictures._nothing
        sys.modules["camera"] = pictures
    else:
        pictures.CSI = pictures._nothing
        sys.modules["csi"] = pictures


class Application:
    """Put together in steps, between which the interpreter collects: it does so between calls alone."""

    def __init__(self):
        with open("/slot/board.json") as file:
            stand_in(json.load(file)["hal"])

    def assemble(self):
        """Everything that start makes, on a volume that was just provisioned; then some turns."""
        from tumbler import config, start

        settings = config.load("/slot/board.json")

        from tumbler.hal.microcontroller import Board

        self.board = Board(settings.hal, Port)
        self.scene = start.open_scene(self.board, settings, "/slot")

        from tumbler import journal
        from tumbler.assembly import assemble  # after the frame buffers, as in start
        from tumbler.signing import KeyStore

        os.mkdir("/flash/keys")
        KeyStore("/flash/keys").create(Port.os.urandom, bytes(range(32)))
        journal.create("/flash/journal")
        self.controller = assemble(self.board, settings, self.scene, "/slot")
        self.controller.power_on()
        for _ in range(20):
            self.controller.step()
            self.board.idle()

    def look(self):
        """One step of a scene; its event or None."""
        return self.scene.step()


application = Application()
