"""A configuration is checked as a whole: the example of the docs is right, and every finding is listed."""

import asyncio
import contextlib
import re
import tomllib
from pathlib import Path

import pytest
import serialx
from hypothesis import given
from hypothesis import strategies as st

from host_tools.boards import load_board
from host_tools.bridge.examining import Examination
from host_tools.bridge.sink import LedgerSink
from host_tools.ledger import open_ledger
from host_tools.link import SystemClock
from host_tools.records import Registry
from host_tools.records.registry import possession_message
from host_tools.service.config import ConfigError, load_config, read_config
from host_tools.service.devices import make_tumbler
from tests.host_tools.bridge.bridge_rig import Tumbler

SMALL = Path(__file__).resolve().parents[3] / "firmware" / "profiles" / "white_black_160.json"
PAGE = Path(__file__).resolve().parents[3] / "docs" / "service.md"
TABLE = {
    "name": "Table 1",
    "device": "virtual",
    "rulebook": "mbs-electronic-sic-bo-v4",
    "layout": "rapid-select",
}
GOOD = {"service": {"ledger": "ledger.sqlite"}, "tables": [TABLE]}


def example() -> str:
    found = re.search(r"```toml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert found is not None
    return found[1]


def findings(content, folder=Path()):
    with pytest.raises(ConfigError) as refused:
        read_config(content, folder)
    return refused.value.findings


def test_the_example_of_the_docs_is_right(tmp_path):
    (tmp_path / "registry.json").write_text('{"format": 1, "devices": []}')
    (tmp_path / "service.toml").write_text(example())
    config = load_config(tmp_path / "service.toml")
    assert config.api.url == "http://127.0.0.1:8080"
    assert [each.name for each in config.tables] == ["Table 1"]
    assert [(each.name, each.decks) for each in config.cards] == [("Cards 1", 6)]


CARDS = {
    "name": "C",
    "kind": "cards",
    "rulebook": "mbs-3-card-sic-bo-2016",
    "layout": "standard",
    "chip_unit": "1",
}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"decks": 1}, "tables[1].decks: must be from 2 to 6, not 1"),
        ({"decks": 7}, "tables[1].decks: must be from 2 to 6, not 7"),
        ({"decks": True}, "tables[1].decks: must be a whole number"),
        ({"device": "virtual"}, "tables[1].device: is no key here"),
        ({"kind": "dice", "device": "virtual"}, "tables[1].rulebook: mbs-3-card-sic-bo-2016 is played with"),
        ({"kind": "chess"}, "tables[1].kind: must be dice or cards"),
        (
            {"rulebook": "mbs-electronic-sic-bo-v4", "layout": "rapid-select"},
            "tables[1].rulebook: mbs-electronic-sic-bo-v4 is played with dice",
        ),
    ],
)
def test_a_table_of_cards_that_cannot_be_is_told_at_the_start(change, told):
    content = {"service": {"ledger": "l"}, "tables": [{**CARDS, **change}]}
    assert any(each.startswith(told) for each in findings(content)), findings(content)


def test_a_name_is_there_once_among_dice_and_cards():
    dice = {"name": "C", "device": "virtual", "rulebook": "mbs-electronic-sic-bo-v4", "layout": "alfastreet"}
    content = {"service": {"ledger": "l"}, "tables": [CARDS, {**dice, "chip_unit": "2"}]}
    assert findings(content) == ["tables: name 'C' is there twice"]


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"service": {}}, "service.ledger"),
        ({"service": {"ledger": 5}}, "service.ledger"),
        ({"service": {"ledger": "l", "ledgre": "m"}}, "service.ledgre"),
        ({"service": {"ledger": "l", "registry": "missing.json"}}, "service.registry"),
        ({"service": {"ledger": "l", "grace_s": float("nan")}}, "service.grace_s"),
        ({"api": {"host": "0.0.0.0"}}, "api.host"),
        ({"api": {"port": 70000}}, "api.port"),
        ({"api": {"port": True}}, "api.port"),
        ({"api": {"certificate": "missing.pem"}}, "api.certificate"),
        ({"api": []}, "api"),
        ({"tables": []}, "tables"),
        ({"tables": {}}, "tables"),
        ({"tables": [TABLE, TABLE]}, "tables"),
        ({"tables": [{**TABLE, "name": "a/b"}]}, "tables[1].name"),
        ({"tables": [{**TABLE, "device": "12"}]}, "tables[1].device"),
        ({"tables": [{**TABLE, "device": "ab" * 8, "ports": ["/dev/x"]}]}, "tables[1].device"),
        ({"tables": [{**TABLE, "layout": "nonsense"}]}, "tables[1].rulebook"),
        ({"tables": [{**TABLE, "chip_unit": "0.01"}]}, "tables[1].rulebook"),
        ({"tables": [{**TABLE, "rulebook": "mbs-3-card-sic-bo-2016", "layout": "standard"}]}, "tables[1]"),
        ({"tables": [{**TABLE, "rulebook": "duisburg-sic-bo-2019", "layout": "as-printed"}]}, "tables[1]"),
        ({"tables": [{**TABLE, "rounds": "automatic"}]}, "tables[1].betting_s"),
        ({"tables": [{**TABLE, "rounds": "always"}]}, "tables[1].rounds"),
        ({"nonsense": 1}, "nonsense"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(change, place):
    assert any(each.startswith(place) for each in findings({**GOOD, **change}))


def test_everything_that_is_wrong_is_told_at_once():
    told = findings({"service": {}, "api": {"port": -1}, "tables": [{"name": ""}], "mqtt": {"port": "x"}})
    for place in ("service.ledger", "api.port", "tables[1].name", "tables[1].device", "mqtt.port"):
        assert any(each.startswith(place) for each in told)


def test_a_file_that_is_no_toml_is_told(tmp_path):
    for content in (b"[", b"\xff"):
        (tmp_path / "service.toml").write_bytes(content)
        with pytest.raises(ConfigError):
            load_config(tmp_path / "service.toml")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(tmp_path / "missing.toml")


# --- a real table: its line and its evidence ---


@pytest.fixture
def real(tmp_path):
    """The content for a registered tumbler on an OpenMV board, whose ports are in the folder."""
    tumbler = Tumbler()
    registry, challenge = Registry.open(tmp_path / "registry.json"), b"c" * 32
    registry.register(tumbler.device, challenge, tumbler.key.sign(possession_message(tumbler.id, challenge)))
    at = {"board": "openmv", "ports": [str(tmp_path / "tty*")], "baudrate": 921600}
    table = {**TABLE, "device": tumbler.id.hex(), **at}
    return {"service": {"ledger": "l", "registry": "registry.json"}, "tables": [table]}


def with_table(content, **change):
    return {**content, "tables": [{**content["tables"][0], **change}]}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"board": ""}, "tables[1].board: is missing"),
        ({"board": "abacus"}, "tables[1].board: abacus"),
        ({"board": "./mine"}, "tables[1].board:"),
        ({"evidence": "sometimes"}, "tables[1].evidence: must be"),
        ({"evidence": "after", "board": "pico2"}, "tables[1].evidence: a pico2 has no camera"),
        ({"evidence": "after", "profile": "broken.json"}, "tables[1].profile: "),
        ({"evidence": "after", "profile": "none.json"}, "tables[1].profile: there is no"),
        ({"evidence": "after", "profile": str(SMALL)}, "tables[1].profile: is for 160 x 120"),
        (
            {"evidence": "after", "baudrate": 115200, "evidence_within_s": 30},
            "tables[1].evidence_within_s: 30",
        ),
        ({"evidence": "after", "evidence_within_s": 0}, "tables[1].evidence_within_s: must be"),
    ],
)
def test_a_line_or_evidence_that_cannot_work_is_told_at_the_start(tmp_path, real, change, told):
    (tmp_path / "broken.json").write_text("{}")
    assert any(each.startswith(told) for each in findings(with_table(real, **change), tmp_path))


def test_how_evidence_is_looked_at_is_one_thing_with_its_folder(tmp_path, real):
    change = {"evidence": "before-settlement", "evidence_within_s": 45}
    (table,) = read_config(with_table(real, **change), tmp_path).tables
    profile, folder = load_board("openmv").profile, tmp_path / "state" / "evidence" / "Table 1"
    assert profile is not None
    assert table.examination == Examination("before-settlement", folder, profile, 45)
    (table,) = read_config(real, tmp_path).tables
    assert table.examination is None


@pytest.mark.parametrize("board", ["openmv", "esp32-s3", "pico", "blinka"])
async def test_a_tables_line_is_opened_as_its_board_bears_it(tmp_path, real, monkeypatch, board):
    asked, opened = {}, asyncio.Event()

    async def connect(url, **options):
        asked[url] = options
        opened.set()
        raise OSError("nobody there")

    monkeypatch.setattr(serialx, "open_serial_connection", connect)
    (tmp_path / "ttyA").touch()
    (settings,) = read_config(with_table(real, board=board), tmp_path).tables
    tumbler = await make_tumbler(settings, tmp_path)
    with open_ledger(tmp_path / "l") as books:
        sink = LedgerSink(books, Registry.open(tmp_path / "registry.json"), SystemClock())
        running = asyncio.create_task(tumbler.new_session(sink, SystemClock(), only=tumbler.id).run())
        async with asyncio.timeout(20):
            await opened.wait()
        running.cancel()
    options = asked[str(tmp_path / "ttyA")]
    usb = load_board(board).hardware["usb"]
    assert (options["dtr_on_open"].to_bool(), options["rts_on_open"].to_bool()) == (usb["dtr"], usb["rts"])
    assert options["baudrate"] == 921600


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=5,
)
_KEYS = sorted(set(re.findall(r"^# ?(\w+) =|^(\w+) =", example(), re.MULTILINE)))
_NAMES = [first or second for first, second in _KEYS]


@given(st.sampled_from(["service", "api", "mqtt", "tables"]), st.sampled_from(_NAMES), _VALUES)
def test_any_value_in_any_place_is_taken_or_told(section, key, value):
    content = tomllib.loads(example())
    place = content[section][0] if section == "tables" else content.setdefault(section, {})
    place[key] = value
    with contextlib.suppress(ConfigError):
        read_config(content, Path("/nowhere"))
