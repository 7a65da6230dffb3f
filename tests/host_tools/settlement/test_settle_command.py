"""`tumbler settle` and `tumbler rules` as users call them: output, exit status, bad input of every sort."""

import contextlib
import io
import json
import os
import re
import sqlite3
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any, BinaryIO, cast

import pytest
import typer
from hypothesis import given as fuzz
from hypothesis import strategies as st
from rich.console import Console
from typer.testing import CliRunner

from host_tools.commands import rules as rules_command
from host_tools.commands import settle as settle_command
from host_tools.rulebooks import DATA, load_rulebook
from host_tools.rulebooks.odds import odds_text
from host_tools.rulebooks.page import layout_page
from host_tools.settlement import Judge, Outcome, open_table, stream
from host_tools.settlement.stream import LONGEST_LINE, settle_lines
from tests.host_tools.published_rules import LAYOUTS, ODDS

APP = typer.Typer()
rules_command.register(APP)
settle_command.register(APP)
RAPID = ["--rules", "mbs-electronic-sic-bo-v4", "--layout", "rapid-select"]
KEYS = ["id", "wager", "stake", "result", "odds", "payout", "returned", "reason"]


def tumbler(*arguments: str, given: str | bytes = "") -> tuple[int, Any, str]:
    """Exit status, the JSON objects on standard output, and standard error."""
    run = CliRunner().invoke(APP, list(arguments), input=given)
    if run.exception and not isinstance(run.exception, SystemExit):
        raise run.exception
    rows = (
        [json.loads(line) for line in run.stdout.splitlines()] if run.stdout.startswith("{") else run.stdout
    )
    return run.exit_code, rows, run.stderr


def line(identity="1", wager="small", stake="10") -> str:
    return json.dumps({"id": identity, "wager": wager, "stake": stake}) + "\n"


def own_text(book: str, *changes: tuple[str, str]) -> str:
    """A built-in rulebook's file as an operator's own: with an id of its own and these changes."""
    text = (DATA / f"{book}.toml").read_text(encoding="utf-8")
    for before, after in ((f'id = "{book}"', 'id = "own"'), *changes):
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    return text


def test_wagers_are_settled_line_by_line():
    given = line("a", "double:1", "3") + line("b", "small", "2.50") + line("c", "big")
    status, rows, _ = tumbler("settle", *RAPID, "--dice", "1,3,1", "--json", given=given)
    assert status == 0
    assert all(list(row) == KEYS for row in rows)
    assert [(row["id"], row["result"], row["odds"], row["payout"], row["returned"]) for row in rows] == [
        ("a", "won", "11.5", "34.50", "37.50"),
        ("b", "won", "1", "2.50", "5.00"),
        ("c", "lost", None, "0.00", "0.00"),
    ]


def test_wagers_come_from_a_file_and_limits_are_kept(tmp_path):
    bets = tmp_path / "bets.jsonl"
    bets.write_text(line("a", "big", "600") + line("b", "big", "601"))
    status, rows, _ = tumbler(
        *("settle", "--rules", "duisburg-sic-bo-2019", "--layout", "big-from-11"),
        *("--limits", "eur-5", "--dice", "6,5,4", "--bets", str(bets)),
    )
    assert (status, [row["result"] for row in rows]) == (2, ["won", "refused"])
    assert "outside limits" in rows[1]["reason"]


def test_a_void_returns_every_stake_with_the_clause():
    status, rows, _ = tumbler("settle", *RAPID, "--void", "too-few-tumbles", given=line(stake="7.50"))
    assert (status, rows[0]["result"], rows[0]["returned"], rows[0]["odds"]) == (0, "void", "7.50", None)
    assert "5.1" in rows[0]["reason"]


def test_cards_are_settled_and_dice_are_not_cards():
    cards = ["settle", "--rules", "mbs-3-card-sic-bo-2016", "--layout", "standard"]
    status, rows, _ = tumbler(*cards, "--cards", "2,2,2", given=line(wager="any-triple"))
    assert (status, rows[0]["odds"], rows[0]["returned"]) == (0, "31", "320.00")
    status, rows, error = tumbler(*cards, "--dice", "2,2,2", given=line())
    assert (status, rows) == (2, "")
    assert "cards" in error


def test_what_a_person_must_decide_is_not_settled_without_a_person():
    status, rows, error = tumbler("settle", *RAPID, "--void", "dome-open", given=line())
    assert (status, rows) == (1, "")
    assert "Gaming Shift Manager" in error
    status, rows, _ = tumbler(
        "settle", *RAPID, "--void", "dome-open", "--decided-by", "manager 7", given=line()
    )
    assert (status, rows[0]["result"]) == (0, "void")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--dice", "1,2"], "three"),
        (["--dice", "1,2,3,4"], "three"),
        (["--dice", "1,2,7"], "1 to 6"),
        (["--dice", "0,2,3"], "1 to 6"),
        (["--dice", "1,2,３"], "1 to 6"),
        (["--dice", ""], "1 to 6"),
        (["--dice", "1, 2,3"], "1 to 6"),
        ([], "exactly one of"),
        (["--dice", "1,2,3", "--decided-by", "manager"], "goes with --void"),
        (["--cards", "1,2,3"], "played with dice"),
        (["--dice", "1,2,3", "--decimals", "5"], "decimals"),
        (["--dice", "1,2,3", "--bets", "/"], "Is a directory"),
        (["--dice", "1,2,3", "--bets", "/proc/self/mem"], "Input/output error"),
        (["--dice", "1,2,3", "--void", "not-flat"], "exactly one of"),
        (["--void", "cocked"], "not-flat"),
        (["--void", "wrong-result-registered"], "6.3"),
        (["--dice", "1,2,3", "--limits", "eur-1"], "no limits"),
        (["--dice", "1,2,3", "--chip-unit", "0.01"], "11.5 to 1"),
        (["--dice", "1,2,3", "--bets", "/nowhere/bets.jsonl"], "/nowhere/bets.jsonl"),
    ],
)
def test_bad_usage_settles_nothing(arguments, error):
    status, rows, told = tumbler("settle", *RAPID, *arguments, given=line())
    assert (status, rows) == (2, "")
    assert error in told


MAIN = [sys.executable, "-c", "from host_tools.cli import main; main()"]
WITHOUT_A_STREAM = ["settle", *RAPID, "--dice", "1,2,3"], ["rules", "list"], ["rules", "audit", "--json"]


@pytest.mark.parametrize("arguments", WITHOUT_A_STREAM)
@pytest.mark.parametrize(
    ("redirection", "error"),
    [
        (">/dev/full", "No space left on device"),
        (">&-", "standard output is closed"),
    ],
)
def test_output_that_cannot_be_written_is_told(arguments, redirection, error):
    run = subprocess.run(
        ["sh", "-c", f'exec "$@" {redirection}', "sh", *MAIN, *arguments],
        input=line(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2
    assert error in run.stderr
    assert "Traceback" not in run.stderr


def test_closed_standard_input_is_told():
    run = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *MAIN, *WITHOUT_A_STREAM[0]],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout) == (2, "")
    assert "--bets FILE" in run.stderr


@pytest.mark.parametrize("arguments", WITHOUT_A_STREAM)
def test_a_reader_that_has_seen_enough_is_no_error_to_talk_about(arguments):
    given = "".join(line(str(number)) for number in range(5000))
    with subprocess.Popen(
        [*MAIN, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        assert run.stdin is not None
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.close()
        with contextlib.suppress(BrokenPipeError):
            run.stdin.write(given)
            run.stdin.close()
        told = run.stderr.read()
    assert run.returncode == 1
    assert "Traceback" not in told
    assert "Exception" not in told


def test_a_void_tells_what_the_rules_say_about_it():
    told = tumbler("settle", *RAPID, "--void", "terminal-lost-unregistered", given=line())[2]
    assert "terminal-lost-unregistered: void by clause 5.9.2 (only the wagers of that terminal" in told
    assert "settle so only the wagers of the lost terminal" in told
    rws = ["settle", "--rules", "rws-sic-bo-etg-v8", "--layout", "pay-table-1"]
    told = tumbler(*rws, "--void", "die-damaged", given=line())[2]
    assert "die-damaged: void-affected by clause 5.4 (all affected rounds" in told
    assert "terminal" not in told


def test_columns_on_a_terminal_fit_80_and_reasons_have_a_line_of_their_own(monkeypatch):
    judge = Judge(open_table(load_rulebook("mbs-electronic-sic-bo-v4"), "rapid-select"), Outcome((1, 1, 3)))
    given = line("wager-0001", "double-single:1-1-3", "100000.50") + line("b", "double:9\x1b[2J") + "x\n"
    shown = "".join(
        settle_command._columns(each) for each, _ in settle_lines(judge, io.BytesIO(given.encode()))
    )
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()
    assert plain[0].split() == [
        "wager-0001",
        "double-single:1-1-3",
        "100000.50",
        "won",
        "50",
        "5000025.00",
        "5100025.50",
    ]
    assert len(plain[0]) <= 80
    assert plain[2].startswith("    malformed wager: double takes one number")
    assert plain[4].startswith("    line 3: not JSON")
    assert "\x1b[2J" not in shown


def test_a_rulebook_with_limits_settled_without_them_is_told():
    duisburg = ["settle", "--rules", "duisburg-sic-bo-2019", "--layout", "big-from-11", "--dice", "1,2,3"]
    assert "without --limits any stake is taken; there are eur-1" in tumbler(*duisburg, given=line())[2]
    assert "warning" not in tumbler(*duisburg, "--limits", "eur-1", given=line())[2]
    assert "warning" not in tumbler("settle", *RAPID, "--dice", "1,2,3", given=line())[2]


def test_no_room_for_the_ids_of_a_stream_is_told(monkeypatch):
    def add(_self: object, _identity: str) -> bool:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(stream._SeenIds, "add", add)
    status, rows, error = tumbler("settle", *RAPID, "--dice", "1,2,3", given=line())
    assert (status, rows) == (2, "")
    assert "database or disk is full" in error


def test_unknown_rulebooks_and_layouts():
    assert tumbler("settle", "--rules", "mbs", "--layout", "x", "--dice", "1,2,3")[0] == 2
    assert "alfastreet" in tumbler("settle", *RAPID[:3], "x", "--dice", "1,2,3")[2]


BAD = {
    line(stake="1e3"): "malformed stake",
    line(stake="-5"): "malformed stake",
    line(stake="0"): "outside limits",
    line(stake="10.005"): "more than 2 decimals",
    line(stake="NaN"): "malformed stake",
    line(stake="1,000"): "malformed stake",
    line(stake="１０"): "malformed stake",
    line(stake="10.01"): "not a multiple of the chip unit",
    line(stake=""): "malformed stake",
    line(wager="double:7"): "malformed wager",
    line(wager="domino:3-3"): "malformed wager",
    line(wager="domino:5-2"): "malformed wager",
    line(wager="total:3"): "not on this layout",
    line(wager="double-single:1-1-2"): "not on this layout",
    line(wager="double-single:6-6-5"): "not on this layout",
    line(wager="double:３"): "malformed wager",
    line(wager="small:1"): "malformed wager",
    line(wager="single"): "malformed wager",
    line(identity=""): "malformed id",
    line(identity="x" * 129): "malformed id",
    '{"id":"1","wager":"small"}\n': "stake is missing",
    '{"id":"1","wager":"small","stake":"1","seat":2}\n': "seat is not a key",
    '{"id":"1","wager":"small","stake":10}\n': "stake must be text",
    '{"id":"1","wager":"small","stake":NaN}\n': "stake must be text",
    '{"id":1,"wager":["small"],"stake":null}\n': "id must be text in quotes; wager must be text",
    "{}\n": "id is missing; wager is missing; stake is missing",
    "small 10\n": "line 2: not JSON",
    "\n": "line 2: not JSON",
    '{"id":"1","wager":"small","stake":"1"\n': "line 2: not JSON",
    '{"id":"1","id":"2","wager":"small","stake":"1"}\n': "line 2: not JSON: a key is given twice",
    "[1]\n": "line 2: not a JSON object",
    '"small"\n': "line 2: not a JSON object",
    "[" * 60_000 + "\n": "line 2: not JSON",
    "9" * 5000 + "\n": "line 2: not",
    " " * (LONGEST_LINE + 5) + "\n": "line 2: longer than",
    "\ufeff" + line(): "line 2: begins with a byte order mark",
    "\r\n": "line 2: not JSON",
    "\0\n": "line 2: not JSON",
    line()[:-1] + line(): "line 2: not JSON",
    line(stake="1" + "0" * 30): "outside limits",
    line(stake="0010"): "malformed stake",
    line(stake="+5"): "malformed stake",
    line(stake="\u0661"): "malformed stake",
    line(wager="small\0"): "malformed wager",
    line(identity="\ud800"): "malformed id",
    '{"id":"1","wager":{"small":1},"stake":"1"}\n': "wager must be text",
}


@pytest.mark.parametrize(("bad", "reason"), BAD.items(), ids=[text[:60] for text in BAD])
def test_a_bad_line_is_answered_and_the_rest_is_settled(bad, reason):
    given = line("first") + bad + line("last")
    status, rows, error = tumbler("settle", *RAPID, "--dice", "1,2,2", "--json", given=given)
    assert status == 2
    assert [list(row) for row in rows] == [KEYS] * 3
    assert [row["result"] for row in rows] == ["won", "refused", "won"]
    assert reason in rows[1]["reason"]
    assert (rows[1]["odds"], rows[1]["payout"], rows[1]["returned"]) == (None, "0.00", "0.00")
    if reason.startswith("line 2"):
        assert reason in error


def test_bytes_that_are_not_utf_8_are_answered():
    given = line("first").encode() + b'{"id":"\xff","wager":"small","stake":"1"}\n' + line("last").encode()
    status, rows, _ = tumbler("settle", *RAPID, "--dice", "1,2,2", given=given)
    assert (status, [row["result"] for row in rows]) == (2, ["won", "refused", "won"])
    assert rows[1]["reason"] == "line 2: not UTF-8"


def test_a_duplicate_id_is_refused_wherever_it_comes_again():
    zero = line("\0"), line("\0a")
    given = (
        line("a") + line("b", "big") + line("a", "big") + "".join(zero) + zero[1] + line("b", "odd", "1e3")
    )
    _, rows, _ = tumbler("settle", *RAPID, "--dice", "1,2,2", given=given)
    assert [row["result"] for row in rows] == ["won", "lost", "refused", "won", "won", "refused", "refused"]
    assert all("duplicate id" in rows[number]["reason"] for number in (2, 5, 6))


@pytest.mark.parametrize(
    "first", ['{"id":"a","wager":"small"}\n', line("a", "double:7"), line("a", stake="0")]
)
def test_a_refused_wagers_id_is_spent_too(first):
    _, rows, _ = tumbler("settle", *RAPID, "--dice", "1,2,2", given=first + line("a"))
    assert [row["result"] for row in rows] == ["refused", "refused"]
    assert "duplicate id" not in rows[0]["reason"]
    assert "duplicate id" in rows[1]["reason"]


def test_an_empty_id_is_malformed_every_time():
    _, rows, _ = tumbler("settle", *RAPID, "--dice", "1,2,2", given=line("") * 2)
    assert all("malformed id" in row["reason"] for row in rows)


def test_a_missing_last_line_end_and_no_lines_at_all():
    assert tumbler("settle", *RAPID, "--dice", "1,2,2", given=line().strip())[1][0]["result"] == "won"
    assert tumbler("settle", *RAPID, "--dice", "1,2,2")[:2] == (0, "")


PIECE = st.one_of(
    st.binary(max_size=30),
    st.sampled_from(
        [b'{"id":', b'"a"', b',"wager":', b'"total:', b'"stake":"', b"5", b'"}', b"\n", b"{", b"NaN", b"[["]
    ),
    st.builds(line, st.text(max_size=3), st.text(max_size=8), st.text(max_size=5)).map(str.encode),
)


@fuzz(given=st.lists(PIECE, max_size=30).map(b"".join))
def test_whatever_the_bytes_every_line_has_one_answer(given):
    judge = Judge(open_table(load_rulebook("mbs-electronic-sic-bo-v4"), "alfastreet"), Outcome((1, 2, 2)))
    answers = list(settle_lines(judge, io.BytesIO(given)))
    assert len(answers) == len(io.BytesIO(given).readlines())
    for result, readable in answers:
        assert json.loads(settle_command._json_line(result))["result"] in ("won", "lost", "refused")
        assert readable or result.result == "refused"
        assert (result.result == "refused") == bool(result.reason)


class _Made(io.RawIOBase):
    """A stream of lines made as they are read."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._made = lines

    def readline(self, size: int | None = -1) -> bytes:
        return next(self._made, b"")


def test_a_long_stream_takes_no_more_memory_than_a_short_one():
    judge = Judge(open_table(load_rulebook("mbs-electronic-sic-bo-v4"), "rapid-select"), Outcome((1, 2, 2)))

    def highest(count: int) -> int:
        made = (f'{{"id":"{number:040}","wager":"small","stake":"8"}}\n'.encode() for number in range(count))
        tracemalloc.reset_peak()
        assert sum(1 for _ in settle_lines(judge, cast(BinaryIO, _Made(made)))) == count
        return tracemalloc.get_traced_memory()[1]

    tracemalloc.start()
    try:
        # A set of the ids alone would take 100 bytes a line.
        assert highest(20_000) - highest(2_000) < 10 * 18_000
    finally:
        tracemalloc.stop()


def test_progress_of_a_long_stream_is_told():
    given = "".join(line(str(number)) for number in range(100_001))
    status, rows, error = tumbler("settle", *RAPID, "--dice", "1,2,2", given=given)
    assert (status, len(rows)) == (0, 100_001)
    assert "100,000 lines settled" in error
    assert "100,001 won" in error


def test_a_bar_on_the_terminal_leaves_standard_output_alone(tmp_path):
    bets, out = tmp_path / "bets.jsonl", tmp_path / "out.jsonl"
    bets.write_text("".join(line(str(number)) for number in range(3000)))
    terminal, other_end = os.openpty()
    command = [*MAIN, "settle", *RAPID, "--dice", "1,2,2", "--bets", str(bets)]
    with (
        out.open("wb") as file,
        subprocess.Popen(command, stdout=file, stderr=other_end) as run,
    ):
        os.close(other_end)
        shown = b""
        with contextlib.suppress(OSError):  # how a terminal says that its other end is closed
            while chunk := os.read(terminal, 65536):
                shown += chunk
    os.close(terminal)
    assert run.returncode == 0
    assert [json.loads(row)["id"] for row in out.read_text().splitlines()] == [
        str(number) for number in range(3000)
    ]
    assert b"lines settled" in shown
    assert b'"payout"' not in shown


def test_rules_list_names_every_layout():
    status, rows, _ = tumbler("rules", "list", "--json")
    assert status == 0
    assert {row["rulebook"]: row["layouts"] for row in rows} == {
        book: [*layouts] for book, layouts in ODDS.items()
    }
    shown = tumbler("rules", "list")[1]
    assert all(book in shown for book in ODDS)
    assert all(layout in shown for _, layout in LAYOUTS)


def test_rules_audit_prints_a_line_a_wager_as_designed():
    status, rows, _ = tumbler("rules", "audit", "mbs-electronic-sic-bo-v4", "rapid-select", "--json")
    assert (status, len(rows)) == (0, 104)
    assert rows[0] == {
        "rulebook": "mbs-electronic-sic-bo-v4",
        "layout": "rapid-select",
        "wager": "small",
        "odds": "1",
        "ways": 105,
        "house_edge": "1/36",
        "house_edge_percent": "2.7778",
    }
    everything = tumbler("rules", "audit", "--json")[1]
    assert len(everything) == sum(len(ODDS[book][layout]) for book, layout in LAYOUTS)


def test_rules_audit_reports_a_players_advantage():
    status, rows, error = tumbler("rules", "audit", "duisburg-sic-bo-2019", "as-printed", "--json")
    assert status == 0
    assert [row["house_edge"] for row in rows if row["wager"] == "big"] == ["-2/9"]
    assert "big favours the player" in error
    assert "-2/9" in tumbler("rules", "audit", "duisburg-sic-bo-2019")[1]
    assert tumbler("rules", "audit", "duisburg-sic-bo-2019", "big-from-11")[2] == ""


def test_rules_audit_of_cards_by_decks():
    cards = ["rules", "audit", "mbs-3-card-sic-bo-2016", "standard", "--json"]
    for decks, edge in ((["--decks", "6"], "1081/41041"), (["--decks", "2"], "21/893"), ([], "1081/41041")):
        assert tumbler(*cards, *decks)[1][0]["house_edge"] == edge
    assert tumbler(*cards, "--decks", "7")[0] == 2
    assert tumbler("rules", "audit", "duisburg-sic-bo-2019", "as-printed", "--decks", "2")[0] == 2
    assert tumbler("rules", "audit", "--decks", "2", "--json")[0] == 0


@pytest.mark.parametrize("width", [80, 160])
@pytest.mark.parametrize(("book", "layout"), LAYOUTS)
def test_rules_show_prints_every_wager_and_clause_uncut(book, layout, width, monkeypatch):
    monkeypatch.setattr(rules_command, "_console", lambda: Console(width=width, highlight=False))
    rulebook = load_rulebook(book)
    status, shown, _ = tumbler("rules", "show", book, layout)
    assert status == 0
    assert "…" not in shown
    assert max(map(len, shown.splitlines())) <= width
    words = set(shown.replace(";", " ").replace(")", " ").split())
    for ruling in rulebook.irregularities.values():
        assert {ruling.fact, *ruling.clause.split()} <= words
    for offer in rulebook.layout(layout).offers.values():
        kind, colon, numbers = offer.wager.partition(":")
        assert {kind + colon, numbers} - {""} <= words
        assert {*offer.odds_clause.split(), *offer.condition.clause.split()} <= words
    for limits in rulebook.limits.values():
        assert {odds_text(most.stake) for most in limits.maxima.values()} <= words
        assert {limits.id, *limits.clause.split()} <= words


@pytest.mark.parametrize(("book", "layout"), LAYOUTS)
def test_rules_show_as_json_has_every_wager_and_limit(book, layout):
    rulebook = load_rulebook(book)
    [row] = tumbler("rules", "show", book, layout, "--json")[1]
    assert {wager["wager"] for section in row["sections"] for wager in section["wagers"]} == set(
        ODDS[book][layout]
    )
    assert row["digest"] == rulebook.digest
    assert [limits["limits"] for limits in row["stake_limits"]] == list(rulebook.limits)
    for limits in row["stake_limits"]:
        assert set(limits["maxima"]) == set(ODDS[book][layout])
        assert all(most["clause"] for most in limits["maxima"].values())


@pytest.mark.parametrize("command", [["list"], ["audit"], ["audit", "duisburg-sic-bo-2019"]])
def test_tables_fit_a_narrow_terminal_uncut(command, monkeypatch):
    monkeypatch.setattr(rules_command, "_console", lambda: Console(width=80, highlight=False))
    shown = tumbler("rules", *command)[1]
    assert "…" not in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_the_audit_names_each_wager_that_has_its_own_odds(tmp_path):
    file = tmp_path / "own.toml"
    text = own_text("mbs-electronic-sic-bo-v4", ('"domino:1-6"], odds = "6"', '"domino:1-6"], odds = "5"'))
    file.write_text(text, encoding="utf-8")
    shown = tumbler("rules", "audit", str(file), "alfastreet")[1]
    assert "domino: 1-2 1-3 1-4 1-5 1-6 " in shown
    assert "domino: 2-3 2-4 " in shown


def test_brackets_in_a_rulebook_are_shown_as_they_are(tmp_path):
    file = tmp_path / "own.toml"
    text = own_text(
        "mbs-3-card-sic-bo-2016",
        ('"3 Card Sic Bo"', '"Sic Bo [VIP] [/]"'),
        ('clause = "5.4"', 'clause = "[red]5.4"'),
    )
    file.write_text(text, encoding="utf-8")
    status, shown, _ = tumbler("rules", "show", str(file), "standard")
    assert status == 0
    assert "Sic Bo [VIP] [/]" in shown
    assert "[red]5.4" in shown


class _Page(HTMLParser):
    """Notes the wagers and odds of a page's cells and whether every element is closed."""

    _VOID = ("meta", "br", "rect", "circle")

    def __init__(self) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self._VOID:
            self.open.append(tag)
        title = dict(attrs).get("title")
        if title:
            self.cells.append(title.partition(": clause")[0])

    def handle_endtag(self, tag: str) -> None:
        if tag not in self._VOID:
            assert self.open.pop() == tag


@pytest.mark.parametrize(("book", "layout"), LAYOUTS)
def test_the_page_shows_every_wager_once_with_its_odds(book, layout, tmp_path):
    page = tmp_path / "layout.html"
    assert tumbler("rules", "show", book, layout, "--html", str(page))[0] == 0
    text = page.read_text(encoding="utf-8")
    parsed = _Page()
    parsed.feed(text)
    assert parsed.open == []
    assert sorted(parsed.cells) == sorted(ODDS[book][layout])
    assert "<script" not in text
    assert "http" not in text
    assert ("1 WINS 11 ½" in text) == (ODDS[book][layout].get("double:1", {}).get(2) == "11.5")


def test_the_page_escapes_what_a_rulebook_says(tmp_path):
    file = tmp_path / "own.toml"
    text = own_text("mbs-3-card-sic-bo-2016", ('"3 Card Sic Bo"', '"<script>alert(1)</script>"'))
    file.write_text(text, encoding="utf-8")
    rulebook = load_rulebook(str(file))
    assert "<script>" not in layout_page(rulebook, rulebook.layout("standard"))


def test_a_faulty_own_rulebook_is_told_with_every_fault(tmp_path):
    file = tmp_path / "own.toml"
    text = (DATA / "mbs-3-card-sic-bo-2016.toml").read_text(encoding="utf-8")
    file.write_text(
        text.replace('odds = "31"', 'odds = "0"').replace("foreign-card", "joker"), encoding="utf-8"
    )
    for command in (["rules", "audit", str(file)], ["rules", "show", str(file), "standard"]):
        status, _, error = tumbler(*command)
        assert status == 2
        assert error.count(str(file)) >= 3
    assert tumbler("settle", "--rules", str(file), "--layout", "standard", "--cards", "1,2,3")[0] == 2


def test_an_own_rulebook_is_audited_and_settled(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text(
        own_text("mbs-3-card-sic-bo-2016", ('"31", clause = "4.1.1"', '"31.25", clause = "4.1.1"')), "utf-8"
    )
    own = ["settle", "--rules", str(file), "--layout", "standard", "--cards", "1,1,1"]
    assert tumbler(*own, given=line(wager="any-triple", stake="4"))[1][0]["payout"] == "125.00"
    assert tumbler("rules", "audit", str(file), "standard", "--json")[0] == 0
