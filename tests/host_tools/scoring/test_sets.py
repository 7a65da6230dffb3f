"""Whole sets are scored with the right profile, and the popular recipe with them."""

import json
import shutil
from pathlib import Path

import numpy as np

from host_tools.read.runtimes import read_on_host
from host_tools.scoring import load_labels
from host_tools.scoring.baseline import Baseline
from host_tools.scoring.profiles import Profiles
from host_tools.scoring.sets import read_by_recipe, score_set, score_singles

ROOT = Path(__file__).parents[3]
FRAMES = ROOT / "tests/frames"


def few(tmp_path, *names):
    """A set of some committed scenes."""
    lines = []
    for line in (FRAMES / "scenes320/labels.jsonl").read_text().splitlines():
        if json.loads(line)["scene"] in names:
            lines.append(line)
            shutil.copytree(
                FRAMES / "scenes320" / json.loads(line)["scene"], tmp_path / json.loads(line)["scene"]
            )
    (tmp_path / "labels.jsonl").write_text("\n".join(lines))
    return tmp_path


def test_readers_are_scored_side_by_side(tmp_path):
    folder = few(tmp_path, "0004", "0026")
    scores = score_set(
        folder, Profiles(folder, tmp_path / "made"), {"host": read_on_host, "recipe": read_by_recipe}
    )
    assert (scores["host"].tally.all.right, scores["host"].tally.all.refused) == (1, 1)
    assert scores["recipe"].tally.all.scenes == 2
    assert len(scores["host"].times) == 2


def test_a_profile_of_the_set_goes_before_the_shipped_one(tmp_path):
    folder = few(tmp_path, "0004")
    [label] = load_labels(folder)
    profiles = Profiles(folder, tmp_path / "made")
    assert profiles.find(label, 320) == ROOT / "firmware/profiles/white_black_320.json"
    own = folder / "profiles/white_black_320.json"
    own.parent.mkdir()
    own.write_text("{}")
    assert profiles.find(label, 320) == own
    assert profiles.find(label, 640) is None


def test_a_profile_is_made_from_the_pictures_of_the_set(tmp_path):
    folder = few(tmp_path, "0004")
    shutil.copytree(FRAMES / "scenes320/calib", folder / "calib")
    [label] = load_labels(folder)
    made = Profiles(folder, tmp_path / "made").find(label, 320)
    assert made == tmp_path / "made/white_black_320.json"
    assert made is not None
    assert json.loads(made.read_text())["polarity"] == "dark-pips"


def test_scenes_without_a_profile_are_counted(tmp_path):
    folder = few(tmp_path, "0004")
    text = (folder / "labels.jsonl").read_text().replace("white_black", "green_yellow")
    (folder / "labels.jsonl").write_text(text)
    score = score_set(folder, Profiles(folder, tmp_path / "made"), {"host": read_on_host})["host"]
    assert (score.skipped, score.tally.all.scenes) == (1, 0)


def test_photographs_are_scored_by_the_number_and_size_of_their_dice():
    scores = score_singles(FRAMES / "photos")
    assert {name: score.tally.all.scenes for name, score in scores.items()} == {
        "host, no profile": 12,
        "recipe": 12,
    }
    assert scores["host, no profile"].tally.errors == []
    assert scores["host, no profile"].tally.all.right >= 2


def drawn(*faces):
    """Dark pips on light squares far apart."""
    picture = np.full((120, 40 * len(faces) + 40), 40, np.uint8)
    rows, columns = np.mgrid[: picture.shape[0], : picture.shape[1]]
    for number, pips in enumerate(faces):
        x, y = 40 + 40 * number, 60
        picture[y - 13 : y + 13, x - 13 : x + 13] = 170
        for u, v in pips:
            picture[np.hypot(columns - x - 26 * u, rows - y - 26 * v) < 2.6] = 20
    return picture[None]


def test_the_recipe_counts_pips():
    two, three = [(-0.27, -0.27), (0.27, 0.27)], [(-0.27, -0.27), (0, 0), (0.27, 0.27)]
    fields = Baseline(26, light_pips=False, count=2).read(drawn(two, three))
    assert (fields["verdict"], sorted(fields["faces"])) == ("read", [2, 3])
    light = Baseline(26, light_pips=True, count=2).read(255 - drawn(two, three))
    assert sorted(light["faces"]) == [2, 3]
    assert Baseline(26, light_pips=False, count=3).read(drawn(two, three))["verdict"] == "refused"
