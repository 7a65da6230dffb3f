"""Evidence of a reading: fetched, kept, read a second time, and what follows when the readers disagree."""

import asyncio
import contextlib
import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from bridge_rig import House, Tumbler, before_each_statement
from PIL import Image

from host_tools.bridge import examining
from host_tools.bridge.by import By
from host_tools.bridge.deciding import Decision
from host_tools.bridge.errors import DecisionIncomplete, WrongStep
from host_tools.bridge.events import AlarmAnswered, Event, EvidenceAlarm, RoundHeld
from host_tools.bridge.examining import Examination
from host_tools.bridge.pictures import Finding, Pictures, PicturesDamaged
from host_tools.bridge.table import Table, Wager
from host_tools.images import load_scene
from host_tools.ledger import LedgerUnavailable

ROOT = Path(__file__).parents[3]
PROFILE = ROOT / "firmware" / "profiles" / "white_black_320.json"
SCENES = ROOT / "tests" / "frames" / "scenes320"
DECISION = Decision("Mia", "Tom", "the picture shows 1 2 4", b"e" * 32)
When = Literal["before-settlement", "after"]


def frames_of(scene: str) -> bytes:
    return b"".join(frame.pixels for frame in load_scene(SCENES / scene))


FLAT_124 = frames_of("0004")  # touching dice: 1, 2, 4
COCKED = frames_of("0003")


async def bet(table: Table) -> None:
    assert table.round is not None
    answers = await table.place(table.round, [Wager("a", "Ann", "small", "10")])
    assert answers[0].registered


class Scene:
    """A house whose device has seen `frames`; `again` is the same house after its bridge was killed."""

    def __init__(self, folder: Path, when: When, **options: Any) -> None:
        self.folder = folder
        self.options = options
        self.examination = Examination(when, folder / "evidence", PROFILE, **options)
        self.tumbler = Tumbler()
        self.tumbler.frames = FLAT_124
        self.told: list[Event] = []
        self._house: House | None = None

    @property
    def house(self) -> House:
        return self._house or self.again()

    def again(self) -> House:
        self._house = House(self.folder / "ledger.db", self.tumbler, "open", examination=self.examination)
        self._house.sink.listen(self.tumbler.id, self.told.append)
        return self._house

    @property
    def pictures(self) -> Pictures:
        return Pictures(self.folder / "evidence")

    def found(self, round_id: bytes) -> Finding:
        finding = self.pictures.finding(round_id)
        assert finding is not None
        return finding

    def kinds(self) -> list[str]:
        return [type(event).__name__ for event in self.told]


@pytest.fixture
def careful(tmp_path: Path) -> Scene:
    return Scene(tmp_path, "before-settlement")


@pytest.fixture
def quick(tmp_path: Path) -> Scene:
    return Scene(tmp_path, "after")


async def until(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.005)


async def held(table: Table) -> bytes:
    """A round played until its reading waits for its evidence."""
    playing = asyncio.ensure_future(table.play_round(bet))
    await until(lambda: table.desk.held)
    playing.cancel()
    assert table.desk.held is not None
    return table.desk.held


@contextlib.contextmanager
def dying(monkeypatch: pytest.MonkeyPatch, owner: type, step: str) -> Iterator[list[str]]:
    """The examination ends before that step, as with its process; the list says that it came to it."""
    died: list[str] = []

    def die(*_arguments: object) -> None:
        died.append(step)
        raise asyncio.CancelledError

    with monkeypatch.context() as patch:
        patch.setattr(owner, step, die)
        yield died


# --- before settlement ---


async def test_a_reading_that_the_second_reader_confirms_is_settled(careful: Scene) -> None:
    async with careful.house.running() as table:
        outcome = await table.play_round(bet)
        assert (outcome.verdict, outcome.faces) == ("settled", (1, 2, 4))
        kinds = careful.kinds()
        assert kinds.index("ResultRead") < kinds.index("RoundHeld") < kinds.index("RoundSettled")
        finding = careful.found(outcome.round)
        assert (finding.fact, finding.device, finding.sequence) == ("", (1, 2, 4), outcome.sequence)
        assert finding.second is not None
        assert sorted(finding.second["faces"]) == [1, 2, 4]


async def test_the_pictures_are_those_that_the_record_signs(careful: Scene) -> None:
    async with careful.house.running() as table:
        outcome = await table.play_round(bet)
        pictures = table.pictures
        assert pictures is not None
        paths = pictures.of_round(outcome.round)
        assert [path.name for path in paths] == ["lamp0.png", "lamp1.png", "lamp2.png", "lamp3.png"]
        pixels = []
        for path in paths:
            with Image.open(path) as image:
                assert (image.format, image.mode, image.size) == ("PNG", "L", (320, 240))
                pixels.append(image.tobytes())
        (record,) = [each for each in table._books.records_of_round(outcome.round) if each.kind == "reading"]
        digest = hashlib.sha256(b"".join(pixels)).digest()
        assert digest in record.raw
        assert paths[0].parent.name == digest.hex()
        assert not list((careful.folder / "evidence" / "coming").iterdir())
        Image.new("L", (320, 240)).save(paths[2])
        with pytest.raises(PicturesDamaged):
            pictures.frames(digest)


async def test_a_reading_that_the_second_reader_contradicts_is_for_people(careful: Scene) -> None:
    careful.tumbler.faces = (1, 2, 5)
    async with careful.house.running() as table:
        outcome = await table.play_round(bet)
        assert (outcome.verdict, outcome.fact, outcome.wagers) == ("referred", "second-reader-differs", ())
        assert outcome.clause == "5.10"
        assert len(careful.pictures.of_round(outcome.round)) == 4
        settled = await table.desk.settle_referred(outcome.round, (1, 2, 4), DECISION)
        assert settled.faces == (1, 2, 4)
        assert (await table.play_round(bet)).verdict == "referred"
        assert table._books.check() is None


async def test_a_reading_that_the_second_reader_cannot_make_is_for_people(careful: Scene) -> None:
    careful.tumbler.frames = COCKED
    async with careful.house.running() as table:
        outcome = await table.play_round(bet)
        assert (outcome.verdict, outcome.fact) == ("referred", "second-reader-unsure")
        finding = careful.found(outcome.round)
        assert finding.second is not None
        assert finding.second["verdict"] == "refused"


@pytest.mark.parametrize(
    "frames", [b"", FLAT_124[:-1], FLAT_124[: 320 * 240]], ids=["none", "short", "one lamp"]
)
async def test_frames_that_are_no_scene_confirm_nothing(careful: Scene, frames: bytes) -> None:
    careful.tumbler.frames = frames
    async with careful.house.running() as table:
        outcome = await table.play_round(bet)
        assert (outcome.verdict, outcome.fact) == ("referred", "second-reader-unsure")


async def test_a_second_reader_that_breaks_confirms_nothing(careful: Scene, tmp_path: Path) -> None:
    broken = tmp_path / "profile.json"
    broken.write_text("{}")
    careful.examination = Examination("before-settlement", tmp_path / "evidence", broken)
    async with careful.again().running() as table:
        outcome = await table.play_round(bet)
        assert (outcome.verdict, outcome.fact) == ("referred", "second-reader-failed")


async def test_a_reading_whose_frames_the_device_has_lost_is_for_people(careful: Scene) -> None:
    async with careful.house.running() as table:
        careful.house.session.questions.stopped = True
        round_id = await held(table)
        careful.tumbler.restart()
        careful.house.session.questions.let(1)
        outcome = await table.result()
        assert (outcome.round, outcome.verdict, outcome.fact) == (round_id, "referred", "evidence-missing")
        assert careful.pictures.of_round(round_id) == []


async def test_a_reading_without_evidence_in_time_is_for_people(careful: Scene) -> None:
    async with careful.house.running() as table:
        careful.house.session.questions.stopped = True
        round_id = await held(table)
        await asyncio.sleep(0.05)
        assert table.desk.held == round_id
        careful.house.clock.time_passes.set()
        outcome = await table.result()
        assert (outcome.round, outcome.verdict, outcome.fact) == (round_id, "referred", "evidence-late")
        assert careful.found(round_id).fact == "evidence-late"


async def test_frames_that_come_wrong_are_asked_for_again(careful: Scene) -> None:
    async with careful.house.running() as table:
        careful.house.session.questions.spoilt = 1
        assert (await table.play_round(bet)).verdict == "settled"
        offsets = [offset for _, offset in careful.house.session.questions.asked]
        assert offsets.count(0) == 2


async def test_a_full_disk_settles_nothing_and_the_table_goes_on(
    careful: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    async with careful.house.running() as table:
        with monkeypatch.context() as patch:
            patch.setattr(Pictures, "note", full)
            outcome = await table.play_round(bet)
            assert (outcome.verdict, outcome.fact) == ("referred", "evidence-not-kept")
        assert (await table.play_round(bet)).verdict == "settled"


async def test_frames_that_cannot_be_stored_settle_nothing(
    careful: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("host_tools.link.EvidenceFile.append", full)
    async with careful.house.running() as table:
        outcome = await table.play_round(bet)
        assert (outcome.verdict, outcome.fact) == ("referred", "evidence-not-kept")


async def test_people_may_decide_before_the_second_reader_does(careful: Scene) -> None:
    async with careful.house.running() as table:
        questions = careful.house.session.questions
        questions.stopped = True
        round_id = await held(table)
        outcome = await table.desk.refer(round_id, "dealer-objects")
        questions.let(10)
        await until(lambda: careful.pictures.finding(round_id))
        assert await table.result() == outcome
        assert (await table.play_round(bet)).verdict == "settled"


async def test_a_reading_that_people_released_too_early_is_still_looked_at(careful: Scene) -> None:
    careful.tumbler.faces = (1, 2, 5)
    async with careful.house.running() as table:
        questions = careful.house.session.questions
        questions.stopped = True
        round_id = await held(table)
        assert (await table.desk.release(round_id)).verdict == "settled"
        questions.let(10)
        await until(lambda: careful.pictures.finding(round_id))
        assert alarms(careful.house)[0] == ["second-reader-differs"]


async def test_the_frames_of_a_void_are_kept_and_nothing_waits_for_them(careful: Scene) -> None:
    careful.tumbler.refusal, careful.tumbler.frames = "not-flat", COCKED
    async with careful.house.running() as table:
        careful.house.session.questions.stopped = True
        outcome = await table.play_round(bet)
        assert (outcome.verdict, outcome.fact) == ("void", "not-flat")
        careful.house.session.questions.let(10)
        await until(lambda: careful.pictures.finding(outcome.round))
        assert len(careful.pictures.of_round(outcome.round)) == 4
        assert careful.found(outcome.round).fact == ""
        assert RoundHeld not in [type(event) for event in careful.told]


async def test_a_void_whose_frames_are_still_coming_delays_no_reading(careful: Scene) -> None:
    """The device keeps its newest scene alone: the old one ends at the next question."""
    careful.tumbler.refusal, careful.tumbler.frames = "not-flat", COCKED
    async with careful.house.running() as table:
        questions = careful.house.session.questions
        questions.stopped, questions.piece = True, 8192
        questions.let(2)
        void = await table.play_round(bet)
        await until(lambda: len(questions.asked) == 3)
        careful.tumbler.refusal, careful.tumbler.frames = "", FLAT_124
        playing = asyncio.ensure_future(table.play_round(bet))
        await until(lambda: table.desk.held)
        questions.let(1000)
        assert (await playing).verdict == "settled"
        assert careful.found(void.round).fact == ""
        assert careful.pictures.of_round(void.round) == []


# --- restarts ---


@pytest.mark.parametrize("pieces", [0, 1, 5, 37])
async def test_a_bridge_that_restarts_while_frames_come_goes_on_where_it_was(
    careful: Scene, pieces: int
) -> None:
    async with careful.house.running() as table:
        questions = careful.house.session.questions
        questions.stopped, questions.piece = True, 8192
        questions.let(pieces)
        round_id = await held(table)
        await until(lambda: len(questions.asked) == pieces + 1)
    house = careful.again()
    async with house.running() as table:
        assert await table.recover() is None
        outcome = await table.result()
        assert (outcome.round, outcome.verdict, outcome.faces) == (round_id, "settled", (1, 2, 4))
        begun = house.session.questions.asked
        assert not begun or begun[0][1] == min(pieces * 8192, len(FLAT_124))
        assert (await table.play_round(bet)).verdict == "settled"


async def test_a_bridge_killed_before_the_settlement_settles_by_what_was_found(
    careful: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    careful.tumbler.faces = (1, 2, 5)
    async with careful.house.running() as table:
        with dying(monkeypatch, examining.Examiner, "_conclude") as died:
            round_id = await held(table)
            await until(lambda: died)
        assert table.desk.held == round_id
    (finding,) = (careful.folder / "evidence" / "rounds").glob("*.json")
    written = finding.read_text()
    careful.tumbler.restart()  # and the frames are gone
    house = careful.again()
    async with house.running() as table:
        outcome = await table.result()
        assert (outcome.verdict, outcome.fact) == ("referred", "second-reader-differs")
        assert finding.read_text() == written
        assert house.session.questions.asked == []


async def test_a_store_that_is_gone_for_a_while_delays_the_settlement_only(careful: Scene) -> None:
    async with careful.house.running() as table:
        questions = careful.house.session.questions
        questions.stopped = True
        round_id = await held(table)
        failures = iter(range(20))

        def gone(sql: str) -> None:
            if sql.startswith("INSERT") and next(failures, None) is not None:
                raise LedgerUnavailable("database or disk is full")

        before_each_statement(table._books.store, gone)
        questions.let(10)
        outcome = await table.result()
        assert (outcome.round, outcome.verdict) == (round_id, "settled")
        assert next(failures, None) is None


# --- after settlement ---


async def test_a_confirmed_result_is_settled_at_once_and_raises_no_alarm(quick: Scene) -> None:
    async with quick.house.running() as table:
        quick.house.session.questions.stopped = True
        outcome = await table.play_round(bet)
        assert outcome.verdict == "settled"
        quick.house.session.questions.let(10)
        await until(lambda: quick.pictures.finding(outcome.round))
        assert quick.found(outcome.round).fact == ""
        assert not {"EvidenceAlarm", "RoundHeld"} & set(quick.kinds())


def alarms(house: House) -> tuple[list[str], list[str]]:
    """The facts of the alarms among the notices, and the rounds of those in the access log."""
    notices = [
        json.loads(each.body) for each in house.ledger.notices("table 1") if each.topic == "evidence-alarm"
    ]
    entries = [each for each in house.ledger.accesses("table 1") if each.action == "evidence-alarm"]
    return [each["fact"] for each in notices], [each.before for each in entries]


async def test_a_contradicted_result_is_an_alarm_in_time_for_a_correction(quick: Scene) -> None:
    quick.tumbler.faces = (1, 2, 5)
    async with quick.house.running() as table:
        outcome = await table.play_round(bet)
        assert outcome.verdict == "settled"
        await until(lambda: "EvidenceAlarm" in quick.kinds())
        expected = EvidenceAlarm(outcome.round, outcome.sequence, "second-reader-differs")
        assert [event for event in quick.told if isinstance(event, EvidenceAlarm)] == [expected]
        facts, rounds = alarms(quick.house)
        assert facts == [expected.fact]
        assert outcome.round.hex() in rounds[0]
        await table.open_round()
        (standing,) = table.desk.alarms()
        assert (standing.round, standing.device) == (outcome.round, (1, 2, 5))
        assert sorted(standing.second) == [1, 2, 4]
        correction = await table.desk.correct(outcome.round, (1, 2, 4), DECISION)
        assert correction.outcome.faces == (1, 2, 4)
        assert table.desk.alarms() == []
        quick.house.ledger.check()


async def test_an_alarm_stands_over_restarts_until_a_person_answers_for_it(quick: Scene) -> None:
    quick.tumbler.faces = (1, 2, 5)
    async with quick.house.running() as table:
        outcome = await table.play_round(bet)
        await until(lambda: "EvidenceAlarm" in quick.kinds())
    mia = By("Mia", "10.0.0.9")
    async with quick.again().running() as table:
        (standing,) = table.desk.alarms()
        with pytest.raises(DecisionIncomplete):
            await table.desk.answer_alarm(standing.number, " ", mia)
        with pytest.raises(WrongStep):
            await table.desk.answer_alarm(standing.number + 1, "glare", mia)
        await table.desk.answer_alarm(standing.number, "glare on the dome", mia)
        assert quick.told[-1] == AlarmAnswered(outcome.round, standing.number)
        with pytest.raises(WrongStep):
            await table.desk.answer_alarm(standing.number, "glare on the dome", mia)
    house = quick.again()
    async with house.running() as table:
        assert table.desk.alarms() == []
        newest = house.ledger.newest_access("table 1")
        assert newest is not None
        assert (newest.who, newest.action) == ("Mia", "answer-alarm")
        assert json.loads(newest.after)["reason"] == "glare on the dome"
        house.ledger.check_everything()


@pytest.mark.parametrize("step", [(examining.Examiner, "_alarm"), (Pictures, "note")], ids=lambda s: s[1])
async def test_an_alarm_is_told_once_and_never_lost(
    quick: Scene, step: tuple[type, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    quick.tumbler.faces = (1, 2, 5)
    async with quick.house.running() as table:
        with dying(monkeypatch, *step) as died:
            await table.play_round(bet)
            await until(lambda: died)
    house = quick.again()
    async with house.running():
        await until(lambda: list((quick.folder / "evidence" / "rounds").glob("*.json")))
        assert alarms(house)[0] == ["second-reader-differs"]


async def test_an_unconfirmed_result_is_an_alarm_when_the_frames_were_overwritten(quick: Scene) -> None:
    async with quick.house.running() as table:
        quick.house.session.questions.stopped = True
        first = await table.play_round(bet)
        quick.tumbler.frames = frames_of("0006")
        quick.tumbler.faces = (2, 3, 4)
        await table.play_round(bet)
        quick.house.session.questions.let(100)
        await until(lambda: quick.pictures.finding(first.round))
        assert alarms(quick.house)[0][0] == "evidence-missing"


async def test_a_table_that_never_had_evidence_begins_with_its_newest_round(quick: Scene) -> None:
    house = House(quick.folder / "other.db", quick.tumbler, "open")
    async with house.running() as table:
        rounds = [await table.play_round(bet) for _ in range(3)]
        assert table.pictures is None
    house = House(quick.folder / "other.db", quick.tumbler, "open", examination=quick.examination)
    async with house.running():
        await until(lambda: quick.pictures.finding(rounds[-1].round))
        assert len(list((quick.folder / "evidence" / "rounds").glob("*.json"))) == 1
        assert alarms(house) == ([], [])
