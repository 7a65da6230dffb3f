"""Accounts: set up once, one person a name, secrets only as hashes, every change on the record."""

import asyncio
import itertools
import sqlite3

import pytest
from argon2 import PasswordHasher

from host_tools.ledger import LedgerDamaged, open_ledger
from host_tools.ledger.access import PEOPLE
from host_tools.people import (
    AccountExists,
    Accounts,
    AccountUnknown,
    NameRefused,
    NotAllowed,
    NotSignedIn,
    PasswordTooWeak,
    Person,
    Role,
    SetUpRefused,
    SignInRefused,
)

PASSWORD = "correct horse battery"
BOSS = Person("Grace", Role.SHIFT_MANAGER, program=False, origin="127.0.0.1")


def fast_hasher() -> PasswordHasher:
    return PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.db"


@pytest.fixture
def accounts(path):
    secrets = (f"secret-{i}" for i in itertools.count())
    with open_ledger(path) as books:
        yield Accounts(books, lambda: 1_000, lambda: next(secrets), fast_hasher())


async def test_the_first_start_has_a_set_up_link_that_works_once(accounts):
    secret = accounts.set_up_secret()
    assert secret
    assert accounts.set_up_secret() == secret
    made = await accounts.set_up(secret, "Grace", PASSWORD, "127.0.0.1")
    assert made.role == Role.SHIFT_MANAGER
    assert accounts.set_up_secret() is None
    with pytest.raises(SetUpRefused):
        await accounts.set_up(secret, "Mallory", PASSWORD, "127.0.0.1")
    assert [each.name for each in accounts.all()] == ["Grace"]


@pytest.mark.parametrize("guess", ["", "secret-0", "x" * 1000, "ä"])
async def test_a_guessed_set_up_link_is_refused(accounts, guess):
    with pytest.raises(SetUpRefused):
        await accounts.set_up(guess, "Mallory", PASSWORD, "127.0.0.1")
    accounts.set_up_secret()
    with pytest.raises(SetUpRefused):
        await accounts.set_up(guess, "Mallory", PASSWORD, "127.0.0.1")
    assert accounts.all() == []


async def test_a_weak_password_leaves_the_set_up_link_valid(accounts):
    secret = accounts.set_up_secret()
    for weak in ("short", "grace-is-my-name", "x" * 300):
        with pytest.raises(PasswordTooWeak):
            await accounts.set_up(secret, "Grace", weak, "127.0.0.1")
    await accounts.set_up(secret, "Grace", PASSWORD, "127.0.0.1")


async def test_a_password_opens_the_own_account_only(accounts):
    await accounts.add_person("Ada", Role.DEALER, PASSWORD, BOSS)
    await accounts.add_person("Bob", Role.AUDITOR, PASSWORD + "!", BOSS)
    assert accounts.verify_password("Ada", PASSWORD).role == Role.DEALER
    for name, password in (("Ada", PASSWORD + "!"), ("Bob", PASSWORD), ("Eve", PASSWORD), ("Ada", "")):
        with pytest.raises(SignInRefused):
            accounts.verify_password(name, password)


async def test_a_new_password_replaces_the_old_one(accounts):
    await accounts.add_person("Ada", Role.DEALER, PASSWORD, BOSS)
    await accounts.set_password("Ada", "another long one", BOSS)
    accounts.verify_password("Ada", "another long one")
    with pytest.raises(SignInRefused):
        accounts.verify_password("Ada", PASSWORD)


async def test_a_closed_account_opens_nothing_and_keeps_its_name(accounts):
    await accounts.add_person("Ada", Role.DEALER, PASSWORD, BOSS)
    _, token = await accounts.add_program("server", Role.TABLE_SERVER, BOSS)
    await accounts.close("Ada", BOSS)
    await accounts.close("server", BOSS)
    with pytest.raises(SignInRefused):
        accounts.verify_password("Ada", PASSWORD)
    with pytest.raises(NotSignedIn):
        accounts.verify_token(token)
    with pytest.raises(AccountExists):
        await accounts.add_person("Ada", Role.DEALER, PASSWORD, BOSS)


async def test_nobody_closes_their_own_account(accounts):
    await accounts.add_person("Grace", Role.SHIFT_MANAGER, PASSWORD, BOSS)
    with pytest.raises(NotAllowed):
        await accounts.close("Grace", BOSS)


async def test_two_managers_who_close_each_other_at_once_leave_one(accounts):
    pair = [Person(name, Role.SHIFT_MANAGER, program=False, origin="127.0.0.1") for name in ("Ada", "Bo")]
    for each in pair:
        await accounts.add_person(each.name, each.role, PASSWORD, BOSS)
    ada, bo = pair
    ended = await asyncio.gather(accounts.close("Bo", ada), accounts.close("Ada", bo), return_exceptions=True)
    assert [isinstance(each, NotAllowed) for each in ended] == [False, True]
    assert [each.closed for each in accounts.all()] == [False, True]
    for deed in (
        accounts.add_person("Cy", Role.DEALER, PASSWORD, bo),
        accounts.add_program("server", Role.TABLE_SERVER, bo),
        accounts.set_password("Ada", "another long one", bo),
    ):
        with pytest.raises(NotAllowed, match="closed"):
            await deed


async def test_a_token_is_a_programs_and_never_a_deciding_role(accounts):
    made, token = await accounts.add_program("server", Role.TABLE_SERVER, BOSS)
    assert accounts.verify_token(token) == made
    with pytest.raises(SignInRefused):
        accounts.verify_password("server", token)
    with pytest.raises(NotSignedIn):
        accounts.verify_token(token + "x")
    for role in (Role.SHIFT_MANAGER, Role.SUPERVISOR, Role.DEALER, Role.TECHNICIAN):
        with pytest.raises(NotAllowed):
            await accounts.add_program("robot", role, BOSS)


@pytest.mark.parametrize("name", ["", "a", " a", "a\n", "x" * 41, "<b>", "a/b"])
async def test_names_are_plain(accounts, name):
    with pytest.raises(NameRefused):
        await accounts.add_person(name, Role.DEALER, PASSWORD, BOSS)


async def test_an_unknown_account_is_named(accounts):
    with pytest.raises(AccountUnknown):
        await accounts.set_password("Eve", PASSWORD, BOSS)


async def test_no_secret_is_in_the_file(accounts, path):
    _, token = await accounts.add_program("server", Role.TABLE_SERVER, BOSS)
    await accounts.add_person("Ada", Role.DEALER, PASSWORD, BOSS)
    stored = b"".join(each.read_bytes() for each in path.parent.iterdir())
    assert b"server" in stored
    assert PASSWORD.encode() not in stored
    assert token.encode() not in stored
    assert token.removeprefix("tumbler_").encode() not in stored


async def test_every_change_is_in_the_access_log_and_no_refusal_is(accounts):
    await accounts.add_person("Ada", Role.DEALER, PASSWORD, BOSS)
    with pytest.raises(AccountExists):
        await accounts.add_person("Ada", Role.AUDITOR, PASSWORD, BOSS)
    await accounts.set_password("Ada", "another long one", BOSS)
    await accounts.close("Ada", BOSS)
    log = accounts._books.accesses(PEOPLE)
    assert [(each.who, each.action) for each in log] == [
        ("Grace", "add-account"),
        ("Grace", "set-password"),
        ("Grace", "close-account"),
    ]
    assert '"closed": true' in log[-1].after
    assert not any("argon2" in each.before + each.after for each in log)
    accounts._books.check_everything()


async def test_the_database_itself_keeps_names_and_roles(accounts, path):
    await accounts.add_person("Ada", Role.DEALER, PASSWORD, BOSS)
    thief = sqlite3.connect(path)
    for statement in (
        "DELETE FROM accounts",
        "UPDATE accounts SET role = 'shift-manager'",
        "UPDATE accounts SET name = 'Eve'",
    ):
        with pytest.raises(sqlite3.Error):
            thief.execute(statement)
    thief.close()


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE accounts SET role = 'shift-manager' WHERE name = 'Ada'",
        "UPDATE accounts SET closed = 0 WHERE name = 'Bob'",
        "UPDATE accounts SET name = 'Eve' WHERE name = 'Ada'",
        "DELETE FROM accounts WHERE name = 'Ada'",
        "INSERT INTO accounts VALUES ('Eve', 'auditor', 0, 0, 'x', 1)",
    ],
)
async def test_an_account_that_its_log_did_not_make_is_found(accounts, path, change):
    for name in ("Ada", "Bob"):
        await accounts.add_person(name, Role.DEALER, PASSWORD, BOSS)
    await accounts.close("Bob", BOSS)
    accounts._books.check_everything()
    thief = sqlite3.connect(path)
    for wall in ("accounts_no_delete", "accounts_keep_identity"):
        thief.execute(f"DROP TRIGGER {wall}")
    with thief:
        assert thief.execute(change).rowcount == 1
    thief.close()
    with pytest.raises(LedgerDamaged, match="log of people"):
        accounts._books.check_everything()


async def test_who_chose_a_password_is_known_after_a_restart_too(path):
    with open_ledger(path) as books:
        accounts = Accounts(books, lambda: 1_000, hasher=fast_hasher())
        secret = accounts.set_up_secret()
        assert secret
        await accounts.set_up(secret, "Grace", PASSWORD, "127.0.0.1")
        for name in ("Ada", "Bob", "Eve"):
            await accounts.add_person(name, Role.DEALER, PASSWORD, BOSS)
        for name, by in (("Ada", "Ada"), ("Eve", "Eve"), ("Eve", "Grace")):
            person = Person(by, Role.DEALER, program=False, origin="127.0.0.1")
            await accounts.set_password(name, "another long one", person)
        chose = {name: accounts.chose_password(name) for name in ("Grace", "Ada", "Bob", "Eve", "nobody")}
        assert chose == {"Grace": True, "Ada": True, "Bob": False, "Eve": False, "nobody": False}
    with open_ledger(path) as books:
        again = Accounts(books, lambda: 1_000, hasher=fast_hasher())
        assert {name: again.chose_password(name) for name in chose} == chose


async def test_a_name_that_differs_in_case_alone_is_no_second_person(accounts):
    await accounts.add_person("Ada", Role.DEALER, PASSWORD, BOSS)
    for name in ("ada", "ADA"):
        with pytest.raises(AccountExists):
            await accounts.add_person(name, Role.SUPERVISOR, PASSWORD, BOSS)
