"""A run that is stopped anywhere goes on with what it had, and never with another's."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host_tools.twin.run import ASKED, FolderUnusable, Run

ASK = {"seed": 1, "mix": {"a": 2.0}}


def begun(folder: Path, results: int) -> bytes:
    with Run(folder, ASK, "results.jsonl") as run:
        for number in range(results):
            run.add({"number": number})
    return (folder / "results.jsonl").read_bytes()


@given(results=st.integers(0, 5), data=st.data())
def test_cut_off_at_any_byte_it_goes_on_with_whole_results(tmp_path_factory, results: int, data) -> None:
    folder = tmp_path_factory.mktemp("run")
    content = begun(folder, results)
    cut = data.draw(st.integers(0, len(content)))
    (folder / "results.jsonl").write_bytes(content[:cut])
    with Run(folder, ASK, "results.jsonl") as run:
        assert run.done == content[:cut].count(b"\n")
        for number in range(run.done, results):
            run.add({"number": number})
        assert [result["number"] for result in run.results()] == list(range(results))
    assert (folder / "results.jsonl").read_bytes() == content


def test_stopped_before_it_was_known_what_is_asked_it_begins_anew(tmp_path: Path) -> None:
    (tmp_path / "run.new").write_text('{"se')
    assert begun(tmp_path, 1)
    assert json.loads((tmp_path / ASKED).read_text()) == ASK


def test_another_run_in_the_folder_is_left_alone(tmp_path: Path) -> None:
    content = begun(tmp_path, 3)
    with pytest.raises(FolderUnusable, match="was begun with another mix, seed"):
        Run(tmp_path, {"seed": 2, "mix": {}}, "results.jsonl")
    assert (tmp_path / "results.jsonl").read_bytes() == content


def test_a_folder_with_other_files_or_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("keep me")
    with pytest.raises(FolderUnusable, match="holds other files"):
        Run(tmp_path, ASK, "results.jsonl")
    with pytest.raises(FolderUnusable, match="cannot be written"):
        Run(tmp_path / "letter.txt", ASK, "results.jsonl")


def test_a_damaged_run_is_named(tmp_path: Path) -> None:
    begun(tmp_path, 1)
    (tmp_path / ASKED).write_text("{")
    with pytest.raises(FolderUnusable, match="is damaged"):
        Run(tmp_path, ASK, "results.jsonl")
