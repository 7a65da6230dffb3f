"""Who stands behind a deed: a name, a role, and where the request came from."""

from dataclasses import dataclass

from host_tools.people.errors import NotAllowed, PasswordNotOwn
from host_tools.people.roles import Deed, Role, may


@dataclass(frozen=True, slots=True)
class Person:
    """Who does something, and from where (`origin`, an address); `program` when no person is behind it.
    `known_to_others`: somebody else has set the password, so it is not sure who this is."""

    name: str
    role: Role
    program: bool
    origin: str
    known_to_others: bool = False

    def require(self, deed: Deed) -> None:
        """Raise NotAllowed unless the role includes the deed, PasswordNotOwn before the password is."""
        if self.known_to_others:
            raise PasswordNotOwn(f"somebody else has set the password of {self.name}: choose your own first")
        if not may(self.role, deed):
            raise NotAllowed(f"{self.name} is {self.role}, which does not include {deed!s}")
