"""A mix of scenes: what cannot be drawn from is refused by name; draws keep to the shares and the seed."""

from collections import Counter
from pathlib import Path

import pytest

from host_tools.twin.mix import CHOICES, SHIPPED, MixError, choose, load_mix

SHIPPED_TEXT = SHIPPED.read_text()


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "mix.toml"
    path.write_text(text)
    return path


def test_the_shipped_mix_has_every_choice_of_every_table() -> None:
    shares = load_mix().shares
    assert {table: tuple(given) for table, given in shares.items()} == CHOICES


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (("four = 75", "four = 74"), r"\[lamps\]: the shares add up to 99, not 100"),
        (("casino_red", "casino_blue"), r"unknown 'casino_blue'; there are white_black"),
        (("[size]", "[sizes]"), r"unknown table \[sizes\]; a mix has category"),
        (("four = 75\nring = 25", ""), r"add up to 0"),
        (
            ("four = 75\nring = 25", "four = 125\nring = -25"),
            r"four = 125: a share is a number from 0 to 100",
        ),
        (("four = 75", "four = true"), r"four = True"),
        (("four = 75", 'four = "75"'), r"four = '75'"),
        (("four = 75", "four = nan"), r"four = nan"),
        (("four = 75", "four = ="), r"mix.toml: "),
    ],
)
def test_a_mix_that_cannot_be_drawn_from_is_named(
    tmp_path: Path, change: tuple[str, str], named: str
) -> None:
    assert change[0] in SHIPPED_TEXT
    with pytest.raises(MixError, match=named):
        load_mix(written(tmp_path, SHIPPED_TEXT.replace(*change)))


def test_a_missing_table_and_a_missing_file_are_named(tmp_path: Path) -> None:
    with pytest.raises(MixError, match=r"\[category\] is missing"):
        load_mix(written(tmp_path, ""))
    with pytest.raises(MixError, match="No such file"):
        load_mix(tmp_path / "none.toml")


def test_draws_depend_on_seed_and_number_alone_and_keep_to_the_shares() -> None:
    mix = load_mix()
    draws = [mix.draw(7, number) for number in range(4000)]
    assert draws == [mix.draw(7, number) for number in range(4000)]
    assert draws[100] == load_mix().draw(7, 100)
    assert draws[:50] != [mix.draw(8, number) for number in range(50)]
    for table, shares in mix.shares.items():
        counted = Counter(getattr(draw, table) for draw in draws)
        for choice, share in shares.items():
            assert counted[choice] / 40 == pytest.approx(share, abs=3.5)


def test_the_order_of_a_file_decides_nothing(tmp_path: Path) -> None:
    turned = SHIPPED_TEXT.replace("four = 75\nring = 25", "ring = 25\nfour = 75")
    assert turned != SHIPPED_TEXT
    other = load_mix(written(tmp_path, turned))
    assert [other.draw(1, n) for n in range(200)] == [load_mix().draw(1, n) for n in range(200)]


def test_a_share_of_nothing_is_never_drawn(tmp_path: Path) -> None:
    mix = load_mix(written(tmp_path, SHIPPED_TEXT.replace("four = 75\nring = 25", "four = 100\nring = 0")))
    assert {mix.draw(1, n).lamps for n in range(300)} == {"four"}


def test_what_is_chosen_by_name_takes_the_place_of_the_draw() -> None:
    draw = load_mix().draw(1, 0)
    assert choose(draw, {"style": "ivory_black"}).style == "ivory_black"
    assert choose(draw, {}) == draw
    with pytest.raises(MixError, match="no style 'ivory'; there are white_black"):
        choose(draw, {"style": "ivory"})
