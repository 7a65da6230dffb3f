"""The door for those who look after: evidence, records, chains, logs, the tumbler's memory, accounts."""

import asyncio
from itertools import islice

from host_tools import ledger
from host_tools.bridge.by import By
from host_tools.images import LAMPS
from host_tools.link import HostSession
from host_tools.people import (
    Account,
    AccountUnknown,
    Deed,
    OldPasswordWrong,
    PasswordTooWeak,
    Person,
    Role,
    SignInRefused,
)
from host_tools.records import RecordRefused
from host_tools.service.errors import Asked, DeviceAway, EvidenceMissing
from host_tools.service.evidence import READERS, marked, picture
from host_tools.service.playing import round_bytes
from host_tools.service.running import RunningTable
from host_tools.service.service import Service
from host_tools.service.views import AccessView, ChainView, RecalledView, RecordView
from tumbler import definitions

MOST_RECORDS = 500
RECALL_S = 30.0


class Auditing:
    """What `person` may look into. Methods raise NotAllowed, TableUnknown, RoundNotHere."""

    def __init__(self, service: Service, person: Person) -> None:
        self._service = service
        self._person = person

    # --- evidence ---

    async def picture(self, table: str, round_id: str, lamp: int, marks: str = "") -> bytes:
        """A picture of the round's reading as PNG: as `lamp` showed it, or with a reader's `marks`.
        Raises EvidenceMissing."""
        self._person.require(Deed.SEE_EVIDENCE)
        running = self._service.dice_table(table)
        round_ = running.round(round_bytes(round_id))
        if not 0 <= lamp < LAMPS or marks not in ("", *READERS):
            raise Asked(f"lamps are 0 to {LAMPS - 1}, marks are {' or '.join(READERS)}")
        pictures, examination = running.table.pictures, running.settings.examination
        if pictures is None or examination is None:
            raise EvidenceMissing(f"table {table} keeps no evidence; its configuration says so")
        if not marks:
            return await asyncio.to_thread(picture, pictures, round_.id, lamp)
        return await asyncio.to_thread(
            marked, pictures, self._service.frames_of(round_.id), marks, examination.profile
        )

    # --- records and logs ---

    async def records(self, device: str, after: int = 0, limit: int = MOST_RECORDS) -> list[RecordView]:
        """A device's records above sequence `after`, in order."""
        self._person.require(Deed.AUDIT)
        found = islice(self._service.books.records(_device(device), after), min(limit, MOST_RECORDS))
        return [_record(each) for each in found]

    async def chain(self) -> list[ChainView]:
        """The heads of all chains in the ledger: noted elsewhere, they show that nothing was cut off."""
        self._person.require(Deed.AUDIT)
        tables = {
            each.tumbler.id: each.name
            for each in self._service.tables.values()
            if isinstance(each, RunningTable)
        }
        return [
            ChainView(
                device=each.id.hex(),
                table=tables.get(each.id),
                sequence=each.head_sequence,
                digest=each.head_digest.hex(),
                boot=each.head_boot,
            )
            for each in self._service.books.devices()
            if each.id in tables or each.head_sequence > each.before_first  # not what stands for hands
        ]

    async def logs(self) -> list[str]:
        """The names of the access logs: one a table, and one of people."""
        self._person.require(Deed.AUDIT)
        return self._service.books.access_logs()

    async def log(self, log: str, after: int = 0, limit: int = MOST_RECORDS) -> list[AccessView]:
        """The entries of an access log above step `after`, in order."""
        self._person.require(Deed.AUDIT)
        return [
            AccessView(
                log=each.log,
                step=each.step,
                at_ms=each.made_ms,
                who=each.who,
                origin=each.origin,
                action=each.action,
                before=each.before,
                after=each.after,
                digest=each.digest.hex(),
            )
            for each in self._service.books.accesses(log, after, min(limit, MOST_RECORDS))
        ]

    async def recall(self, table: str, rounds: int = 10) -> list[RecalledView]:
        """The last rounds out of the tumbler's own memory, newest first, held against the ledger."""
        self._person.require(Deed.RECALL)
        running = self._service.dice_table(table)
        session = running.session
        if not isinstance(session, HostSession) or running.status is None:
            raise DeviceAway(f"the tumbler of table {table} is not connected")
        try:
            async with asyncio.timeout(RECALL_S):
                found = await self._recalled(running, session, rounds)
        except TimeoutError:
            raise DeviceAway("the tumbler did not tell its rounds in time; ask again") from None
        by = By(self._person.name, self._person.origin, {"rounds": [each.round for each in found]})
        await self._service.log(table, by, "recall")
        return found

    async def _recalled(self, running: RunningTable, session: HostSession, rounds: int) -> list[RecalledView]:
        views: dict[str, RecalledView] = {}
        sequence = (await session.questions.recall(0)).last
        first = 1
        while sequence >= first and len(views) < rounds:
            told = await session.questions.recall(sequence)
            first = max(1, told.first)
            if told.raw is not None:
                view = self._outcome(running.tumbler.id, told.raw)
                if view is not None:
                    views.setdefault(view.round, view)
            sequence -= 1
        return list(views.values())

    def _outcome(self, device: bytes, raw: bytes) -> RecalledView | None:
        """What a record says of how a round ended; None for one that ends no round."""
        try:
            record = self._service.verifier.authenticate(raw)
        except RecordRefused as refused:
            raise Asked(f"the tumbler's memory holds a record that is not genuine: {refused}") from refused
        if record.kind not in ("reading", "void"):
            return None
        kept = self._service.books.record(device, record.sequence)
        fields = record.fields
        fact = definitions.name_of(definitions.FACTS, fields["fact"]) if "fact" in fields else ""
        return RecalledView(
            round=fields["round"].hex(),
            outcome="read" if record.kind == "reading" else "void",
            faces=tuple(fields["faces"]) if "faces" in fields else None,
            fact=fact or "",
            record=record.sequence,
            agrees=kept is not None and kept.raw == raw,
        )

    # --- accounts ---

    async def people(self) -> list[Account]:
        """All accounts of people and programs, closed ones too."""
        self._person.require(Deed.MANAGE)
        return self._service.accounts.all()

    async def add_person(self, name: str, role: Role, password: str) -> Account:
        """Make a person's account; the person changes the password at the first sign-in."""
        self._person.require(Deed.MANAGE)
        return await self._service.accounts.add_person(name, role, password, self._person)

    async def add_program(self, name: str, role: Role) -> tuple[Account, str]:
        """Make a program's account and its token, told once."""
        self._person.require(Deed.MANAGE)
        return await self._service.accounts.add_program(name, role, self._person)

    async def set_password(self, name: str, password: str, old: str = "") -> None:
        """Give a person a new password: everybody their own, with the old one; those who manage anybody
        else's, who changes it at the next sign-in. Raises OldPasswordWrong, PasswordTooWeak, TooManyTries."""
        if name != self._person.name or self._person.program:
            self._person.require(Deed.MANAGE)
        else:
            await self._prove(old)
            if password == old:
                raise PasswordTooWeak("this is the old password; choose another")
        await self._service.accounts.set_password(name, password, self._person)
        self._service.sessions.end_all_of(name)

    async def _prove(self, password: str) -> None:
        """An unlocked tablet is nobody: the password says who sits at it."""
        sessions, me = self._service.sessions, self._person
        try:
            await asyncio.to_thread(sessions.prove, me.name, password, me.origin)
        except SignInRefused:
            raise OldPasswordWrong("this is not your old password; nothing was changed") from None

    async def close_account(self, name: str, *, program: bool) -> Account:
        """Close an account for good; its sessions end."""
        self._person.require(Deed.MANAGE)
        account = self._service.accounts.find(name)
        if account is None or account.program != program:
            raise AccountUnknown(f"there is no {'program' if program else 'person'} {name!r}")
        closed = await self._service.accounts.close(name, self._person)
        self._service.sessions.end_all_of(name)
        return closed


def _record(each: ledger.StoredRecord) -> RecordView:
    return RecordView(
        device=each.device.hex(),
        sequence=each.sequence,
        boot=each.boot,
        kind=each.kind,
        round=each.round.hex() if each.round else None,
        digest=each.digest.hex(),
        raw=each.raw.hex(),
    )


def _device(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise Asked("a device's id is 16 hex digits") from None
