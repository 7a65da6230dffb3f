"""The service's configuration: one TOML file, read and checked as a whole before anything starts.

Every finding is listed with its place, so that one look is enough to put the file right. Paths are relative
to the file. docs/service.md has an example that the tests load.
"""

import ipaddress
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from host_tools import settlement
from host_tools.boards import Board, BoardFileError, known_boards, load_board
from host_tools.bridge.examining import Examination
from host_tools.outbox.mqtt import MqttSettings
from host_tools.records import Registry, RegistryError
from host_tools.records.errors import UnknownDevice
from host_tools.rulebooks import RulebookError, UnknownLayoutError, UnknownRulebookError, load_rulebook
from host_tools.service.evidence_settings import read_examination
from host_tools.service.reading import Section
from host_tools.settlement.table import MOST_DECIMALS

VIRTUAL = "virtual"  # in place of a device's id: a tumbler made of software
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}")
_LONGEST_S = 3600.0


class ConfigError(Exception):
    """The configuration cannot be used; `findings` lists everything that is wrong with it."""

    def __init__(self, findings: list[str]) -> None:
        self.findings = findings
        super().__init__("\n".join(findings))


@dataclass(frozen=True, slots=True)
class ApiSettings:
    """Where the API listens; `certificate` and `key` are PEM files and turn on TLS; `requests_per_s` is what
    one person, program or unknown address may ask."""

    host: str
    port: int
    certificate: Path | None
    key: Path | None
    requests_per_s: float

    @property
    def url(self) -> str:
        """Where people find it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.certificate else 'http'}://{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class TableSettings:
    """One table. `device` is the tumbler's id, None for a virtual one (by `seed`, at `speed` times real time,
    playing the `scenario` file if there is one); `ports` are where its line may be, and `board` (a name, or a
    file of the operator's own) says how it bears being opened.

    `automatic`: rounds follow each other by themselves. `betting_s`: how long bets stay open, 0 until no more
    bets is asked for; `between_s`: the shortest time from the end of a round to the next one. `examination`:
    how the second reader looks at the pictures of readings; None: they are not kept.
    """

    name: str
    device: bytes | None
    ports: tuple[str, ...]
    board: str
    baudrate: int
    terms: settlement.Table
    automatic: bool
    betting_s: float
    between_s: float
    examination: Examination | None
    seed: str
    speed: float
    scenario: Path | None


@dataclass(frozen=True, slots=True)
class CardsSettings:
    """One table of cards, whose shoes have so many `decks`; `betting_s` and `between_s` are as for dice."""

    name: str
    terms: settlement.Table
    decks: int
    betting_s: float
    between_s: float


@dataclass(frozen=True, slots=True)
class ServiceConfig:
    """Everything that a service is told: `tables` of dice and of `cards`. `ledger` is a SQLite file or a
    PostgreSQL URL; `state` the folder of evidence pictures and virtual boards; a proposal lapses after
    `proposal_s`; a stop waits `grace_s` for rounds to end."""

    ledger: Path | str
    registry: Path | None
    state: Path
    proposal_s: float
    grace_s: float
    api: ApiSettings
    mqtt: MqttSettings | None
    tables: tuple[TableSettings, ...]
    cards: tuple[CardsSettings, ...] = ()


def load_config(path: Path) -> ServiceConfig:
    """Read and check the file. Raises ConfigError."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError([f"{path}: cannot be read: {error.strerror}"]) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError([f"{path}: {error}"]) from error
    return read_config(content, path.resolve().parent)


def read_config(content: dict[str, Any], folder: Path) -> ServiceConfig:
    """Check a configuration's content; its paths are relative to `folder`. Raises ConfigError."""
    findings: list[str] = []
    top = Section("", content, folder, findings)
    service = top.section("service")
    registry = service.path("registry", exists=True)
    devices = _devices(registry, findings)
    state = service.path("state") or folder / "state"
    evidence = state / "evidence"
    tables = _tables(top.sections("tables"), devices, evidence)
    made = ServiceConfig(
        ledger=_ledger(service, folder),
        registry=registry,
        state=state,
        proposal_s=service.number("proposal_s", 600.0, 10.0, _LONGEST_S),
        grace_s=service.number("grace_s", 15.0, 0.0, _LONGEST_S),
        api=_api(top.section("api")),
        mqtt=_mqtt(top.section("mqtt")) if "mqtt" in content else None,
        tables=tuple(each for each in tables if isinstance(each, TableSettings)),
        cards=tuple(each for each in tables if isinstance(each, CardsSettings)),
    )
    service.done()
    top.done()
    _check_tables(tables, findings)
    if findings:
        raise ConfigError(findings)
    return made


def _ledger(service: Section, folder: Path) -> Path | str:
    where = service.text("ledger", "")
    if not where:
        service.find("ledger", "is missing: a SQLite file or a postgresql:// URL")
    return where if where.startswith(("postgresql://", "postgres://")) else folder / where


def _devices(registry: Path | None, findings: list[str]) -> Registry:
    if registry is None or not registry.exists():
        return Registry()
    try:
        return Registry.open(registry)
    except RegistryError as error:
        findings.append(f"service.registry: {error}")
        return Registry()


def _api(api: Section) -> ApiSettings:
    made = ApiSettings(
        host=api.text("host", "127.0.0.1"),
        port=api.whole("port", 8080, 0, 65535),
        certificate=api.path("certificate", exists=True),
        key=api.path("key", exists=True),
        requests_per_s=api.number("requests_per_s", 200.0, 1.0, 100_000.0),
    )
    if (made.certificate is None) != (made.key is None):
        api.find("certificate", "and key belong together: give both or none")
    if not _is_loopback(made.host) and made.certificate is None:
        api.find("host", f"{made.host!r} is beyond this machine, where passwords need TLS: certificate, key")
    api.done()
    return made


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _mqtt(mqtt: Section) -> MqttSettings:
    made = MqttSettings(
        host=mqtt.text("host", "localhost"),
        port=mqtt.whole("port", 1883, 1, 65535),
        prefix=mqtt.text("prefix", "tumbler"),
        username=mqtt.text("username", ""),
        password_file=mqtt.path("password_file", exists=True),
        ca_file=mqtt.path("ca_file", exists=True),
    )
    mqtt.done()
    return made


def _tables(
    sections: list[Section], devices: Registry, evidence: Path
) -> list[TableSettings | CardsSettings]:
    made: list[TableSettings | CardsSettings] = []
    for each in sections:
        cards = each.choice("kind", ("dice", "cards")) == "cards"
        made.append(_cards(each) if cards else _table(each, devices, evidence))
    return made


def _name(table: Section) -> str:
    name = table.text("name", "")
    if not _NAME.fullmatch(name):
        table.find("name", "must have 1 to 40 letters, digits, spaces, dots, dashes or underscores")
    return name


def _cards(table: Section) -> CardsSettings:
    """A table of cards: `decks` within what its rulebook allows."""
    name, terms = _name(table), _terms(table)
    rules = terms.rulebook.decks
    if rules is None:
        table.find("rulebook", f"{terms.rulebook.id} is played with dice, not with cards")
    lowest, highest = (rules.minimum, rules.maximum) if rules else (1, 1)
    made = CardsSettings(
        name=name,
        terms=terms,
        decks=table.whole("decks", highest, lowest, highest),
        betting_s=table.number("betting_s", 0.0, 0.0, _LONGEST_S),
        between_s=table.number("between_s", 0.0, 0.0, _LONGEST_S),
    )
    table.done()
    return made


def _table(table: Section, devices: Registry, evidence: Path) -> TableSettings:
    name = _name(table)
    device = _device(table, devices)
    virtual = device is None
    board = _board(table, virtual=virtual)
    baudrate = 0 if virtual else table.whole("baudrate", 115200, 9600, 4_000_000)
    made = TableSettings(
        name=name,
        device=device,
        ports=() if virtual else table.texts("ports"),
        board=board.name,
        baudrate=baudrate,
        terms=_dice_terms(table),
        automatic=table.choice("rounds", ("dealer", "automatic")) == "automatic",
        betting_s=table.number("betting_s", 0.0, 0.0, _LONGEST_S),
        between_s=table.number("between_s", 0.0, 0.0, _LONGEST_S),
        examination=read_examination(table, board, baudrate, evidence / name),
        seed=table.text("seed", name) if virtual else "",
        speed=table.number("speed", 1.0, 0.1, 100.0) if virtual else 1.0,
        scenario=table.path("scenario", exists=True) if virtual else None,
    )
    if not virtual and not made.ports:
        table.find("ports", 'is missing: where the device may be, as ["/dev/serial/by-id/*"]')
    if made.automatic and not made.betting_s:
        table.find("betting_s", "must be above 0 where rounds are automatic")
    table.done()
    return made


def _device(table: Section, devices: Registry) -> bytes | None:
    text = table.text("device", "")
    if text == VIRTUAL:
        return None
    try:
        device = bytes.fromhex(text)
        devices.device(device)
    except ValueError:
        table.find("device", f'must be a device id of 16 hex digits or "{VIRTUAL}"')
    except UnknownDevice as error:
        table.find("device", str(error))
    else:
        return device
    return b""


def _board(table: Section, *, virtual: bool) -> Board:
    """The table's board; the virtual one in the place of one that cannot be had."""
    named = VIRTUAL if virtual else table.text("board", "")
    own = table.folder / named
    try:
        if named:
            return load_board(own if "/" in named or named.endswith(".json") else named)
        table.find("board", f"is missing: one of {', '.join(known_boards())}, or an own one's folder")
    except BoardFileError as error:
        table.find("board", str(error))
    return load_board(VIRTUAL)


def _terms(table: Section) -> settlement.Table:
    rulebook, layout = table.text("rulebook", ""), table.text("layout", "")
    limits, chip_unit = table.text("limits", "") or None, table.text("chip_unit", "") or None
    decimals = table.whole("decimals", 2, 0, MOST_DECIMALS)
    accepted = table.texts("accept_player_advantage")
    try:
        book = load_rulebook(str(table.folder / rulebook) if rulebook.endswith(".toml") else rulebook)
        terms = settlement.open_table(
            book,
            layout,
            limits=limits,
            decimals=decimals,
            chip_unit=chip_unit,
            accept_player_advantage=accepted,
        )
    except (UnknownRulebookError, UnknownLayoutError, RulebookError, settlement.TableError) as error:
        table.find("rulebook", str(error))
        return _NO_TERMS
    if book.limits and limits is None:
        table.find("limits", f"is missing; {book.id} has {', '.join(book.limits)}")
    return terms


def _dice_terms(table: Section) -> settlement.Table:
    terms = _terms(table)
    if terms.rulebook.play_mode == "cards":
        table.find("rulebook", f'{terms.rulebook.id} is played with cards: say kind = "cards"')
    return terms


# Stands in the place of terms that cannot be made; a configuration that has them is never returned.
_NO_TERMS = settlement.open_table(load_rulebook("mbs-electronic-sic-bo-v4"), "rapid-select")


def _check_tables(tables: list[TableSettings | CardsSettings], findings: list[str]) -> None:
    if not tables:
        findings.append("tables: is missing; a service has at least one [[tables]]")
    _check_once("name", [each.name for each in tables], findings)
    devices = [each.device for each in tables if isinstance(each, TableSettings)]
    _check_once("device", [each.hex() for each in devices if each], findings)


def _check_once(what: str, values: list[str], findings: list[str]) -> None:
    twice = [value for value in dict.fromkeys(values) if values.count(value) > 1]
    findings.extend(f"tables: {what} {value!r} is there twice" for value in twice)
