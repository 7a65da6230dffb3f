"""Labelled sets on disk: the same for the same seed, whatever the processes and wherever it was stopped."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from host_tools.images import load_frame, load_scene
from host_tools.scoring import load_labels
from host_tools.twin.dataset import write_dataset
from host_tools.twin.mix import Mix, load_mix

TUMBLER = os.fspath(Path(sys.executable).with_name("tumbler"))
SMALL = load_mix().shares | {
    "size": {"160x120": 100.0},
    "style": {"white_black": 60.0, "black_white": 40.0},
    "lamps": {"four": 50.0, "ring": 50.0},
}
MIX = Mix(SMALL)
SCENES = 6


def toml(shares: dict[str, dict[str, float]]) -> str:
    tables = (
        f"[{table}]\n" + "".join(f"{name} = {share}\n" for name, share in of.items())
        for table, of in shares.items()
    )
    return "\n".join(tables)


def digests(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files
    }


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("set") / "whole"
    assert write_dataset(folder, MIX, SCENES, 5, 1) == SCENES
    return folder


def test_every_scene_has_its_frames_and_its_label_in_order(whole: Path) -> None:
    labels = load_labels(whole)
    assert [label.name for label in labels] == [f"{number:06d}" for number in range(SCENES)]
    for label in labels:
        if label.fields["lamps"] == "four":
            assert {(frame.width, frame.height) for frame in load_scene(label.path)} == {(160, 120)}
        else:
            assert [path.name for path in label.path.iterdir()] == ["lamp0.png"]
            assert load_frame(label.path / "lamp0.png").width == 160
        assert len(label.dice) == len(label.values)
        assert {label.fields[axis] for axis in ("size", "renderer", "trouble")} <= {
            *SMALL["size"],
            *SMALL["renderer"],
            *SMALL["trouble"],
        }


def test_pictures_to_calibrate_by_are_there_for_all_dice_and_lamps_of_the_mix(whole: Path) -> None:
    for lamps, frames in (("four", 4), ("ring", 1)):
        for style in SMALL["style"]:
            folder = whole / "calib" / f"160x120-{lamps}" / style
            assert sorted(path.name for path in folder.iterdir()) == [
                "empty",
                *(f"face{n}" for n in range(1, 7)),
            ]
            for scene in folder.iterdir():
                assert len(list(scene.iterdir())) == frames


def test_other_processes_and_a_set_that_grew_give_the_same_files(whole: Path, tmp_path: Path) -> None:
    write_dataset(tmp_path / "grown", MIX, 2, 5, 2)
    write_dataset(tmp_path / "grown", MIX, SCENES, 5, 2)
    assert digests(tmp_path / "grown") == digests(whole)


def test_killed_in_the_middle_it_goes_on_to_the_same_files(whole: Path, tmp_path: Path) -> None:
    out, mix = tmp_path / "killed", tmp_path / "mix.toml"
    mix.write_text(toml(SMALL))
    command = [
        TUMBLER,
        "twin",
        "dataset",
        out,
        "--scenes",
        str(SCENES),
        "--seed",
        "5",
        "--mix",
        mix,
        "--jobs",
        "2",
    ]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as killed:
        until = time.monotonic() + 100
        while not (out / "labels.jsonl").exists() or not (out / "labels.jsonl").read_bytes():
            assert time.monotonic() < until
            time.sleep(0.02)
        killed.send_signal(signal.SIGKILL)
    assert killed.returncode == -signal.SIGKILL
    (out / "labels.jsonl").open("ab").write(b'{"scene": "00')
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"folder": str(out), "scenes": SCENES}
    assert digests(out) == digests(whole)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--scenes", "0"], "scenes"),
        (["--scenes", "1", "--mix", "none.toml"], "none.toml: No such file"),
        (["--scenes", "1", "--jobs", "0"], "jobs"),
        (["--scenes", "1", "--seed", "-1"], "seed"),
        ([], "scenes"),
    ],
)
def test_bad_usage_is_named(arguments: list[str], named: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [TUMBLER, "twin", "dataset", tmp_path / "out", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert named in done.stderr
    assert done.stdout == ""
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_written_is_named() -> None:
    command = [TUMBLER, "twin", "dataset", "/proc/none", "--scenes", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "/proc/none: cannot be written" in done.stderr
