"""Every refusal as one shape, `{"error", "message"}`, with the right status: 4xx has changed nothing."""

import logging
import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from host_tools import people, settlement
from host_tools.bridge.errors import BridgeError, DecisionIncomplete
from host_tools.bridge.wagering import WagerAnswer, WithdrawalAnswer
from host_tools.ledger import DeviceUnknown, LedgerError, RoundUnknown, StoreRefusal
from host_tools.link import CommandInvalid, LinkError
from host_tools.rulebooks import UnknownFactError
from host_tools.service import errors

_log = logging.getLogger(__name__)

# The first that fits, so that a special case comes before its base.
_STATUSES: tuple[tuple[type[Exception], int], ...] = (
    (people.NotSignedIn, 401),
    (people.SignInRefused, 401),
    (people.NotAllowed, 403),
    (people.SetUpRefused, 403),
    (people.TooManyTries, 429),
    (people.AccountExists, 409),
    (people.AccountUnknown, 404),
    (people.PeopleError, 422),
    (errors.TableUnknown, 404),
    (errors.RoundNotHere, 404),
    (errors.ProposalUnknown, 404),
    (errors.EvidenceMissing, 404),
    (errors.Asked, 422),
    (errors.NotNow, 409),
    (errors.RulesForbid, 409),
    (errors.DeviceAway, 503),
    (errors.StillGoing, 503),
    (errors.StreamEnded, 503),
    (errors.NumberAhead, 416),
    (errors.SlowReader, 503),
    (UnknownFactError, 422),
    (settlement.OutcomeError, 422),
    (DecisionIncomplete, 422),
    (CommandInvalid, 422),
    (BridgeError, 409),
    (RoundUnknown, 404),
    (DeviceUnknown, 404),
    (StoreRefusal, 409),
    (LinkError, 503),
    (LedgerError, 503),
)
_KINDS = {
    400: "malformed",
    401: "not-signed-in",
    404: "not-found",
    405: "method-not-allowed",
    413: "too-large",
    429: "too-many",
}


class ErrorBody(BaseModel):
    """A refusal: `error` is its kind, `message` says what to do."""

    error: str
    message: str


class BatchErrorBody(ErrorBody):
    """A batch of which nothing was taken: an answer for each, none where it was not looked at."""

    answers: list[WagerAnswer] | list[WithdrawalAnswer] = []


class BatchRefused(Exception):
    """Nothing of a batch was taken; `answers` say why."""

    def __init__(self, answers: list[WagerAnswer] | list[WithdrawalAnswer]) -> None:
        self.answers = answers
        reason = next((each.reason for each in answers if each.reason), "")
        super().__init__(f"nothing was taken: {reason}")


class Limited(Exception):
    """Too many requests; `wait_s` says how long to wait."""

    def __init__(self, wait_s: float) -> None:
        self.wait_s = wait_s
        super().__init__(f"too many requests; ask again in {wait_s:.1f} s")


def refusal(status: int, kind: str, message: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """A refusal as an answer."""
    return JSONResponse({"error": kind, "message": message}, status, headers=headers)


def install(app: FastAPI) -> None:
    """Have the app answer with refusals whatever is raised in it."""
    for kind, _ in _STATUSES:
        app.add_exception_handler(kind, _refused)
    app.add_exception_handler(BatchRefused, _batch_refused)
    app.add_exception_handler(Limited, _limited)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _failed)


def status_of(error: Exception) -> int:
    """The status that an error of the service has."""
    return next(status for kind, status in _STATUSES if isinstance(error, kind))


def kind_of(error: Exception) -> str:
    """WrongStep -> wrong-step."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", type(error).__name__).lower()


async def _refused(_request: Request, error: Exception) -> JSONResponse:
    headers = {"Retry-After": f"{error.wait_s:.0f}"} if isinstance(error, people.TooManyTries) else None
    return refusal(status_of(error), kind_of(error), str(error), headers)


async def _batch_refused(_request: Request, error: Exception) -> JSONResponse:
    answers = error.answers if isinstance(error, BatchRefused) else []
    told = {"error": "batch-refused", "message": str(error), "answers": [asdict(each) for each in answers]}
    return JSONResponse(told, 409)


async def _limited(_request: Request, error: Exception) -> JSONResponse:
    wait_s = error.wait_s if isinstance(error, Limited) else 1.0
    return refusal(429, "too-many", str(error), {"Retry-After": f"{max(1.0, wait_s):.0f}"})


async def _malformed(_request: Request, error: Exception) -> JSONResponse:
    found = error.errors() if isinstance(error, RequestValidationError) else []
    told = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in found[:5])
    return refusal(422, "malformed", told.encode("ascii", "backslashreplace").decode() or "malformed")


RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorBody, "description": description}
    for status, description in (
        (400, "the body cannot be read at all"),
        (401, "nobody is signed in, or the token is not valid"),
        (403, "the role does not include it"),
        (404, "there is no such thing here"),
        (408, "the request was not here in whole in time"),
        (409, "not now, or not by the rules; the message says why"),
        (413, "the body is too large"),
        (422, "the request is malformed; the message says where"),
        (429, "too many requests"),
        (503, "the tumbler or the store is away; ask again with the same ids"),
    )
}
"""What any route may answer, for the description."""


async def _http(_request: Request, error: Exception) -> JSONResponse:
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = error.headers if isinstance(error, HTTPException) else None
    detail = str(error.detail) if isinstance(error, HTTPException) else ""
    return refusal(status, _KINDS.get(status, "refused"), detail or "refused", headers)


async def _failed(request: Request, error: Exception) -> JSONResponse:
    _log.error("%s %s failed: %s", request.method, request.url.path, error, exc_info=error)
    return refusal(500, "failed", "the service failed; look at the round before you ask again")
