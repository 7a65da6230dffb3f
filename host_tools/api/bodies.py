"""What requests may contain, bounded in every direction; anything else is refused whole."""

from typing import Annotated, Literal

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from host_tools.people import Deed, Role
from host_tools.service.playing import MOST_WAGERS

_PLAIN = r"^[^\x00-\x1f\x7f]*$"  # no control characters
_MARK = r"^[A-Za-z0-9][A-Za-z0-9 ._/#-]*$"  # what a device's record has room for
NUMBER_LIMIT = 2**53 - 1  # what every JSON reader holds exactly

Name = Annotated[str, StringConstraints(min_length=1, max_length=128, pattern=_PLAIN)]
Reason = Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=_PLAIN)]
Word = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=_PLAIN)]
Secret = Annotated[str, StringConstraints(max_length=1024)]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
RoundId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
Face = Annotated[int, Field(ge=1, le=6, strict=True)]
Faces = tuple[Face, Face, Face]

TableName = Annotated[str, Path(min_length=1, max_length=40, pattern=_PLAIN)]
RoundPath = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$")]
AccountPath = Annotated[str, Path(min_length=1, max_length=40, pattern=_PLAIN)]
After = Annotated[int, Query(ge=0, le=NUMBER_LIMIT)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Nothing(_Body):
    """A body that says nothing more."""


class WagerIn(_Body):
    """A wager: `stake` is exact decimal text."""

    id: Name
    player: Name
    wager: Word
    stake: Annotated[str, StringConstraints(min_length=1, max_length=40, pattern=_PLAIN)]


class Wagers(_Body):
    """A batch, all or nothing."""

    wagers: Annotated[list[WagerIn], Field(min_length=1, max_length=MOST_WAGERS)]


class Withdrawals(_Body):
    """Ids of wagers, all or nothing."""

    ids: Annotated[list[Name], Field(min_length=1, max_length=MOST_WAGERS)]


class Ending(_Body):
    """Why a round is to end without its result; `fact` is one that the rulebook rules on."""

    fact: Word = "host-void"
    reason: Reason


class Reasoned(_Body):
    """Why."""

    reason: Reason


class DiceSet(_Body):
    """The mark of a set of dice, as its box has it; when the set before was last inspected, Unix ms."""

    dice_set: Annotated[str, StringConstraints(min_length=1, max_length=40, pattern=_MARK)]
    inspected_ms: Annotated[int, Field(ge=0, le=NUMBER_LIMIT, strict=True)] | None = None


class Resolution(_Body):
    """The end of a referred round (void, by-dice) or a held one (release). By the dice it takes two people,
    `faces` and, of dice, a picture that a record of the round names (by default the newest)."""

    verdict: Literal["void", "by-dice", "release"]
    faces: Faces | None = None
    reason: Reason
    evidence: Digest | None = None


class Dice(_Body):
    """The dice as people saw them, to be confirmed by a second person."""

    faces: Faces
    reason: Reason
    evidence: Digest | None = None


class Affected(_Body):
    """Settled rounds that a damaged die touched."""

    rounds: Annotated[list[RoundId], Field(min_length=1, max_length=100)]
    reason: Reason
    evidence: Digest | None = None


class NewShoe(_Body):
    """Why a new shoe comes on the table."""

    reason: Reason


class CardIn(_Body):
    """A card as it was drawn: `position` counts the cards of the `shoe` (as the table's view names it)."""

    shoe: RoundId
    position: Annotated[int, Field(ge=1, le=NUMBER_LIMIT, strict=True)]
    face: Face


class Cards(_Body):
    """The three cards of a round in the order they were drawn, to be confirmed by a second person."""

    faces: Faces
    reason: Reason


class SignIn(_Body):
    """A person's name and password."""

    name: Name
    password: Secret


class NewPerson(_Body):
    """An account for a person."""

    name: Name
    role: Role
    password: Secret


class NewProgram(_Body):
    """An account for a program."""

    name: Name
    role: Role


class NewPassword(_Body):
    """A new password; `old`, where it is one's own."""

    password: Secret
    old: Secret = ""


class SessionView(BaseModel):
    """Who is signed in and what they may do; `csrf` goes into the header X-CSRF-Token of every change.
    `choose_password`: somebody else has set the password, and nothing may be done before it is changed."""

    name: str
    role: Role
    program: bool
    may: list[Deed]
    csrf: str
    choose_password: bool


class AccountView(BaseModel):
    """An account of a person or a program."""

    name: str
    role: Role
    program: bool
    closed: bool


class TokenView(AccountView):
    """A program's account with its token, told once."""

    token: str
