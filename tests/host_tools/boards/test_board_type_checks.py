"""Each board's type check sees its own MicroPython: what another port has and this one lacks is an error."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from host_tools.boards import BOARDS

PYRIGHT = Path(sys.executable).with_name("pyright")
COUNTER = "import machine\nmachine.Counter(0)\n"
# board, code, whether the board has what it uses
CASES = [
    ("pico", COUNTER, False),
    ("pico2", COUNTER, False),
    ("esp32-s3", COUNTER, True),
    ("esp32-s3", "from camera import Camera\nCamera().capture()\n", True),
    ("esp32-s3", "from camera import Camera\nCamera().snapshot()\n", False),
    ("openmv", "import csi\ncsi.CSI().snapshot()\n", True),
    ("openmv", "import csi\ncsi.CSI().capture()\n", False),
    ("pico", "import csi\n", False),
]


@pytest.mark.parametrize("name", ["pico", "pico2", "esp32-s3", "openmv"])
def test_the_check_tells_ports_apart(name, tmp_path):
    config = json.loads((BOARDS / name / "pyrightconfig.json").read_bytes())
    assert (BOARDS / name / config["stubPath"]).is_dir(), "the stubs are not installed: run make test"
    expected = {}
    for number, (board, code, sound) in enumerate(CASES):
        if board == name:
            (tmp_path / f"case{number}.py").write_text(code)
            expected[f"case{number}.py"] = sound
    for key in ("stubPath", "typeshedPath"):
        config[key] = str((BOARDS / name / config[key]).resolve())
    config["extraPaths"] = [str((BOARDS / name / path).resolve()) for path in config["extraPaths"]]
    del config["venv"], config["venvPath"]
    config |= {"include": ["."], "exclude": []}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(config))
    command = [PYRIGHT, "--project", tmp_path, "--outputjson"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)
    told = {Path(each["file"]).name for each in json.loads(done.stdout)["generalDiagnostics"]}
    assert {file: file not in told for file in expected} == expected
