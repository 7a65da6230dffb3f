"""The serial link's host side: frames, the port, and the session that acknowledges only what is durable."""

from host_tools.link.bus import Bus
from host_tools.link.clock import Clock, SystemClock
from host_tools.link.commands import Reply
from host_tools.link.errors import (
    CommandInvalid,
    CommandTimeout,
    DeviceQuarantined,
    DeviceRestarted,
    EvidenceGone,
    EvidenceWrong,
    LinkError,
    MessageInvalid,
    SessionStopped,
    TransportLost,
    UnknownDevice,
)
from host_tools.link.evidence import EvidenceFile
from host_tools.link.identity import open_by_identity
from host_tools.link.observer import Observer
from host_tools.link.questions import Questions, Recalled
from host_tools.link.session import Event, HostSession, RecordSink
from host_tools.link.transport import OpenPolicy, SerialTransport, Transport, open_serial

__all__ = [
    "Bus",
    "Clock",
    "CommandInvalid",
    "CommandTimeout",
    "DeviceQuarantined",
    "DeviceRestarted",
    "Event",
    "EvidenceFile",
    "EvidenceGone",
    "EvidenceWrong",
    "HostSession",
    "LinkError",
    "MessageInvalid",
    "Observer",
    "OpenPolicy",
    "Questions",
    "Recalled",
    "RecordSink",
    "Reply",
    "SerialTransport",
    "SessionStopped",
    "SystemClock",
    "Transport",
    "TransportLost",
    "UnknownDevice",
    "open_by_identity",
    "open_serial",
]
