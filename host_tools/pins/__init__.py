"""Boards on a desktop: the firmware on CPython with Adafruit Blinka, and pins that a tester drives."""
