"""Every language has words for all that the service can say, and the page asks for none that is not there."""

import json
import re
from pathlib import Path

import pytest

from host_tools.bridge import examining
from host_tools.cards.table import REFERRED
from host_tools.console import PAGE
from host_tools.people.roles import Role
from host_tools.rulebooks import CARD_FACTS, DICE_FACTS, HOST_FACTS, list_rulebooks
from host_tools.rulebooks.wagers import KINDS
from host_tools.service.deciding import DOUBTED
from host_tools.service.steps import CARD_STEPS, REMEDIES, STEPS
from tumbler.definitions import DEVICE_STATES, PLAY_MODES

TEXTS = PAGE / "texts"
LANGUAGES = json.loads((TEXTS / "languages.json").read_text(encoding="utf-8"))
WORDS = {code: json.loads((TEXTS / f"{code}.json").read_text(encoding="utf-8")) for code in LANGUAGES}
SOURCES = [path.read_text(encoding="utf-8") for path in PAGE.rglob("*.js")]
ROUND_STATES = [
    "opening",
    "opened",
    "betting",
    "closing",
    "closed",
    "held",
    "settled",
    "void",
    "referred",
]


def test_that_english_and_german_are_there():
    assert {"en", "de"} <= set(LANGUAGES)
    assert {path.stem for path in TEXTS.glob("*.json")} == {*LANGUAGES, "languages"}


@pytest.mark.parametrize("code", LANGUAGES)
def test_that_a_language_has_the_same_words_as_english(code):
    assert WORDS[code].keys() == WORDS["en"].keys()
    assert all(text.strip() for text in WORDS[code].values())


@pytest.mark.parametrize("code", LANGUAGES)
def test_that_a_translation_leaves_out_no_figure(code):
    holes = {key: sorted(re.findall(r"\{(\w+)\}", text)) for key, text in WORDS[code].items()}
    assert holes == {key: sorted(re.findall(r"\{(\w+)\}", text)) for key, text in WORDS["en"].items()}


@pytest.mark.parametrize("code", LANGUAGES)
def test_that_there_are_words_for_all_that_the_service_says(code):
    said = [f"step.{each}" for each in (*STEPS, *CARD_STEPS)]
    said += [f"state.{each}" for each in (*ROUND_STATES, "idle")]
    said += [f"device.{each}" for each in DEVICE_STATES]
    said += [f"mode.{each}" for each in PLAY_MODES]
    facts = (*DICE_FACTS, *HOST_FACTS, *CARD_FACTS, *examining.FACTS, DOUBTED, REFERRED)
    said += [f"fact.{each}" for each in facts]
    said += [f"remedy.{each}" for each in REMEDIES]
    said += [f"role.{each}" for each in Role]
    said += [f"wager.{each}" for each in KINDS]
    said += [f"rulebook.{each.id}" for each in list_rulebooks()]
    said += [f"layout.{layout}" for each in list_rulebooks() for layout in each.layouts]
    assert [each for each in said if each not in WORDS[code]] == []


def test_that_the_page_asks_only_for_words_that_are_there():
    asked = {key for source in SOURCES for key in re.findall(r'\bt\(\s*"([^"]+)"', source)}
    assert len(asked) > 100
    assert asked - WORDS["en"].keys() == set()


def test_that_no_word_is_kept_for_nothing():
    whole = "\n".join(SOURCES)
    families = set(re.findall(r'word\(\s*"([^"]+)"', whole))
    families |= {family.rstrip(".") for family in re.findall(r"`([a-z-]+\.)\$\{", whole)}
    unused = [
        key
        for key in WORDS["en"]
        if f'"{key}"' not in whole and not any(key.startswith(f"{family}.") for family in families)
    ]
    suffixed = [key for key in unused if not key.endswith("-of")]
    assert suffixed == []


def test_that_the_german_rulebook_is_announced_in_its_own_words():
    source = (PAGE / "announcements.js").read_text(encoding="utf-8")
    rules = Path(__file__).parents[3] / "host_tools/rulebooks/data/duisburg-sic-bo-2019.toml"
    assert "Keine Einsätze mehr" in rules.read_text(encoding="utf-8")
    for words in ("Keine Einsätze mehr", "Ungültiges Spiel", "Ihre Einsätze bitte"):
        assert words in source
    for rulebook in list_rulebooks():
        assert f'"{rulebook.id}"' in source
