"""Runs one portable test file under MicroPython: run_portable.py FILE, from the project's root folder.

Prints the counts; the exit status is 0 only when at least one test ran and none failed.
"""

import sys

sys.path[:0] = ["tests/runners/micropython", "firmware", "."]

import unittest  # noqa: E402


def run(path):
    """Run the tests of the file at `path`; True when some ran and all of them passed."""
    folder, _, file = path.rpartition("/")
    sys.path.insert(0, folder)
    module = __import__(file[: -len(".py")])
    passed, failed, skipped = unittest.run_module(module)  # pyright: ignore[reportAttributeAccessIssue]
    print(f"{file}: {passed} passed, {failed} failed, {skipped} skipped")
    return passed > 0 and not failed


if __name__ == "__main__":
    sys.exit(0 if run(sys.argv[1]) else 1)
