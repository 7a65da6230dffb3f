"""Why a person or program is turned away; messages never tell whether a name exists."""


class PeopleError(Exception):
    """Base of all errors of people and programs."""


class NotSignedIn(PeopleError):
    """No valid session or token came with the request; sign in."""


class NotAllowed(PeopleError):
    """The role does not include the deed; ask someone whose role does."""


class PasswordNotOwn(NotAllowed):
    """Somebody else has set the person's password and knows it: nothing may be done before it is changed."""


class OldPasswordWrong(NotAllowed):
    """One's own password is changed with the old one, which this is not."""


class SignInRefused(PeopleError):
    """The name and password do not belong together, or the account is closed."""


class TooManyTries(PeopleError):
    """Too many failed sign-ins for this name or from this address; `wait_s` says how long it rests."""

    def __init__(self, wait_s: float) -> None:
        self.wait_s = wait_s
        super().__init__(f"too many failed sign-ins; try again in {wait_s:.0f} seconds")


class SetUpRefused(PeopleError):
    """The set-up link was used, has expired or never was; restart the service for a new one."""


class PasswordTooWeak(PeopleError):
    """The password is too short, contains the name, or is the old one."""


class AccountExists(PeopleError):
    """The name is taken, also by a closed account: names are never given to another person."""


class NameRefused(PeopleError):
    """The name has characters or a length that no account's name has."""


class AccountUnknown(PeopleError):
    """There is no account of that name."""
