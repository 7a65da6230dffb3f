"""Scenes by category and seed, from exact contact geometry and without physics.

What a scene is called here says how it was made; what it shows is said by `host_tools.twin.truth` alone.
"""

from host_tools.twin.placing.layouts import CATEGORIES, place

__all__ = ["CATEGORIES", "place"]
