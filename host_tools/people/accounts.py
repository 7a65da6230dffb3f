"""Accounts of people (argon2 passwords) and programs (random tokens), kept in the ledger.

A name belongs to one person for ever: closing an account keeps it. Every change is in the access log "people"
in the transaction that makes it. Secrets are stored only as argon2id (RFC 9106) or, for random tokens of 256
bits, as SHA-256.
"""

import hashlib
import json
import re
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from host_tools.ledger import Ledger
from host_tools.ledger.access import ADDED, CLOSED, PASSWORD_SET, PEOPLE
from host_tools.people.errors import (
    AccountExists,
    AccountUnknown,
    NameRefused,
    NotAllowed,
    NotSignedIn,
    PasswordTooWeak,
    SetUpRefused,
    SignInRefused,
)
from host_tools.people.person import Person
from host_tools.people.roles import PROGRAM_ROLES, Role

SHORTEST_PASSWORD = 12  # characters; NIST SP 800-63B asks for 8 at least, and no other rules
_LONGEST_PASSWORD = 256
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,38}[A-Za-z0-9]")
_TOKEN = "tumbler_"  # so that a leaked token is recognised for what it is

_COLUMNS = "name, role, program, closed"


@dataclass(frozen=True, slots=True)
class Account:
    """A person or a program (`program`) with a role; a closed account opens no door."""

    name: str
    role: Role
    program: bool
    closed: bool


class Accounts:
    """The accounts in a ledger. `now_ms` is the clock, `new_secret` gives fresh random text (256 bits)."""

    def __init__(
        self,
        books: Ledger,
        now_ms: Callable[[], int],
        new_secret: Callable[[], str] = lambda: secrets.token_urlsafe(32),
        hasher: PasswordHasher | None = None,
    ) -> None:
        self._books = books
        self._now_ms = now_ms
        self._new_secret = new_secret
        self._hasher = hasher or PasswordHasher()
        # verified in place of an unknown name's, so that the time taken tells nothing
        self._nobody = self._hasher.hash(new_secret())
        self._set_up: str | None = None
        self._passwords: dict[str, tuple[int, str]] = {}  # by name: step and who, as far as the log was read
        self._read = 0
        self._reading = threading.Lock()

    # --- the first account ---

    def set_up_secret(self) -> str | None:
        """The secret of the one-time set-up link, or None once anybody has an account. It lasts until the
        process ends or the link is used."""
        if self.all():
            return None
        self._set_up = self._set_up or self._new_secret()
        return self._set_up

    async def set_up(self, secret: str, name: str, password: str, origin: str) -> Account:
        """Make the first account, a shift manager who can make the others. Raises SetUpRefused."""
        if self._set_up is None or not secrets.compare_digest(secret.encode(), self._set_up.encode()):
            raise SetUpRefused("this set-up link is not valid; the service prints one at its first start")
        hashed = self._hashed(name, password)
        founder = Person(name, Role.SHIFT_MANAGER, program=False, origin=origin)

        def first() -> Account:
            self._take_turn(founder)
            if self.all():
                raise SetUpRefused("the service is set up already; sign in")
            return self._add(name, Role.SHIFT_MANAGER, hashed, founder, program=False)

        made = await self._books.durably(first)
        self._set_up = None
        return made

    # --- accounts ---

    def all(self) -> list[Account]:
        """All accounts by name, closed ones too."""
        return [
            _account(row) for row in self._books.store.rows(f"SELECT {_COLUMNS} FROM accounts ORDER BY name")
        ]

    def find(self, name: str) -> Account | None:
        """The account of that name, or None."""
        row = self._books.store.row(f"SELECT {_COLUMNS} FROM accounts WHERE name = ?", (name,))
        return _account(row) if row else None

    async def add_person(self, name: str, role: Role, password: str, by: Person) -> Account:
        """Make a person's account. Raises AccountExists, PasswordTooWeak."""
        hashed = self._hashed(name, password)
        return await self._books.durably(lambda: self._add(name, role, hashed, by, program=False))

    async def add_program(self, name: str, role: Role, by: Person) -> tuple[Account, str]:
        """Make a program's account and its token, which is told here and never again.

        Raises AccountExists, NotAllowed for a role that must be a person's."""
        if role not in PROGRAM_ROLES:
            raise NotAllowed(f"a program can be {' or '.join(sorted(PROGRAM_ROLES))}, not {role}")
        token = _TOKEN + self._new_secret()
        made = await self._books.durably(lambda: self._add(name, role, _digest(token), by, program=True))
        return made, token

    async def set_password(self, name: str, password: str, by: Person) -> None:
        """Give a person a new password. Raises AccountUnknown, PasswordTooWeak."""
        hashed = self._hashed(name, password)

        def change() -> None:
            self._take_turn(by)
            account = self._known(name)
            if account.program:
                raise AccountUnknown(f"{name!r} is a program; make a new token under another name")
            self._books.store.execute("UPDATE accounts SET secret = ? WHERE name = ?", (hashed, name))
            self._log(PASSWORD_SET, account, account, by)

        await self._books.durably(change)

    async def close(self, name: str, by: Person) -> Account:
        """Close an account for good; its name stays taken. Raises AccountUnknown, NotAllowed (one's own, or
        by somebody whose own is closed: two managers who close each other at once leave one)."""
        if name == by.name:
            raise NotAllowed("nobody closes their own account; another shift manager does")

        def change() -> Account:
            self._take_turn(by)
            before = self._known(name)
            after = Account(before.name, before.role, before.program, closed=True)
            self._books.store.execute("UPDATE accounts SET closed = 1 WHERE name = ?", (name,))
            self._log(CLOSED, before, after, by)
            return after

        return await self._books.durably(change)

    def chose_password(self, name: str) -> bool:
        """Whether the person has set the password, not somebody else who knows it: the log tells."""
        return self._password(name)[1] == name

    def password_step(self, name: str) -> int:
        """The step of the log at which the person's password was set; with a new one it is another."""
        return self._password(name)[0]

    # --- proofs ---

    def verify_password(self, name: str, password: str) -> Account:
        """The person's account; raises SignInRefused in the same words and time whatever was wrong."""
        row = self._books.store.row(
            f"SELECT {_COLUMNS}, secret FROM accounts WHERE name = ? AND program = 0 AND closed = 0", (name,)
        )
        known = row is not None
        if not self._matches(row[4] if row else self._nobody, password) or not known:
            raise SignInRefused("the name and the password do not belong together")
        return _account(row[:4])

    def verify_token(self, token: str) -> Account:
        """The program's account; raises NotSignedIn."""
        row = self._books.store.row(
            f"SELECT {_COLUMNS} FROM accounts WHERE secret = ? AND program = 1 AND closed = 0",
            (_digest(token),),
        )
        if row is None:
            raise NotSignedIn("the token is not valid; have a shift manager make a new one")
        return _account(row)

    # --- inside ---

    def _password(self, name: str) -> tuple[int, str]:
        """At which step the password was set, and by whom."""
        with self._reading:
            while entries := self._books.accesses(PEOPLE, self._read):
                for entry in entries:
                    if entry.action in (ADDED, PASSWORD_SET):
                        self._passwords[json.loads(entry.after)["name"]] = (entry.step, entry.who)
                    self._read = entry.step
            return self._passwords.get(name, (0, ""))

    def _add(self, name: str, role: Role, secret: str, by: Person, *, program: bool) -> Account:
        _require_name(name)
        self._take_turn(by)
        if any(each.name.casefold() == name.casefold() for each in self.all()):
            raise AccountExists(f"the name {name!r} is taken")
        self._books.store.insert(
            "accounts",
            {
                "name": name,
                "role": str(role),
                "program": int(program),
                "closed": 0,
                "secret": secret,
                "made_ms": self._now_ms(),
            },
        )
        made = Account(name, role, program, closed=False)
        self._log(ADDED, None, made, by)
        return made

    def _take_turn(self, by: Person) -> None:
        """One change of the accounts after the other, in whatever process, and only by those whose account is
        open: another's change may have come since they asked. Raises NotAllowed."""
        self._books.store.serialise(f"access {PEOPLE}")
        account = self.find(by.name)
        if account is not None and account.closed:
            raise NotAllowed(f"the account of {by.name} is closed")

    def _known(self, name: str) -> Account:
        account = self.find(name)
        if account is None:
            raise AccountUnknown(f"there is no account {name!r}")
        return account

    def _hashed(self, name: str, password: str) -> str:
        _require_name(name)
        if len(password) < SHORTEST_PASSWORD or len(password) > _LONGEST_PASSWORD:
            raise PasswordTooWeak(f"a password has {SHORTEST_PASSWORD} to {_LONGEST_PASSWORD} characters")
        if name.casefold() in password.casefold():
            raise PasswordTooWeak("the password must not contain the name")
        return self._hasher.hash(password)

    def _matches(self, hashed: str, password: str) -> bool:
        try:
            return self._hasher.verify(hashed, password[: _LONGEST_PASSWORD + 1])
        except (VerificationError, InvalidHashError):
            return False

    def _log(self, action: str, before: Account | None, after: Account, by: Person) -> None:
        self._books.log_access(
            PEOPLE,
            who=by.name,
            origin=by.origin,
            action=action,
            before=_text(before),
            after=_text(after),
            now_ms=self._now_ms(),
        )


def _account(row: tuple) -> Account:
    name, role, program, closed = row
    return Account(name, Role(role), bool(program), bool(closed))


def _require_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise NameRefused("a name has 2 to 40 letters, digits, spaces, dots, dashes or underscores")


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _text(account: Account | None) -> str:
    if account is None:
        return "null"
    return json.dumps({"name": account.name, "role": account.role, "closed": account.closed}, sort_keys=True)
