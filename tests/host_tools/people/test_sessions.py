"""Sessions end by themselves, and guessing passwords gets slower and slower."""

import asyncio
import itertools
import threading

import pytest

from host_tools.ledger import open_ledger
from host_tools.people import (
    Account,
    Accounts,
    Deed,
    NotSignedIn,
    PasswordNotOwn,
    Person,
    Role,
    Sessions,
    SignInRefused,
    TooManyTries,
)
from host_tools.people.brake import FREE_TRIES, FREE_TRIES_OF_ADDRESS, LONGEST_WAIT_S
from host_tools.people.sessions import IDLE_S, LONGEST_S
from tests.host_tools.people.test_accounts import BOSS, PASSWORD, fast_hasher

HERE = "10.0.0.1"


class Clock:
    """Seconds that pass only when told."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
async def accounts(tmp_path):
    with open_ledger(tmp_path / "ledger.db") as books:
        made = Accounts(books, lambda: 1_000, hasher=fast_hasher())
        await made.add_person("Ada", Role.DEALER, "a word for the first day", BOSS)
        await made.set_password("Ada", PASSWORD, Person("Ada", Role.DEALER, program=False, origin=HERE))
        yield made


@pytest.fixture
def sessions(accounts, clock):
    secrets = (f"secret-{i}" for i in itertools.count())
    return Sessions(accounts, clock, lambda: next(secrets))


def test_a_session_stands_for_the_person_who_signed_in(sessions):
    secret, csrf = sessions.sign_in("Ada", PASSWORD, HERE)
    assert sessions.person(secret, HERE) == (Person("Ada", Role.DEALER, program=False, origin=HERE), csrf)
    assert secret != csrf
    sessions.sign_out(secret)
    sessions.sign_out(secret)
    with pytest.raises(NotSignedIn):
        sessions.person(secret, HERE)


def test_a_session_ends_when_nobody_uses_it(sessions, clock):
    secret, _ = sessions.sign_in("Ada", PASSWORD, HERE)
    clock.now += IDLE_S
    sessions.person(secret, HERE)
    clock.now += IDLE_S + 1
    with pytest.raises(NotSignedIn):
        sessions.person(secret, HERE)


def test_a_session_ends_after_a_shift_however_busy(sessions, clock):
    secret, _ = sessions.sign_in("Ada", PASSWORD, HERE)
    for _ in range(int(LONGEST_S / IDLE_S)):
        clock.now += IDLE_S
        sessions.person(secret, HERE)
    clock.now += 1
    with pytest.raises(NotSignedIn):
        sessions.person(secret, HERE)


async def test_closing_an_account_ends_its_sessions(sessions, accounts):
    secret, _ = sessions.sign_in("Ada", PASSWORD, HERE)
    await accounts.close("Ada", BOSS)
    with pytest.raises(NotSignedIn):
        sessions.person(secret, HERE)


def test_all_sessions_of_a_person_end_together(sessions):
    first, _ = sessions.sign_in("Ada", PASSWORD, HERE)
    second, _ = sessions.sign_in("Ada", PASSWORD, HERE)
    sessions.end_all_of("Ada")
    for secret in (first, second):
        with pytest.raises(NotSignedIn):
            sessions.person(secret, HERE)


@pytest.mark.parametrize("secret", ["", "secret-0x", "ä"])
def test_a_made_up_cookie_is_nobody(sessions, secret):
    with pytest.raises(NotSignedIn):
        sessions.person(secret, HERE)


def failures(sessions, name, origin, count):
    for _ in range(count):
        with pytest.raises(SignInRefused):
            sessions.sign_in(name, "a wrong password", origin)


def test_guessing_locks_the_name_from_every_address_and_waits_double(sessions, clock):
    failures(sessions, "Ada", HERE, FREE_TRIES)
    waits = []
    for address in range(8):
        with pytest.raises(TooManyTries) as refused:
            sessions.sign_in("Ada", PASSWORD, f"10.0.1.{address}")
        waits.append(refused.value.wait_s)
        clock.now += refused.value.wait_s
        failures(sessions, "Ada", f"10.0.1.{address}", 1)
    assert waits[:4] == [30.0, 60.0, 120.0, 240.0]
    assert waits[-1] == LONGEST_WAIT_S


def test_the_lock_out_ends_by_itself(sessions, clock):
    failures(sessions, "Ada", HERE, FREE_TRIES)
    with pytest.raises(TooManyTries):
        sessions.sign_in("Ada", PASSWORD, HERE)
    clock.now += 31
    sessions.sign_in("Ada", PASSWORD, HERE)
    failures(sessions, "Ada", "10.0.0.9", FREE_TRIES - 1)
    sessions.sign_in("Ada", PASSWORD, "10.0.0.9")


def test_one_address_trying_many_names_is_locked_out(sessions):
    for number in range(FREE_TRIES_OF_ADDRESS):
        failures(sessions, f"name {number}", HERE, 1)
    with pytest.raises(TooManyTries):
        sessions.sign_in("Ada", PASSWORD, HERE)
    sessions.sign_in("Ada", PASSWORD, "10.0.0.2")


def test_signing_in_often_is_no_guessing(sessions):
    for _ in range(3 * FREE_TRIES):
        sessions.sign_in("Ada", PASSWORD, HERE)


async def test_a_password_that_somebody_else_has_set_opens_nothing_but_its_change(sessions, accounts):
    await accounts.set_password("Ada", "another first word", BOSS)
    secret, _ = sessions.sign_in("Ada", "another first word", HERE)
    known = sessions.person(secret, HERE)[0]
    for deed in Deed:
        with pytest.raises(PasswordNotOwn):
            known.require(deed)
    await accounts.set_password("Ada", PASSWORD, known)
    with pytest.raises(NotSignedIn):  # whoever else knew that word may sit there
        sessions.person(secret, HERE)
    assert not sessions.lasts(secret)
    own = sessions.person(sessions.sign_in("Ada", PASSWORD, HERE)[0], HERE)[0]
    own.require(Deed.PLAY)


async def test_a_sign_in_that_is_overtaken_by_a_new_password_opens_nothing(sessions, accounts, monkeypatch):
    proved, go_on, verify = threading.Event(), threading.Event(), accounts.verify_password

    def slow(name: str, password: str) -> Account:
        found = verify(name, password)
        proved.set()
        go_on.wait(10)
        return found

    monkeypatch.setattr(accounts, "verify_password", slow)
    signing = asyncio.create_task(asyncio.to_thread(sessions.sign_in, "Ada", PASSWORD, HERE))
    await asyncio.to_thread(proved.wait, 10)
    await accounts.set_password("Ada", "another long one", Person("Ada", Role.DEALER, False, HERE))
    sessions.end_all_of("Ada")
    go_on.set()
    with pytest.raises(NotSignedIn):
        sessions.person((await signing)[0], HERE)


async def test_a_new_password_ends_the_sessions_of_every_service_over_the_ledger(sessions, accounts, clock):
    elsewhere = Sessions(Accounts(accounts._books, lambda: 1_000, hasher=fast_hasher()), clock)
    await accounts.set_password("Ada", "what the boss knows", BOSS)
    secret, _ = elsewhere.sign_in("Ada", "what the boss knows", HERE)
    await accounts.set_password("Ada", PASSWORD, Person("Ada", Role.DEALER, False, HERE))
    with pytest.raises(NotSignedIn):
        elsewhere.person(secret, HERE)


def test_proving_a_password_is_braked_as_a_sign_in_is(sessions):
    for _ in range(FREE_TRIES):
        with pytest.raises(SignInRefused):
            sessions.prove("Ada", "a wrong password", HERE)
    for barred in (sessions.prove, sessions.sign_in):
        with pytest.raises(TooManyTries):
            barred("Ada", PASSWORD, HERE)
