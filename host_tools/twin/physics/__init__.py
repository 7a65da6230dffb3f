"""The simulated machine: strokes, gates, vibration and where the dice come to rest. Needs `make twin`."""

from host_tools.twin.physics.provoke import PROVOKED, provoke
from host_tools.twin.physics.tumbler import Mark, Tumbler
from host_tools.twin.physics.watch import Edge, Outcome, Tumble

__all__ = ["PROVOKED", "Edge", "Mark", "Outcome", "Tumble", "Tumbler", "provoke"]
