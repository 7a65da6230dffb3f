"""Cameras of the twin: pictures of a scene under each lamp, from a seed.

`Rig.drawn` makes a machine's camera and lamps, `Tracer(rig).render(scene, style, rng)` a picture.
"""

from host_tools.twin.camera.errors import CameraError, LampError, SizeError, StyleError
from host_tools.twin.camera.lens import Lens
from host_tools.twin.camera.picture import Picture
from host_tools.twin.camera.rig import Lamp, Rig
from host_tools.twin.camera.sensor import Sensor
from host_tools.twin.camera.styles import BRANDS, STYLES, Brand, Style, style_named
from host_tools.twin.camera.trace import Tracer
from host_tools.twin.camera.trouble import TROUBLES, Troubled, TroubleError

__all__ = [
    "BRANDS",
    "STYLES",
    "TROUBLES",
    "Brand",
    "CameraError",
    "Lamp",
    "LampError",
    "Lens",
    "Picture",
    "Rig",
    "Sensor",
    "SizeError",
    "Style",
    "StyleError",
    "Tracer",
    "TroubleError",
    "Troubled",
    "style_named",
]
