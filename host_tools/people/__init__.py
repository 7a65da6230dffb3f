"""Who may do what: roles, accounts of people and programs, sign-in, and the log of every change."""

from host_tools.people.accounts import Account, Accounts
from host_tools.people.errors import (
    AccountExists,
    AccountUnknown,
    NameRefused,
    NotAllowed,
    NotSignedIn,
    OldPasswordWrong,
    PasswordNotOwn,
    PasswordTooWeak,
    PeopleError,
    SetUpRefused,
    SignInRefused,
    TooManyTries,
)
from host_tools.people.person import Person
from host_tools.people.roles import MAY, Deed, Role, may
from host_tools.people.sessions import Sessions

__all__ = [
    "MAY",
    "Account",
    "AccountExists",
    "AccountUnknown",
    "Accounts",
    "Deed",
    "NameRefused",
    "NotAllowed",
    "NotSignedIn",
    "OldPasswordWrong",
    "PasswordNotOwn",
    "PasswordTooWeak",
    "PeopleError",
    "Person",
    "Role",
    "Sessions",
    "SetUpRefused",
    "SignInRefused",
    "TooManyTries",
    "may",
]
