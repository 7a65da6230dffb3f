"""The profile to read a labelled scene with: the set's own, one made from its pictures, or a shipped one.

A set's `profiles` holds STYLE_WIDTH.json, or SIZE-LAMPS/STYLE.json. Its `calib` holds the pictures that an
engineer takes: `empty` and STYLE/face1 to face6, or a folder SIZE-LAMPS for each machine with STYLE/empty and
STYLE/face1 to face6.
"""

from pathlib import Path

from host_tools.calibration import Calibration, CalibrationError, Rig, load, write_profile
from host_tools.scoring.labels import Label
from host_tools.second_reader.profile import DARK_PIPS, LIGHT_PIPS

SHIPPED = Path(__file__).resolve().parents[2] / "firmware/profiles"
LIGHT_STYLES = {"black_white", "casino_red"}


class Profiles:
    """The profiles of a set in `folder`; those made from its pictures are kept in `made`."""

    def __init__(self, folder: Path, made: Path) -> None:
        self._folder = folder
        self._made = made
        self.refused: dict[str, str] = {}  # name of a profile that calibration refused -> why

    def find(self, label: Label, width: int) -> Path | None:
        """The profile of a scene's machine and dice, None when there is none. Raises ImageError, OSError."""
        machine = "-".join(label.fields[name] for name in ("size", "lamps") if name in label.fields)
        name = f"{machine}/{label.style}.json" if machine else f"{label.style}_{width}.json"
        own = self._folder / "profiles" / name
        if own.exists():
            return own
        if (self._folder / "calib" / machine / label.style).is_dir():
            return self._make(label.style, self._folder / "calib" / machine, self._made / name)
        shipped = SHIPPED / name
        return shipped if shipped.exists() else None

    def _make(self, style: str, pictures: Path, path: Path) -> Path | None:
        key = str(path.relative_to(self._made))
        if path.exists() or key in self.refused:
            return path if path.exists() else None
        path.parent.mkdir(parents=True, exist_ok=True)
        shared = (pictures / "empty").is_dir()
        empty = pictures / "empty" if shared else pictures / style / "empty"
        try:
            calibration = Calibration(load(empty), Rig(), lambda text: None)
            white = pictures / "white_black"
            matt = white if white.is_dir() else pictures / style
            calibration.measure_light(matt)
            calibration.measure_gains(matt)
            polarity = LIGHT_PIPS if style in LIGHT_STYLES else DARK_PIPS
            write_profile(calibration.profile(style, polarity, pictures / style), path)
        except CalibrationError as error:
            self.refused[key] = str(error)
            return None
        return path
