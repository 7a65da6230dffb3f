"""Who is asking: a program by its token, a person by the session's cookie and the page's CSRF secret.

What changes something and comes with a cookie must bear the secret in a header, which no other site can read
or send; the cookie itself is HttpOnly and SameSite=Strict.
"""

import secrets
from typing import Annotated

from fastapi import Depends, Response
from starlette.requests import HTTPConnection

from host_tools.api.limits import RateLimit
from host_tools.people import NotAllowed, NotSignedIn, Person
from host_tools.service.auditing import Auditing
from host_tools.service.deciding import Deciding
from host_tools.service.playing import Playing
from host_tools.service.service import Service

COOKIE = "tumbler_session"
CSRF = "X-CSRF-Token"
_SAFE = ("GET", "HEAD", "OPTIONS")


class Guard:
    """The guard of one service's API. `secure`: cookies travel over TLS only."""

    def __init__(self, service: Service, *, secure: bool) -> None:
        self._service = service
        self._secure = secure
        self._limit = RateLimit(service.clock.now, service.config.api.requests_per_s)

    def person(self, connection: HTTPConnection) -> tuple[Person, str]:
        """Who is asking, and the CSRF secret of the session (empty for a program).

        Raises NotSignedIn, NotAllowed, Limited."""
        origin = origin_of(connection)
        scheme, _, token = connection.headers.get("authorization", "").partition(" ")
        sessions = self._service.sessions
        try:
            if scheme.lower() == "bearer":
                person, csrf = sessions.program(token, origin), ""
            else:
                person, csrf = sessions.person(connection.cookies.get(COOKIE, ""), origin)
        except NotSignedIn:
            self._limit.take(f"from {origin}")
            raise
        self._limit.take(person.name)
        if csrf and connection.scope.get("method", "GET") not in _SAFE:
            told = connection.headers.get(CSRF, "")
            if not secrets.compare_digest(told.encode(), csrf.encode()):
                raise NotAllowed(f"the page did not prove itself: send the session's secret as {CSRF}")
        return person, csrf

    def stranger(self, connection: HTTPConnection) -> str:
        """Where somebody comes from who signs in. Raises Limited, NotAllowed."""
        require_same_site(connection)
        origin = origin_of(connection)
        self._limit.take(f"from {origin}")
        return origin

    def give_cookie(self, response: Response, secret: str) -> None:
        """Have the browser keep the session's secret."""
        response.set_cookie(
            COOKIE, secret, httponly=True, samesite="strict", secure=self._secure, path="/api"
        )

    def take_cookie(self, response: Response) -> None:
        """Have the browser forget it."""
        response.delete_cookie(COOKIE, httponly=True, samesite="strict", secure=self._secure, path="/api")


def origin_of(connection: HTTPConnection) -> str:
    """The address that it comes from."""
    return connection.client.host if connection.client else "unknown"


def require_same_site(connection: HTTPConnection) -> None:
    """A browser says whose page it asks for; pages of other sites are not served. Raises NotAllowed."""
    origin = connection.headers.get("origin")
    if origin is not None and origin.partition("://")[2] != connection.headers.get("host"):
        raise NotAllowed("this is for the pages of this service, not of another site")


def service_of(connection: HTTPConnection) -> Service:
    """The service of an app."""
    return connection.app.state.service


def guard_of(connection: HTTPConnection) -> Guard:
    """The guard of an app."""
    return connection.app.state.guard


async def who(connection: HTTPConnection) -> Person:
    """Who is asking."""
    return guard_of(connection).person(connection)[0]


async def _playing(connection: HTTPConnection, person: Annotated[Person, Depends(who)]) -> Playing:
    return Playing(service_of(connection), person)


async def _deciding(connection: HTTPConnection, person: Annotated[Person, Depends(who)]) -> Deciding:
    return Deciding(service_of(connection), person)


async def _auditing(connection: HTTPConnection, person: Annotated[Person, Depends(who)]) -> Auditing:
    return Auditing(service_of(connection), person)


Asking = Annotated[Person, Depends(who)]
Player = Annotated[Playing, Depends(_playing)]
Decider = Annotated[Deciding, Depends(_deciding)]
Auditor = Annotated[Auditing, Depends(_auditing)]
