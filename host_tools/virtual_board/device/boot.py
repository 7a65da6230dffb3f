"""What the virtual board's port adds to MicroPython's: machine.reset, the volume, the application's start.

A volume that does not mount stays as it is: the application then refuses to start, and the REPL comes.
TUMBLER_START is "application", or "repl" when a board comes to its REPL without it. With
TUMBLER_FLASHED the application is the volume's main.py, and nothing of the host's build is left.
"""

import os
import sys
import time

import machine  # pyright: ignore[reportMissingImports]  (MicroPython)

# As on a board, the working directory (the volume) comes before the firmware.
sys.path[:] = ["", os.getenv("TUMBLER_FIRMWARE", "")]

from tumbler.hal import StorageDamaged, virtual  # noqa: E402


class Machine:
    """The port's module `machine` with the reset() that it lacks."""

    def __getattr__(self, name):
        return getattr(machine, name)

    def reset(self):
        """Have the board's owner reset it."""
        with open(int(os.getenv("TUMBLER_PLANT", "")), "wb") as plant:
            plant.write(b'{"restart": 1}\n')
            while True:
                time.sleep(1)


sys.modules["machine"] = Machine()  # pyright: ignore[reportArgumentType]  (serves as one)

try:
    virtual.mount_flash(os.getenv("TUMBLER_FLASH", ""))
    os.chdir(virtual.STORAGE)
except StorageDamaged as error:
    print(error)

flashed = os.getenv("TUMBLER_FLASHED")
if flashed:
    sys.path[:] = [""]
    for name in [name for name in sys.modules if name.startswith("tumbler")]:
        del sys.modules[name]

if os.getenv("TUMBLER_START") == "application":
    if not flashed:
        import main  # noqa: F401
    elif "main.py" in os.listdir():
        with open("main.py") as file:
            text = file.read()
        exec(text, {"__name__": "__main__"})
