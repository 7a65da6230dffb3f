"""The figures for Prometheus tell what happened, and the Grafana board asks for nothing that is not there."""

import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from host_tools.bridge.wagering import Wager
from host_tools.people import Role
from host_tools.service.actions import CORRECTION
from host_tools.service.deciding import Case
from host_tools.service.metrics import Waiting
from tests.host_tools.service.service_rig import COVERED, OPEN, House, house
from tumbler.definitions import FACTS

STAKE = "730"  # an amount, as its double, that no clock or counter of a test comes to
NOTHING = Waiting(0, 0, 0, 0, 0)
BOARD = json.loads((Path(__file__).resolve().parents[3] / "deploy" / "grafana.json").read_text())
Samples = dict[str, dict[tuple[tuple[str, str], ...], float]]


def figures(at: House) -> Samples:
    """Every sample by name and labels, as Prometheus reads them."""
    found: Samples = {}
    for family in text_string_to_metric_families(at.service.figures().decode()):
        for sample in family.samples:
            found.setdefault(sample.name, {})[tuple(sorted(sample.labels.items()))] = sample.value
    return found


def of(samples: Samples, name: str, **labels: str) -> float:
    return samples.get(name, {}).get(tuple(sorted(labels.items())), 0)


async def played(at: House) -> Samples:
    """A settled and corrected round, a void one, a referred one, a fault and a tumbler that was away."""
    settled = await at.betting()
    wagers = [Wager(each, "Mei", each, STAKE) for each in ("small", "big", "odd")]
    await at.playing().place(COVERED, settled, wagers)
    await at.playing().withdraw(COVERED, settled, ["odd"])
    await at.ended(COVERED, settled)
    case = Case((4, 5, 6), "as the dice lie")
    proposal = await at.deciding(Role.SUPERVISOR).propose(CORRECTION, COVERED, settled, case)
    await at.deciding(Role.SHIFT_MANAGER).confirm(proposal.id)
    await at.deciding(Role.SHIFT_MANAGER).void(COVERED, await at.betting(), "host-void", "spilt drink")
    tumbler = at.tumblers[COVERED].tumbler
    tumbler.record("fault", fact=FACTS["tilted"], detail="4 degrees")
    tumbler.faults.append("tilted")
    await at.step(COVERED, "clear-fault")
    counted = lambda: of(figures(at), "tumbler_faults_raised_total", table=COVERED, fact="tilted")  # noqa: E731
    await at.until(lambda: counted() == 1)
    return figures(at)


async def test_the_figures_tell_what_was_played(tmp_path):
    async with house(tmp_path, {COVERED: {}, OPEN: {}}) as at:
        told = await played(at)
        for verdict, fact in (
            ("settled", ""),
            ("void", "host-void"),
            ("corrected", "wrong-result-registered"),
        ):
            assert of(told, "tumbler_rounds_total", table=COVERED, verdict=verdict, fact=fact) == 1, verdict
        assert sum(told["tumbler_rounds_total"].values()) == 3
        assert of(told, "tumbler_round_seconds_count") == 2
        assert of(told, "tumbler_wagers_total", table=COVERED) == 3
        assert of(told, "tumbler_wagers_withdrawn_total", table=COVERED) == 1
        for result in ("won", "lost"):
            assert of(told, "tumbler_wagers_settled_total", table=COVERED, result=result) == 1
        assert {dict(labels)["face"] for labels in told["tumbler_faces_total"]} == {"1", "2", "4"}
        assert of(told, "tumbler_totals_total", table=COVERED, total="7") == 1
        assert of(told, "tumbler_reading_confidence_count") == 3
        assert of(told, "tumbler_reading_tilt_degrees_sum") == 0.3 + 0.4 + 0.5
        assert of(told, "tumbler_device_connected", table=COVERED) == 1
        assert of(told, "tumbler_device_uptime_seconds", table=OPEN) > 0
        assert of(told, "tumbler_link_errors", table=OPEN, what="device_crc_errors") == 0
        assert of(told, "tumbler_faults_latched", table=COVERED) == 1
        assert of(told, "tumbler_event_sequence") == at.service.stream.newest > 0
        assert of(told, "tumbler_commit_seconds_count") > 5


async def test_the_figures_tell_no_money_and_no_names(tmp_path):
    async with house(tmp_path) as at:
        await played(at)
        told = at.service.figures().decode()
        for secret in ("Mei", "supervisor", "730.00", "1460.00"):
            assert secret not in told


def asked() -> Iterator[tuple[str, str]]:
    """Each panel's title with each of its questions."""
    for panel in BOARD["panels"]:
        yield from ((panel["title"], target["expr"]) for target in panel.get("targets", []))


def names_in(question: str) -> set[str]:
    return set(re.findall(r"\b(?:tumbler|process)_\w+", question))


async def test_the_board_asks_for_nothing_that_is_not_there_and_forgets_nothing(tmp_path):
    async with house(tmp_path) as at:
        told = await played(at)
    labels = {name: {key for each in samples for key, _ in each} for name, samples in told.items()}
    described = {
        family.removeprefix("# TYPE ").split()[0]
        for family in at.service.metrics.text([], NOTHING).decode().splitlines()
        if family.startswith("# TYPE tumbler_") and not family.split()[2].endswith("_created")
    }
    used: set[str] = set()
    for title, question in asked():
        for name in names_in(question):
            used.add(re.sub(r"_bucket$", "", name))
            assert name in labels or name in described, f"{title}: there is no {name}"
            wanted = set(re.findall(r'(\w+)=~?"', question)) - {"job"}
            for key in wanted:
                assert key in labels.get(name, {key}), f"{title}: {name} has no {key}"
    assert described - used == set()


def test_the_board_is_one_that_grafana_takes():
    ids = [each["id"] for each in BOARD["panels"]]
    assert len(set(ids)) == len(ids)
    places = [each["gridPos"] for each in BOARD["panels"]]
    assert all(each["x"] + each["w"] <= 24 for each in places)
    cells: set[tuple[int, int]] = set()
    for each in places:
        across = range(each["x"], each["x"] + each["w"])
        down = range(each["y"], each["y"] + each["h"])
        here = set(itertools.product(across, down))
        assert not here & cells, "two panels lie over each other"
        cells |= here
    variables: list[dict[str, Any]] = BOARD["templating"]["list"]
    known = {each["name"] for each in variables} | {"__rate_interval", "__range"}
    for _, question in asked():
        assert set(re.findall(r"\$(\w+)", question)) <= known
