"""A configuration is checked as a whole: the example of the docs is right, and every finding is listed."""

import contextlib
import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host_tools.service.config import ConfigError, load_config, read_config

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
