"""The serial link's device side: frames, go-back-N over journal sequences, authenticated commands."""

from tumbler.link.session import DeviceSession

__all__ = ["DeviceSession"]
