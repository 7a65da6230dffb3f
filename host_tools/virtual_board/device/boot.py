"""What the virtual board's port does at power-on: mount the volume, go there, start the application.

A volume that does not mount stays as it is: the application then refuses to start, and the REPL comes.
TUMBLER_START is "application", or "repl" after a soft reset in raw REPL mode, as on a board.
"""

import os
import sys

# As on a board, the working directory (the volume) comes before the firmware.
sys.path[:] = ["", os.getenv("TUMBLER_FIRMWARE", "")]

from tumbler.hal import StorageDamaged, virtual  # noqa: E402

try:
    virtual.mount_flash(os.getenv("TUMBLER_FLASH", ""))
    os.chdir(virtual.STORAGE)
except StorageDamaged as error:
    print(error)

if os.getenv("TUMBLER_START") == "application":
    import main  # noqa: F401
