"""The operators' page: its configuration loads, its commands run, its unit is one that systemd takes."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from host_tools.records import Registry
from host_tools.records.registry import possession_message
from host_tools.service.config import load_config
from host_tools.service.steps import REMEDIES
from host_tools.service.telling import LEVELS
from tests.host_tools.bridge.bridge_rig import Tumbler
from tests.host_tools.service.service_rig import COVERED, house
from tumbler.definitions import LATCHING_FACTS

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "operators.md").read_text(encoding="utf-8")
UNIT = (ROOT / "deploy" / "tumbler.service").read_text(encoding="utf-8")
PLACES = {"/etc/tumbler": "etc", "/var/lib/tumbler": "lib", "/var/backups/tumbler": "backups"}
RUN_HERE = ("tumbler serve", "tumbler ledger", "tumbler audit", "openssl", "cp")
# What takes root, a network or a tumbler on the line; everything else on the page must run here.
NOT_HERE = (
    "useradd",
    "git",
    "make",
    "install",
    "ln",
    "systemctl",
    "journalctl",
    "tumbler flash",
    "tumbler board",
)


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def commands() -> list[str]:
    """Every command of the page in its order, without root's prompt."""
    lines = [line.removeprefix("# ") for block in blocks("sh") for line in block.splitlines()]
    return [part.strip() for line in lines for part in line.split("&&")]


def program(command: str) -> list[str]:
    """The command as it runs here: this program, and folders of this test's own."""
    words = re.findall(r'"[^"]*"|\S+', command)
    if words[0] == "tumbler":
        return [sys.executable, "-c", "from host_tools.cli import main; main()", *words[1:]]
    return words


@pytest.fixture
async def machine(tmp_path: Path) -> Path:
    """A machine on which a table was played, with the page's configuration for its tumbler."""
    for place in PLACES.values():
        (tmp_path / place).mkdir()
    tumbler = Tumbler()
    async with house(tmp_path / "lib", tumblers={COVERED: tumbler}) as at:
        await at.ended(COVERED, await at.betting())
    (tmp_path / "lib" / "evidence").mkdir(exist_ok=True)
    registry, challenge = Registry.open(tmp_path / "etc" / "registry.json"), b"c" * 32
    registry.register(tumbler.device, challenge, tumbler.key.sign(possession_message(tumbler.id, challenge)))
    config = next(block for block in blocks("toml") if "[service]" in block)
    config = moved(config.replace("0123456789abcdef", tumbler.id.hex()), tmp_path)
    (tmp_path / "etc" / "service.toml").write_text(config)
    for name in ("cert.pem", "key.pem"):
        (tmp_path / "etc" / name).touch()
    return tmp_path


def moved(text: str, root: Path) -> str:
    for place, folder in PLACES.items():
        text = text.replace(place, str(root / folder))
    return text


async def test_every_command_of_the_page_that_can_run_here_does(machine: Path) -> None:
    ran = 0
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    for command in commands():
        if not command.startswith(RUN_HERE):
            assert command.startswith(NOT_HERE), f"nobody has tried: {command}"
            continue
        done = subprocess.run(  # noqa: ASYNC221 - nothing else goes on
            program(moved(command, machine)), capture_output=True, text=True, check=False, env=environment
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        ran += 1
    assert ran >= 10
    assert (machine / "etc" / "key.pem").read_text().startswith("-----BEGIN PRIVATE KEY-----")


async def test_the_configuration_of_the_page_is_right(machine: Path) -> None:
    config = load_config(machine / "etc" / "service.toml")
    assert config.ledger == machine / "lib" / "ledger.sqlite"
    assert config.api.url == "https://0.0.0.0:8443"
    (stop_s,) = re.findall(r"^TimeoutStopSec=(\d+)$", UNIT, re.MULTILINE)
    assert config.grace_s + 30 <= int(stop_s)
    (table,) = config.tables
    assert (table.board, table.examination is not None) == ("openmv", True)


def test_every_fault_is_on_the_page_with_the_consoles_own_remedy() -> None:
    section = PAGE.partition("## Faults")[2].partition("\n## ")[0]
    told = dict(re.findall(r"^\| `([a-z-]+)` \| (.+) \|$", section, re.MULTILINE))
    assert set(told) == set(LATCHING_FACTS)
    assert told == REMEDIES


def test_what_the_page_says_of_the_log_is_so() -> None:
    by_level: dict[int, set[str]] = {}
    for kind, level in LEVELS.items():
        name = re.sub(r"(?<!^)(?=[A-Z])", "-", kind.__name__).lower()
        by_level.setdefault(level, set()).add(name)
    errors = re.search(r"`error` is for somebody at once \((.*?)\)", PAGE, re.DOTALL)
    warnings = re.search(r"`warning` is for the shift \((.*?)\)", PAGE, re.DOTALL)
    assert errors is not None
    assert warnings is not None
    assert set(re.findall(r"`([a-z-]+)`", errors[1])) == by_level[40]
    assert set(re.findall(r"`([a-z-]+)`", warnings[1])) == by_level[30]


def test_the_pages_links_lead_somewhere() -> None:
    for link in re.findall(r"\]\(([^)#:]+)\)", PAGE):
        assert (ROOT / "docs" / link).exists(), link


# --- the unit ---


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not on this machine")
def test_systemd_takes_the_unit_and_finds_little_exposed(tmp_path: Path) -> None:
    unit = tmp_path / "tumbler.service"
    program = "/opt/tumbler/.venv/bin/tumbler"
    assert program in UNIT
    unit.write_text(UNIT.replace(program, sys.executable))
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager", unit]
    told = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    exposure = re.search(r"exposure level for \S+: ([\d.]+)", told)
    assert exposure is not None
    assert float(exposure[1]) <= 2.0


def test_a_wrong_configuration_is_not_tried_again_and_everything_else_is() -> None:
    settings = dict(re.findall(r"^(\w+)=(.*)$", UNIT, re.MULTILINE))
    assert (settings["Restart"], settings["RestartPreventExitStatus"]) == ("always", "2")
    assert settings["StartLimitIntervalSec"] == "0"
    assert settings["KillMode"] == "mixed"  # the second reader goes on while rounds end
