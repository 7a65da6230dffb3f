"""Whether a message of the host is authentic: it was sealed with the host key, for this conversation."""

from tumbler.definitions import MAC_BYTES
from tumbler.link.hmac import equal, hmac_sha256
from tumbler.records.messages import mac_input


class Seal:
    """`host_key`: the device's HMAC key; `session`: in every MAC, so that none fits once it has changed."""

    def __init__(self, host_key, session):
        self._host_key = host_key
        self.session = session

    def fits(self, name, values):
        """True when `mac` of the message `name` (of definitions.SEALED) is that of its other values."""
        mac = hmac_sha256(self._host_key, mac_input(name, self.session, values))
        return equal(mac[:MAC_BYTES], values["mac"])
