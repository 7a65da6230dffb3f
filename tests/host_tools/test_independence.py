"""The host judges the device, so it shares none of its code, only the definitions and an estimate of times.

Exceptions are those that run the device's code on purpose, to know beforehand what the device will say.
"""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHARED = {"tumbler.definitions", "tumbler.rtt"}  # the round-trip estimate judges nothing
RUN_THE_FIRMWARE = (
    "host_tools/commands/read.py",  # `tumbler read` shows what the device's reader makes of pictures
    "host_tools/read/runtimes.py",  # and starts it
    "host_tools/calibration/",  # a profile is measured and proved with the reader that will use it
    "host_tools/boards/check.py",  # a profile is sound when the device's reader loads it; its camera's limit
    "host_tools/boards/device_check.py",  # a board.json is sound when the device's own check passes it
    "host_tools/virtual_board/",  # it starts the firmware
    "host_tools/pins/",  # they start the firmware on CPython
    "host_tools/faults/",  # it breaks the device's own journal, link and controller
)


def imported(tree):
    """Every module that a source may import, as full names; `from a import b` counts as a.b and a."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in ("import_module", "__import__"):
                yield str(node.args[0].value)


def firmware_parts(source):
    names = {".".join(name.split(".")[:2]) for name in imported(ast.parse(source))}
    return {name for name in names if name.split(".")[0] == "tumbler"}


def test_host_tools_load_nothing_of_the_firmware_but_definitions():
    found = {}
    for path in sorted((ROOT / "host_tools").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        extra = firmware_parts(path.read_text()) - SHARED
        if extra and not name.startswith(RUN_THE_FIRMWARE):
            found[name] = extra
    assert found == {}


def test_the_check_sees_every_way_to_import():
    assert firmware_parts("import tumbler.records.cbor") == {"tumbler.records"}
    assert firmware_parts("from tumbler.records import cbor") == {"tumbler.records"}
    assert firmware_parts("from tumbler import records") == {"tumbler.records"}
    assert firmware_parts("def f():\n    import tumbler.round") == {"tumbler.round"}
    assert firmware_parts("import importlib\nimportlib.import_module('tumbler.link')") == {"tumbler.link"}
    assert firmware_parts("from tumbler.definitions import FACTS") == {"tumbler.definitions"}
    assert firmware_parts("from tumbler import definitions") == {"tumbler.definitions"}
    assert firmware_parts("from host_tools.records import cbor") == set()
