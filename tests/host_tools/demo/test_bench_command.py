"""`tumbler bench`: every benchmark is run; a broken one is told and fails the command, the rest still run."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from host_tools.commands import bench

ROW = {"bench": "good", "what": "sign; textbook", "ours": 2.0, "baseline": 50.0, "ratio": 25.0, "unit": "ms"}
Call = Callable[..., Result]


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Call]:
    folder = tmp_path / "benchmarks"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "good.py").write_text(f"def run():\n    return [{ROW!r}]\n")
    (folder / "bad.py").write_text('def run():\n    raise ValueError("no such clock")\n')
    (folder / "_helper.py").touch()
    monkeypatch.setattr(bench, "ROOT", tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    forget_benchmarks()
    app = typer.Typer()
    app.callback()(lambda: None)
    bench.register(app)
    yield lambda *arguments: CliRunner().invoke(app, ["bench", *arguments])
    forget_benchmarks()


def forget_benchmarks() -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "benchmarks"]:
        del sys.modules[name]


def test_one_benchmark_as_json(call: Call) -> None:
    done = call("good", "--json")
    assert done.exit_code == 0
    assert [json.loads(line) for line in done.stdout.splitlines()] == [ROW]


def test_a_table_for_people(call: Call) -> None:
    done = call("good")
    assert done.exit_code == 0
    for text in ("sign; textbook", "2", "50", "25", "ms"):
        assert text in done.stdout


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_benchmark_that_raises_fails_the_command_but_not_the_others(call: Call, options: list[str]) -> None:
    done = call(*options)
    assert done.exit_code == 1
    assert "ValueError: no such clock" in done.stdout
    assert "sign; textbook" in done.stdout


def test_an_unknown_benchmark_is_named_with_those_there_are(call: Call) -> None:
    done = call("nothing")
    assert done.exit_code == 2
    assert "'nothing'" in done.stderr
    assert "bad, good" in done.stderr
    assert "helper" not in done.stderr


def test_outside_a_checkout_it_says_so(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "ROOT", tmp_path / "elsewhere")
    done = call()
    assert done.exit_code == 2
    assert "checkout" in done.stderr


def test_the_checkout_has_benchmarks() -> None:
    assert "signing" in bench.list_benchmarks(Path(__file__).parents[3] / "benchmarks")
