"""The shoe as arithmetic: cards are neither made nor lost, whatever is dealt and corrected."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host_tools.cards.errors import CardImpossible, DecksRefused
from host_tools.cards.shoe import FACES, Shoe, require_decks
from host_tools.rulebooks import load_rulebook

DECKS = st.integers(2, 6)
RULES = load_rulebook("mbs-3-card-sic-bo-2016").decks


@given(DECKS, st.data())
def test_every_card_is_in_the_shoe_or_out_of_it(decks: int, data: st.DataObject) -> None:
    cards = data.draw(st.permutations([face for face in FACES for _ in range(8 * decks)]))
    count = data.draw(st.integers(0, 48 * decks))
    shoe = Shoe(decks, 8)
    for face in cards[:count]:
        shoe = shoe.after(face)
    assert (shoe.size, shoe.left) == (48 * decks, 48 * decks - count)
    assert Counter(shoe.dealt) + Counter(shoe.left_of) == Counter(dict.fromkeys(FACES, 8 * decks))
    assert shoe.completes_a_round == (shoe.left >= 3)


@given(DECKS, st.lists(st.sampled_from(FACES), max_size=320))
def test_a_shoe_deals_no_card_that_it_does_not_have(decks: int, faces: list[int]) -> None:
    shoe = Shoe(decks, 8)
    for face in faces:
        if Counter(shoe.dealt)[face] < 8 * decks:
            shoe = shoe.after(face)
            continue
        with pytest.raises(CardImpossible, match="card-excess or foreign-card"):
            shoe.after(face)
    assert all(0 <= left <= 8 * decks for left in shoe.left_of.values())


@given(DECKS, st.lists(st.sampled_from(FACES), min_size=1, max_size=40), st.data())
def test_a_corrected_card_changes_two_faces_by_one(decks: int, faces: list[int], data: st.DataObject) -> None:
    dealt = [face for place, face in enumerate(faces) if faces[:place].count(face) < 8 * decks]
    shoe = Shoe(decks, 8, tuple(dealt))
    place = data.draw(st.integers(1, len(dealt)))
    face = data.draw(st.sampled_from(FACES))
    wanted = Counter(dealt) - Counter([dealt[place - 1]]) + Counter([face])
    if wanted[face] > 8 * decks:
        with pytest.raises(CardImpossible):
            shoe.with_cards([(place, face)])
        return
    corrected = shoe.with_cards([(place, face)])
    assert Counter(corrected.dealt) == wanted
    assert (corrected.left, corrected.dealt[place - 1]) == (shoe.left, face)


@pytest.mark.parametrize("face", [0, 7, -1, 2.5, "1", None])
def test_a_card_shows_one_to_six(face: object) -> None:
    with pytest.raises(CardImpossible, match="1 to 6"):
        Shoe(2, 8).after(face)  # type: ignore[arg-type]


def test_the_rules_allow_two_to_six_decks() -> None:
    assert RULES is not None
    for decks in range(-1, 10):
        if 2 <= decks <= 6:
            require_decks(RULES, decks)
        else:
            with pytest.raises(DecksRefused, match=r"2 to 6 decks \(clause 2.1, 2.2\)"):
                require_decks(RULES, decks)
