"""The serial link's host side: frames, the port, and the session that acknowledges only what is durable."""

from host_tools.link.errors import (
    CommandInvalid,
    CommandTimeout,
    DeviceQuarantined,
    DeviceRestarted,
    LinkError,
    MessageInvalid,
    SessionStopped,
    TransportLost,
    UnknownDevice,
)
from host_tools.link.session import Clock, Event, HostSession, RecordSink, Reply, SystemClock
from host_tools.link.transport import SerialTransport, Transport, open_serial

__all__ = [
    "Clock",
    "CommandInvalid",
    "CommandTimeout",
    "DeviceQuarantined",
    "DeviceRestarted",
    "Event",
    "HostSession",
    "LinkError",
    "MessageInvalid",
    "RecordSink",
    "Reply",
    "SerialTransport",
    "SessionStopped",
    "SystemClock",
    "Transport",
    "TransportLost",
    "UnknownDevice",
    "open_serial",
]
