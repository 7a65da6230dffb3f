"""The page for testers shows the examples that are run, and tells every call that there is."""

import re
from pathlib import Path

from host_tools.testing.tester import BoardUnderTest, PinsUnderTest

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "testers.md").read_text()
EXAMPLES = [path.read_text() for path in (ROOT / "tests" / "examples").glob("test_*.py")]
NOT_FOR_TESTS = {"call", "finish"}  # what the plugin is made of


def test_the_pages_examples_are_those_that_run():
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert blocks
    for block in blocks:
        assert any(block in example for example in EXAMPLES), block


def test_every_call_is_on_the_page():
    for kind in (BoardUnderTest, PinsUnderTest):
        for name in vars(kind):
            if not name.startswith("_") and name not in NOT_FOR_TESTS:
                assert re.search(rf"`[^`]*\b{name}\b", PAGE), name
