"""The displays show every event, at every width, and never a face that no record has."""

import io
import json
from collections.abc import Sequence

import pytest
from rich.console import Console

from host_tools.bridge import events
from host_tools.bridge.events import RoundOutcome, WagerOutcome
from host_tools.bridge.table import Wager, WagerAnswer
from host_tools.demo.displays import JsonDisplay, LineDisplay, RoundDisplay
from host_tools.demo.report import RoundReport
from host_tools.demo.screen import Screen
from host_tools.demo.totals import Totals
from host_tools.demo.view import TableSign, TableView

DEVICE = b"SICBO-01"
ROUND = bytes(range(16))
WAGERS = [
    Wager("mei-1", "Mei", "double-single:1-1-3", "20.00"),
    Wager("arun-1", "Arun", "total:8", "2.50"),
    *(Wager(f"wei-{n}", "Wei", f"domino:1-{n}", "7.50") for n in range(2, 7)),
]
SIZES = [(80, 24), (100, 30), (160, 45)]


def new_view() -> TableView:
    sign = TableSign("Table 1", "Electronic Sic Bo (Version 4)", "Rapid Select Terminal", DEVICE, 3)
    return TableView(sign, Totals(["Mei", "Arun", "Farah", "Tomas", "Wei", "Ines"]))


def render(view: TableView, width: int, height: int) -> str:
    console = Console(width=width, height=height, file=io.StringIO(), color_system=None, legacy_windows=False)
    with console.capture() as capture:
        console.print(Screen(view, lambda: 1.0), height=height)
    lines = capture.get().splitlines()
    assert len(lines) == height
    assert max(map(len, lines)) <= width
    return "\n".join(lines)


def settled(faces: tuple[int, int, int] = (1, 3, 4)) -> RoundOutcome:
    first, second, *rest = WAGERS
    outcomes = (
        WagerOutcome(first.id, first.player, first.wager, first.stake, "lost", "", "0.00", "0.00", "3.3"),
        WagerOutcome(
            second.id, second.player, second.wager, second.stake, "won", "8.5", "21.25", "23.75", "4.1.2"
        ),
        *(WagerOutcome(w.id, w.player, w.wager, w.stake, "lost", "", "0.00", "0.00", "3.3") for w in rest),
    )
    return RoundOutcome(ROUND, "settled", faces, "", "settle", "3.5", 12, outcomes)


def void() -> RoundOutcome:
    back = tuple(
        WagerOutcome(w.id, w.player, w.wager, w.stake, "void", "", "0.00", w.stake, "5.3") for w in WAGERS
    )
    return RoundOutcome(ROUND, "void", None, "not-flat", "void", "5.3", 12, back)


def referred() -> RoundOutcome:
    return RoundOutcome(ROUND, "referred", None, "unreadable", "refer", "6.1", 12, ())


CORRECTION = events.RoundCorrection(settled(), (), "misread", bytes(32))
READ = events.ResultRead(ROUND, (1, 3, 4), (3, 2, 41), (987, 991, 1000), 12)


def play_until_closed(view: TableView, number: int = 1) -> None:
    view.begin(number)
    for event in (
        events.DeviceConnected(DEVICE, 2),
        events.RoundOpened(ROUND, "covered"),
        events.StrokeCounted(ROUND, 3),
        events.BetsOpen(ROUND),
    ):
        view.follow(event)
    view.placed(WAGERS, [WagerAnswer(wager.id, True) for wager in WAGERS])
    view.follow(events.BetsClosed(ROUND))


EVERY_EVENT: list[tuple[Sequence[events.Event], str]] = [
    ([events.DeviceConnected(DEVICE, 2)], "● linked"),
    ([events.DeviceLost(DEVICE, "nothing heard for 5 s")], "nothing heard for 5 s"),
    ([events.DeviceRefused(DEVICE, "fork at record 9")], "fork at record 9"),
    ([events.RecordCommitted(41, "boot", bytes.fromhex("c0ffee") * 4)], "record 41 · c0ffeec0ffeec0ff"),
    ([events.RoundOpened(ROUND, "covered")], "The dice tumble"),
    ([events.RoundOpened(ROUND, "open"), events.BetsOpen(ROUND)], "Place your bets"),
    ([events.RoundOpened(ROUND, "open"), events.WagersPlaced(ROUND, 3, "9.50")], "Place your bets"),
    ([events.RoundOpened(ROUND, "covered"), events.BetsClosed(ROUND)], "No more bets"),
    ([events.RoundOpened(ROUND, "open"), events.BetsClosed(ROUND)], "The dice tumble"),
    ([events.RoundOpened(ROUND, "covered"), events.StrokeCounted(ROUND, 2)], "2 of 3 strokes"),
    ([events.RoundOpened(ROUND, "covered"), events.StrokeCounted(ROUND, 4)], "●●●● 4 strokes"),
    ([events.RoundOpened(ROUND, "covered"), events.AtRest(ROUND)], "come to rest"),
    ([events.RoundOpened(ROUND, "covered"), READ], "4.1°"),
    ([events.RoundOpened(ROUND, "covered"), events.RoundSettled(ROUND, settled())], "Settled"),
    ([events.RoundOpened(ROUND, "covered"), events.RoundVoid(ROUND, "not-flat", "void", "5.3")], "Void"),
    ([events.RoundOpened(ROUND, "covered"), events.RoundReferred(ROUND, "unreadable", "6.1")], "Referred"),
    ([events.RoundOpened(ROUND, "open"), events.WagersWithdrawn(ROUND, 1, "2.00")], "Place your bets"),
    ([events.RoundOpened(ROUND, "covered"), READ, events.RoundHeld(ROUND, 12)], "4.1°"),
    ([events.RoundOpened(ROUND, "covered"), events.RoundCorrected(ROUND, CORRECTION)], "Settled"),
    ([events.StoreLost("disk full")], "ledger (disk full)"),
    ([events.EvidenceAlarm(ROUND, 12, "second-reader-differs")], "evidence (second-reader-differs)"),
    ([events.FaultRaised("dome-open", "channel 2")], "dome-open (channel 2)"),
    ([events.RecordDropped(DEVICE, "out of order")], "record (out of order)"),
]


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize(("sequence", "text"), EVERY_EVENT, ids=[text for _, text in EVERY_EVENT])
def test_every_event_is_seen(sequence: Sequence[events.Event], text: str, width: int, height: int) -> None:
    view = new_view()
    for event in sequence:
        view.follow(event)
    assert text in render(view, width, height)


def test_every_kind_of_event_is_among_them() -> None:
    seen = {type(event) for sequence, _ in EVERY_EVENT for event in sequence}
    gone = {events.FaultCleared, events.StoreBack, events.AlarmAnswered}
    of_cards = {events.ShoeLoaded, events.CardEntered, events.CardsCorrected}
    assert seen | gone | of_cards == set(events.Event.__args__)


def test_an_alarm_that_is_answered_is_no_fault() -> None:
    view = new_view()
    view.follow(events.EvidenceAlarm(ROUND, 12, "second-reader-differs"))
    view.follow(events.AlarmAnswered(ROUND, 12))
    assert "second-reader-differs" not in render(view, 80, 24)


def test_a_ledger_that_is_written_again_is_no_fault() -> None:
    view = new_view()
    view.follow(events.StoreLost("disk full"))
    view.follow(events.StoreBack())
    assert "disk full" not in render(view, 80, 24)


def test_a_cleared_fault_is_gone() -> None:
    view = new_view()
    view.follow(events.FaultRaised("dome-open", ""))
    view.follow(events.FaultCleared("dome-open", ""))
    assert "dome-open" not in render(view, 80, 24)


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_settled_round_shows_faces_rule_money_and_totals(width: int, height: int) -> None:
    view = new_view()
    play_until_closed(view)
    view.follow(READ)
    view.conclude(settled())
    picture = render(view, width, height)
    for text in (
        "1-3-4, total 8, small",
        "clause 3.5",
        "record 12",
        "double-single:1-1-3",
        "23.75",
        "8.5",
        "lost",
        "7 for 60.00",
        "+21.25",  # Arun
        "-37.50",  # Wei
        "+36.25",  # house: 60.00 - 23.75
        "●   ●",
    ):
        assert text in picture, text


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_void_round_shows_why_and_returns_every_stake(width: int, height: int) -> None:
    view = new_view()
    play_until_closed(view)
    view.conclude(void())
    picture = render(view, width, height)
    for text in ("not-flat", "every stake is returned", "clause 5.3", "void"):
        assert text in picture
    assert "+" not in picture
    assert " -" not in picture


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_referred_round_holds_the_stakes(width: int, height: int) -> None:
    view = new_view()
    play_until_closed(view)
    view.conclude(referred())
    picture = render(view, width, height)
    for text in ("unreadable", "stakes held", "clause 6.1", "held 60.00", "-37.50"):
        assert text in picture


def test_no_pip_is_drawn_before_a_record_has_the_faces() -> None:
    view = new_view()
    play_until_closed(view)
    for phase in ("starting", "ready", "tumbling", "settling", "betting", "closed"):
        view.phase = phase
        dice = [line[:30] for line in render(view, 80, 24).splitlines()[5:10]]
        assert "●" not in "".join(dice), phase


def test_an_event_of_the_concluded_round_that_comes_late_changes_nothing() -> None:
    view = new_view()
    play_until_closed(view)
    view.conclude(void())
    view.follow(events.BetsClosed(ROUND))
    assert view.phase == "void"


def test_more_wagers_than_fit_are_counted() -> None:
    view = new_view()
    play_until_closed(view)
    view.placed(WAGERS, [WagerAnswer(wager.id, True) for wager in WAGERS])
    assert "and 5 more" in render(view, 80, 24)


def test_the_road_shows_the_newest_rounds() -> None:
    view = new_view()
    for number in range(1, 31):
        play_until_closed(view, number)
        view.conclude(settled())
    picture = render(view, 80, 24)
    assert "Last 11 rounds" in picture
    assert " 30 " in picture
    assert " 19 " not in picture


def report(outcome: RoundOutcome) -> RoundReport:
    return RoundReport(1, outcome, 4, (3, 2, 41) if outcome.faces else (), WAGERS, ())


@pytest.mark.parametrize("outcome", [settled(), void(), referred()], ids=lambda outcome: outcome.verdict)
def test_json_is_one_object_a_round(outcome: RoundOutcome, capsys: pytest.CaptureFixture[str]) -> None:
    display = JsonDisplay(new_view())
    for sequence, _ in EVERY_EVENT:
        for event in sequence:
            display.follow(event)
    display.placed(WAGERS, [WagerAnswer(wager.id, True) for wager in WAGERS])
    display.conclude(report(outcome))
    (line,) = capsys.readouterr().out.splitlines()
    told = json.loads(line)
    assert told["verdict"] == outcome.verdict
    assert told["round_id"] == ROUND.hex()
    assert [wager["id"] for wager in told["wagers"]] == [wager.id for wager in WAGERS]
    assert {wager["result"] for wager in told["wagers"]} <= {"won", "lost", "void", "held"}


@pytest.mark.parametrize("outcome", [settled(), void(), referred()], ids=lambda outcome: outcome.verdict)
def test_headless_is_one_line_a_round(outcome: RoundOutcome, capsys: pytest.CaptureFixture[str]) -> None:
    display = RoundDisplay(new_view())
    display.begin(1)
    display.conclude(report(outcome))
    (line,) = capsys.readouterr().out.splitlines()
    assert outcome.verdict in line
    assert outcome.clause in line
    assert "7 wagers, 60.00 staked" in line


def test_lines_tell_a_refused_wager_with_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    display = LineDisplay(new_view())
    display.begin(1)
    display.follow(events.RoundOpened(ROUND, "covered"))
    display.placed(WAGERS[:1], [WagerAnswer("mei-1", False, "malformed stake")])
    out = capsys.readouterr().out
    assert "Round 1: opened, covered play" in out
    assert "Mei stakes 20.00 on double-single:1-1-3, refused: malformed stake" in out


def test_no_line_comes_after_that_of_the_round_to_tell_its_dice_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    display = LineDisplay(new_view())
    display.begin(1)
    for event in (events.RoundOpened(ROUND, "covered"), READ):
        display.follow(event)
    display.conclude(report(settled()))
    display.follow(READ)
    out = capsys.readouterr().out.splitlines()
    assert [line for line in out if "1-3-4" in line] == [out[-2], out[-1]]
    assert out[-1].startswith("round 1   settled")


def test_what_still_comes_of_the_round_before_is_not_taken_for_the_next() -> None:
    view = new_view()
    play_until_closed(view)
    view.conclude(void())
    view.begin(2)
    for late in (events.BetsOpen(ROUND), READ, events.RoundVoid(ROUND, "not-flat", "void", "5.3")):
        view.follow(late)
    assert (view.phase, view.reading) == ("ready", None)


def test_unsigned_news_do_not_take_the_display_back_before_the_record() -> None:
    view = new_view()
    view.begin(1)
    view.follow(events.RoundOpened(ROUND, "covered"))
    view.follow(events.BetsOpen(ROUND))
    view.follow(events.StrokeCounted(ROUND, 4))
    view.follow(events.AtRest(ROUND))
    assert (view.phase, view.strokes) == ("betting", 4)


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_console_link_is_there_whole(width: int, height: int) -> None:
    view = new_view()
    link = "http://127.0.0.1:43521/#/setup/" + "H" * 43
    LineDisplay(view).greet(link)
    assert link in render(view, width, height)
