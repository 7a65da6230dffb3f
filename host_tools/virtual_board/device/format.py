"""Format the virtual board's flash image and provision it; prints what the board tells of itself as JSON."""

import json
import os
import sys
from binascii import unhexlify

sys.path[:] = [os.getenv("TUMBLER_FIRMWARE", "")]

from provision import provision  # noqa: E402

from tumbler.hal import virtual  # noqa: E402

image = os.getenv("TUMBLER_FLASH", "")
virtual.format_flash(image)
virtual.mount_flash(image)
with open(os.getenv("TUMBLER_CONFIGURATION", ""), "rb") as file:
    configuration = file.read()
challenge = unhexlify(os.getenv("TUMBLER_CHALLENGE", ""))
host_entropy = unhexlify(os.getenv("TUMBLER_HOST_ENTROPY", ""))
print(json.dumps(provision(virtual.STORAGE, configuration, challenge, host_entropy, virtual.entropy)))
