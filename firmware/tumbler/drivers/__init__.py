"""Drivers of cameras, sensor modules and the accelerometer, by the names that board files use.

Only the driver that is asked for is imported, and none touches hardware before it is asked to. Buses are
objects with the methods of machine.I2C (readfrom_into, readfrom_mem_into, writeto, writeto_mem) or
machine.UART (any, readinto, write).

A sensor module reads the dice by itself. Its driver offers
`request(now)`  ask for a new answer (now: ms, does not wrap); one that is under way is given up.
`poll(now)`     None or the Answer; never blocks for longer than a short bus transfer.
Both raise SensorError (of hal); after that the next request starts afresh.
"""

import sys
from collections import namedtuple

NOT_FLAT = 0  # in place of a face: a die that does not lie flat
UNKNOWN = -1  # in place of a face: something the module has no class for

# One object: face 1..6, NOT_FLAT or UNKNOWN; its centre and size in the module's pixels; confidence in
# thousandths or None when the module tells none.
Seen = namedtuple("Seen", ("face", "x", "y", "width", "height", "confidence"))

# objects: tuple of Seen, cut short where there are more than a round can have; frame: the module's own number
# of the picture, or None when it tells none; digest: SHA-256 of the answer's bytes.
Answer = namedtuple("Answer", ("objects", "frame", "digest"))

_MODULES = {
    "huskylens-v1": "huskylens_v1",
    "huskylens-v2": "huskylens_v2",
    "dice-module": "dice_module",
    "lis3dh": "lis3dh",
    "openmv": "camera_openmv",
    "esp32": "camera_esp32",
}


def make_sensor(name, bus, settings):
    """The driver of a sensor module: "huskylens-v1", "huskylens-v2" or "dice-module".

    settings: "address" on I2C (0x32, 0x50, 0x3D in this order); "algorithm" (1..255) for huskylens-v2.
    """
    return _module(name).Sensor(bus, settings)


def make_accelerometer(name, bus, settings):
    """The driver of the accelerometer, "lis3dh"; for its settings see there."""
    return _module(name).Accelerometer(bus, settings)


def make_camera(name, settings, limit_ms, now, idle):
    """The driver of a camera, "openmv" or "esp32".

    settings: see drivers.frame_source; limit_ms: time a frame may take; now() -> ms; idle(): sleep a few ms.
    CameraError (of hal) when there is no such camera.
    """
    return _module(name).Camera(settings, limit_ms, now, idle)


def _module(name):
    if name not in _MODULES:
        raise ValueError("no driver %s: there are %s" % (name, ", ".join(sorted(_MODULES))))
    path = "tumbler.drivers." + _MODULES[name]
    __import__(path)
    return sys.modules[path]
