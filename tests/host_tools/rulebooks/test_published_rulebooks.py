"""The built-in rulebooks are the published documents: wagers, odds, wins, limits, rulings and edges."""

from fractions import Fraction

import pytest

from host_tools.rulebooks import DATA, list_rulebooks, load_rulebook, read_rulebook
from host_tools.rulebooks.odds import DICE, DecksError, layout_edges, player_advantages, shoe_of, ways
from tests.host_tools.published_rules import LAYOUTS, ODDS, differences

BOOKS = list(ODDS)


def test_the_five_documents_are_there():
    assert sorted(ODDS) == [rulebook.id for rulebook in list_rulebooks()]


@pytest.mark.parametrize("book", BOOKS)
def test_a_rulebook_is_what_its_document_prints(book):
    assert list(differences(load_rulebook(book))) == []


@pytest.mark.parametrize(
    ("book", "layout", "kinds", "wagers"),
    [
        ("mbs-electronic-sic-bo-v4", "rapid-select", 13, 104),
        ("mbs-electronic-sic-bo-v4", "alfastreet", 8, 50),
        ("rws-sic-bo-etg-v8", "pay-table-1", 11, 56),
        ("rws-sic-bo-etg-v8", "pay-table-2", 13, 104),
        ("rws-sic-bo-etg-v8", "pay-table-3", 13, 104),
        ("duisburg-sic-bo-2019", "as-printed", 8, 50),
        ("mbs-3-card-sic-bo-2016", "standard", 6, 19),
    ],
)
def test_layouts_offer_as_many_kinds_and_wagers_as_counted_by_hand(book, layout, kinds, wagers):
    chosen = load_rulebook(book).layout(layout)
    assert (len(chosen.sections), len(chosen.offers)) == (kinds, wagers)


@pytest.mark.parametrize(
    ("book", "mode", "tumbles", "effective"),
    [
        ("mbs-electronic-sic-bo-v4", "covered", 3, "2022-09-20T09:00"),
        ("rws-sic-bo-etg-v8", "covered", 3, "not stated"),
        ("rws-sic-bo-open-cover-2021", "open", 3, "2021-01-18T08:00"),
        ("duisburg-sic-bo-2019", "open", 1, "2019-01"),
        ("mbs-3-card-sic-bo-2016", "cards", 0, "2016-11-15"),
    ],
)
def test_play_modes_and_dates(book, mode, tumbles, effective):
    rulebook = load_rulebook(book)
    assert (rulebook.play_mode, rulebook.minimum_tumbles, rulebook.effective) == (mode, tumbles, effective)


def test_what_duisburg_leaves_open_says_so():
    for ruling in load_rulebook("duisburg-sic-bo-2019").irregularities.values():
        assert ruling.note.startswith("not stated") == (ruling.action == "refer")


# The published figures: (ways, edge) by kind, for 64:1 tables, Pay Table 3 and Duisburg.
EDGES = {
    "64": {
        **dict.fromkeys(("small", "big", "odd", "even"), (105, "1/36")),
        **dict.fromkeys(("total:4", "total:17"), (3, "7/72")),
        **dict.fromkeys(("total:5", "total:16"), (6, "1/12")),
        **dict.fromkeys(("total:6", "total:15"), (10, "2/27")),
        **dict.fromkeys(("total:7", "total:14"), (15, "7/72")),
        **dict.fromkeys(("total:8", "total:13"), (21, "11/144")),
        **dict.fromkeys(("total:9", "total:12"), (25, "2/27")),
        **dict.fromkeys(("total:10", "total:11"), (27, "1/16")),
        "domino": (30, "1/36"),
        "single": (91, "1/27"),
        "double": (16, "2/27"),
        "any-triple": (6, "1/12"),
        "triple": (1, "5/54"),
        "four-number": (24, "1/18"),
        "three-single": (6, "5/36"),
        "double-single": (3, "7/24"),
    }
}
EDGES["62"] = EDGES["64"] | {
    **dict.fromkeys(("total:4", "total:17"), (3, "1/8")),
    **dict.fromkeys(("total:5", "total:16"), (6, "1/9")),
    **dict.fromkeys(("total:6", "total:15"), (10, "13/108")),
    **dict.fromkeys(("total:8", "total:13"), (21, "1/8")),
    **dict.fromkeys(("total:10", "total:11"), (27, "1/8")),
    "double": (16, "1/9"),
    "any-triple": (6, "1/9"),
    "triple": (1, "35/216"),
    "four-number": (24, "1/9"),
}
EDGES["65"] = EDGES["62"] | {
    **dict.fromkeys(("total:4", "total:17"), (3, "1/12")),
    **dict.fromkeys(("total:5", "total:16"), (6, "1/18")),
    **dict.fromkeys(("total:6", "total:15"), (10, "2/27")),
    "any-triple": (6, "1/18"),
    "triple": (1, "25/216"),
}
EDGES["65 as printed"] = EDGES["65"] | {"big": (132, "-2/9")}


@pytest.mark.parametrize(("book", "layout"), [each for each in LAYOUTS if "3-card" not in each[0]])
def test_house_edges_are_the_published_ones(book, layout):
    rulebook = load_rulebook(book)
    table = {"as-printed": "65 as printed", "big-from-11": "65", "pay-table-3": "62"}.get(layout, "64")
    edges = layout_edges(rulebook, rulebook.layout(layout))
    assert len(edges) == len(ODDS[book][layout])
    for edge in edges:
        ways_to_win, published = EDGES[table].get(edge.wager) or EDGES[table][edge.wager.partition(":")[0]]
        assert (edge.wager, edge.ways, str(edge.edge)) == (edge.wager, ways_to_win, published)
        assert edge.of == 216


CARD_EDGES = {
    2: ("21/893", "221/893", "15.34 14.00 12.55 10.32 12.12 6.56 11.58"),
    3: ("23/923", "187/923", "14.37 13.01 12.39 10.12 12.24 6.85 11.89"),
    4: ("93/3629", "653/3629", "13.89 12.53 12.30 10.01 12.31 6.99 12.04"),
    5: ("741/28441", "4729/28441", "13.61 12.24 12.25 9.95 12.34 7.08 12.13"),
    6: ("1081/41041", "6449/41041", "13.42 12.05 12.22 9.91 12.37 7.13 12.20"),
}


@pytest.mark.parametrize("decks", CARD_EDGES)
def test_card_edges_without_replacement_are_the_published_ones(decks):
    rulebook = load_rulebook("mbs-3-card-sic-bo-2016")
    edges = {edge.wager: edge for edge in layout_edges(rulebook, rulebook.layout("standard"), decks)}
    even, triple, totals = CARD_EDGES[decks]
    assert [str(edges[wager].edge) for wager in ("small", "big", "odd", "even")] == [even] * 4
    assert str(edges["any-triple"].edge) == triple
    for low, percent in enumerate(totals.split(), 4):
        assert f"{float(edges[f'total:{low}'].edge) * 100:.2f}" == percent
        assert edges[f"total:{low}"].edge == edges[f"total:{21 - low}"].edge


def test_card_ways_count_every_draw_from_a_deck():
    deck = [face for face in range(1, 7) for _ in range(8)]
    counted: dict[tuple[int, ...], int] = {}
    for first in range(48):
        for second in range(first):
            for third in range(second):
                faces = tuple(sorted((deck[first], deck[second], deck[third])))
                counted[faces] = counted.get(faces, 0) + 1
    assert dict(ways(8)) == counted


def test_dice_ways_are_216_throws_in_56_multisets():
    assert (len(ways(DICE)), sum(ways(DICE).values())) == (56, 216)


def test_decks_are_refused_outside_the_rules():
    cards = load_rulebook("mbs-3-card-sic-bo-2016")
    for decks in (0, 1, 7, -1):
        with pytest.raises(DecksError, match="2 to 6"):
            shoe_of(cards, decks)
    with pytest.raises(DecksError, match="dice"):
        shoe_of(load_rulebook("duisburg-sic-bo-2019"), 2)


def test_only_duisburg_as_printed_favours_the_player():
    found = {
        (book, layout, edge.wager): edge.edge
        for book, layout in LAYOUTS
        for edge in player_advantages(load_rulebook(book), load_rulebook(book).layout(layout))
    }
    assert found == {("duisburg-sic-bo-2019", "as-printed", "big"): Fraction(-2, 9)}


def test_every_entry_cites_its_clause():
    for rulebook in list_rulebooks():
        cited = [
            rulebook.play_clause,
            rulebook.tumbles_clause,
            rulebook.referral_clause,
            rulebook.closing.clause,
        ]
        cited += [ruling.clause for ruling in rulebook.irregularities.values()]
        for limits in rulebook.limits.values():
            cited += [limits.clause, *(most.clause for most in limits.maxima.values())]
        for layout in rulebook:
            cited.append(layout.clause)
            for offer in layout.offers.values():
                cited += [offer.condition.clause, offer.odds_clause]
        assert all(cited)


@pytest.mark.parametrize(
    ("before", "after", "wager", "edge"),
    [
        ('{ 1 = "1", 2 = "2", 3 = "12" }', '{ 1 = "1", 2 = "2", 3 = "3" }', "single:1", "17/216"),
        ('{ 1 = "1", 2 = "2", 3 = "12" }', '{ 1 = "1", 2 = "1", 3 = "1" }', "single:1", "17/108"),
        ('{ 2 = "11.5", 3 = "11.5" }', '{ 2 = "11", 3 = "11" }', "double:1", "1/9"),
        ('{ 2 = "11.5", 3 = "11.5" }', '{ 2 = "12", 3 = "12" }', "double:1", "1/27"),
        ('odds = "8.5"', 'odds = "8"', "total:8", "1/8"),
        ('odds = "8.5"', 'odds = "9"', "total:8", "1/36"),
        ('odds = "6.5"', 'odds = "6"', "total:10", "1/8"),
        ('odds = "6.5"', 'odds = "7"', "total:10", "0"),
        ('odds = "7.5"', 'odds = "7"', "four-number:1-2-3-4", "1/9"),
    ],
)
def test_known_mistakes_have_the_edges_computed_for_them(tmp_path, before, after, wager, edge):
    text = (DATA / "mbs-electronic-sic-bo-v4.toml").read_text(encoding="utf-8")
    assert before in text
    file = tmp_path / "mistaken.toml"
    file.write_text(text.replace(before, after), encoding="utf-8")
    rulebook = read_rulebook(file)
    edges = {each.wager: str(each.edge) for each in layout_edges(rulebook, rulebook.layout("rapid-select"))}
    assert edges[wager] == edge
    found = {each.wager for each in player_advantages(rulebook, rulebook.layout("rapid-select"))}
    assert found == ({"total:10", "total:11"} if edge == "0" else set())


def test_only_duisburgs_dealer_enters_the_dice_by_hand():
    told = {each.id: each.manual_entry for each in list_rulebooks() if each.manual_entry}
    assert told == {"duisburg-sic-bo-2019": "Anlage 1, Absatz 3"}
