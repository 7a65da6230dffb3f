"""Format the virtual board's flash image; with TUMBLER_CONFIGURATION (a board.json) also provision it,
and print what the board tells of itself as JSON.
"""

import json
import os
import sys
from binascii import unhexlify

sys.path[:] = [os.getenv("TUMBLER_FIRMWARE", "")]

from provision import provision  # noqa: E402

from tumbler.hal import virtual  # noqa: E402

image = os.getenv("TUMBLER_FLASH", "")
virtual.format_flash(image)
if os.getenv("TUMBLER_CONFIGURATION"):
    virtual.mount_flash(image)
    with open(os.getenv("TUMBLER_CONFIGURATION", ""), "rb") as file:
        configuration = file.read()
    with open(virtual.STORAGE + "/board.json", "wb") as file:
        file.write(configuration)
    challenge = unhexlify(os.getenv("TUMBLER_CHALLENGE", ""))
    host_entropy = unhexlify(os.getenv("TUMBLER_HOST_ENTROPY", ""))
    blocks = json.loads(configuration)["hal"].get("journal_blocks", 0)
    flash = virtual.FlashImage(image)
    print(json.dumps(provision(virtual.STORAGE, challenge, host_entropy, virtual.entropy, flash, blocks)))
