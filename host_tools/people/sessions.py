"""Signed-in people: sessions that end by themselves.

Sessions live in memory: a restart of the service signs everybody out, and no store holds what opens a door.
`now` is seconds on a clock that never steps back.
"""

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass

from host_tools.people.accounts import Account, Accounts
from host_tools.people.brake import Brake
from host_tools.people.errors import NotSignedIn
from host_tools.people.person import Person

IDLE_S = 30 * 60.0
LONGEST_S = 12 * 3600.0  # a shift


@dataclass(slots=True)
class _Session:
    name: str
    password: int  # accounts.password_step of the one that opened it
    csrf: str
    made: float
    seen: float


class Sessions:
    """Sign-in and sign-out over the accounts of a ledger; `new_secret` gives fresh random text (256 bits)."""

    def __init__(
        self,
        accounts: Accounts,
        now: Callable[[], float],
        new_secret: Callable[[], str] = lambda: secrets.token_urlsafe(32),
    ) -> None:
        self._accounts = accounts
        self._now = now
        self._new_secret = new_secret
        self._sessions: dict[str, _Session] = {}
        self._brake = Brake(now)

    def sign_in(self, name: str, password: str, origin: str) -> tuple[str, str]:
        """Open a session: its secret for the cookie, and the CSRF secret for the page.

        Takes as long as argon2 does: call it in a thread. Raises SignInRefused, TooManyTries."""
        step = self._accounts.password_step(name)  # before the proof: one that is new after it opens nothing
        account, now = self.prove(name, password, origin), self._now()
        self._forget_ended(now)
        secret, csrf = self._new_secret(), self._new_secret()
        self._sessions[_key(secret)] = _Session(account.name, step, csrf, now, now)
        return secret, csrf

    def prove(self, name: str, password: str, origin: str) -> Account:
        """The person's account. Takes as long as argon2 does. Raises SignInRefused, TooManyTries."""
        with self._brake.trying(name, origin):
            return self._accounts.verify_password(name, password)

    def sign_out(self, secret: str) -> None:
        """End a session; one that has ended already is no error."""
        self._sessions.pop(_key(secret), None)

    def end_all_of(self, name: str) -> None:
        """End every session of a person: after a new password, or when the account is closed."""
        self._sessions = {key: each for key, each in self._sessions.items() if each.name != name}

    def person(self, secret: str, origin: str) -> tuple[Person, str]:
        """Who the cookie's secret stands for, and the session's CSRF secret; raises NotSignedIn."""
        now = self._now()
        session = self._sessions.get(_key(secret))
        account = self._accounts.find(session.name) if session and self._goes_on(session, now) else None
        if session is None or account is None or account.closed:
            raise NotSignedIn("the session has ended; sign in again")
        session.seen = now
        known = not self._accounts.chose_password(account.name)
        return _person(account, origin, known_to_others=known), session.csrf

    def lasts(self, secret: str) -> bool:
        """Whether a session goes on; asking does not prolong it."""
        session = self._sessions.get(_key(secret))
        return session is not None and self._goes_on(session, self._now())

    def program(self, token: str, origin: str) -> Person:
        """Who the token stands for; raises NotSignedIn."""
        return _person(self._accounts.verify_token(token), origin)

    def _goes_on(self, session: _Session, now: float) -> bool:
        """Whether it has not ended: by time, or by a new password, wherever that was set."""
        return not _ended(session, now) and session.password == self._accounts.password_step(session.name)

    def _forget_ended(self, now: float) -> None:
        self._sessions = {key: each for key, each in self._sessions.items() if not _ended(each, now)}


def _ended(session: _Session, now: float) -> bool:
    return now - session.seen > IDLE_S or now - session.made > LONGEST_S


def _key(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _person(account: Account, origin: str, *, known_to_others: bool = False) -> Person:
    return Person(account.name, account.role, account.program, origin, known_to_others)
