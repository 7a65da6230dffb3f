"""What can go wrong on the link, each with what to do about it."""


class LinkError(Exception):
    """Base of the link's errors."""


class TransportLost(LinkError):
    """The port is gone or cannot be opened; the session opens it again by itself."""


class UnknownDevice(LinkError):
    """No device of that id is registered; raised by a sink's `host_key`. Provision or register it first."""


class MessageInvalid(LinkError, ValueError):
    """A body that is not a message of this protocol; the text names the message and the field."""


class CommandInvalid(LinkError, ValueError):
    """Not a command of the protocol, or not its arguments; nothing was sent."""


class CommandTimeout(LinkError):
    """No reply in time. The device may still carry the command out: look at its records before going on."""


class DeviceRestarted(LinkError):
    """The device rebooted while a command was outstanding. Look at its records to see what was done."""


class DeviceQuarantined(LinkError):
    """A record of the device was refused, so it gets no commands until a person has looked at it."""


class SessionStopped(LinkError):
    """The session's `run` ended while a command was outstanding, or before it could be sent."""


class EvidenceGone(LinkError):
    """The device keeps no such frames: it has no room for any, was restarted or has read others since."""


class EvidenceWrong(LinkError):
    """Frames came whole, but are not those of the record: ask again, and doubt the record meanwhile."""
