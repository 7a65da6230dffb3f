"""Who stands behind a deed: a name, a role, and where the request came from."""

from dataclasses import dataclass

from host_tools.people.errors import NotAllowed
from host_tools.people.roles import Deed, Role, may


@dataclass(frozen=True, slots=True)
class Person:
    """Who does something, and from where (`origin`, an address); `program` when no person is behind it."""

    name: str
    role: Role
    program: bool
    origin: str

    def require(self, deed: Deed) -> None:
        """Raise NotAllowed unless the role includes the deed."""
        if not may(self.role, deed):
            raise NotAllowed(f"{self.name} is {self.role}, which does not include {deed!s}")
