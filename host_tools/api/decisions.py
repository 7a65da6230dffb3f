"""Routes of the desk: void, refer, resolve, correct, dice by hand, proposals, faults, evidence, recall."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Response

from host_tools.api.bodies import (
    NUMBER_LIMIT,
    Affected,
    Dice,
    DiceSet,
    Ending,
    Nothing,
    Reasoned,
    Resolution,
    RoundPath,
    TableName,
)
from host_tools.api.guard import Auditor, Decider, Player
from host_tools.images import LAMPS
from host_tools.service.actions import CORRECTION, MANUAL, RESOLUTION
from host_tools.service.deciding import Case
from host_tools.service.views import ProposalView, RecalledView, RoundView
from tumbler.definitions import LATCHING_FACTS

router = APIRouter(tags=["desk"])
_PROPOSED: dict[int | str, dict[str, Any]] = {
    202: {"model": ProposalView, "description": "it waits for its second person"}
}
ProposalPath = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$")]
AlarmNumber = Annotated[int, Path(ge=1, le=NUMBER_LIMIT)]
FactPath = Annotated[str, Path(json_schema_extra={"enum": list(LATCHING_FACTS)})]


@router.post("/tables/{table}/rounds/{round}/void")
async def void_round(table: TableName, round: RoundPath, body: Ending, decider: Decider) -> RoundView:
    """End the round without a result; a reading that the tumbler established first stands."""
    return await decider.void(table, round, body.fact, body.reason)


@router.post("/tables/{table}/rounds/{round}/refer")
async def refer_round(table: TableName, round: RoundPath, body: Ending, decider: Decider) -> RoundView:
    """Leave the round to the people whom the rulebook names; its wagers are frozen."""
    return await decider.refer(table, round, body.fact, body.reason)


@router.post("/tables/{table}/rounds/{round}/resolution", responses=_PROPOSED)
async def resolve_round(
    table: TableName, round: RoundPath, body: Resolution, decider: Decider, response: Response
) -> RoundView | ProposalView:
    """End a referred or held round; 202 and a proposal where it takes a second person."""
    if body.verdict == "void":
        return await decider.void_referred(table, round, body.reason)
    if body.verdict == "release":
        return await decider.release(table, round, body.reason)
    response.status_code = 202
    return await decider.propose(RESOLUTION, table, round, Case(body.faces, body.reason, body.evidence))


@router.post("/tables/{table}/rounds/{round}/correction", status_code=202)
async def correct_round(table: TableName, round: RoundPath, body: Dice, decider: Decider) -> ProposalView:
    """Propose to settle a round again by the dice (RWS 5.5); done when a second person confirms it."""
    return await decider.propose(CORRECTION, table, round, Case(body.faces, body.reason, body.evidence))


@router.post("/tables/{table}/rounds/{round}/manual-result", status_code=202)
async def enter_result(table: TableName, round: RoundPath, body: Dice, decider: Decider) -> ProposalView:
    """Propose the dice of a referred round as the dealer sees them; counts when a second person confirms."""
    return await decider.propose(MANUAL, table, round, Case(body.faces, body.reason, body.evidence))


@router.get("/tables/{table}/affected")
async def list_affected(table: TableName, decider: Decider) -> list[RoundView]:
    """The rounds since the dice were last changed: a damaged die may have touched them."""
    return await decider.affected(table)


@router.post("/tables/{table}/affected", status_code=202)
async def void_affected(table: TableName, body: Affected, decider: Decider) -> ProposalView:
    """Propose to void settled rounds that a damaged die touched (RWS 5.4)."""
    return await decider.propose_affected(table, body.rounds, Case(None, body.reason, body.evidence))


@router.get("/proposals")
async def list_proposals(decider: Decider) -> list[ProposalView]:
    """What waits for its second person."""
    return await decider.proposals()


@router.post("/proposals/{proposal}/confirm")
async def confirm_proposal(
    proposal: ProposalPath, decider: Decider, _body: Nothing | None = None
) -> list[RoundView]:
    """Be the second person: it is done now. The rounds it changed."""
    return await decider.confirm(proposal)


@router.post("/proposals/{proposal}/withdraw")
async def withdraw_proposal(
    proposal: ProposalPath, decider: Decider, _body: Nothing | None = None
) -> ProposalView:
    """Take a proposal back, or turn it down."""
    return await decider.withdraw_proposal(proposal)


@router.post("/tables/{table}/faults/{fact}/clear", status_code=204)
async def clear_fault(
    table: TableName, fact: FactPath, decider: Decider, _body: Nothing | None = None
) -> None:
    """Have the tumbler check again and clear a fault."""
    await decider.clear_fault(table, fact)


@router.post("/tables/{table}/dice", status_code=204)
async def change_dice(table: TableName, body: DiceSet, player: Player) -> None:
    """Say which set of dice was laid into the tumbler; the look back for a damaged die ends here."""
    await player.change_dice(table, body.dice_set, body.inspected_ms)


@router.post("/tables/{table}/alarms/{number}/answer", status_code=204)
async def answer_alarm(table: TableName, number: AlarmNumber, body: Reasoned, decider: Decider) -> None:
    """Say what was found about a settled round that its evidence speaks against; the alarm stands no more."""
    await decider.answer_alarm(table, number, body.reason)


@router.post("/tables/{table}/recall")
async def recall_rounds(
    table: TableName, auditor: Auditor, _body: Nothing | None = None
) -> list[RecalledView]:
    """The last ten rounds out of the tumbler's own memory, held against the ledger."""
    return await auditor.recall(table)


@router.get(
    "/tables/{table}/rounds/{round}/evidence/{lamp}.png",
    response_class=Response,
    responses={200: {"content": {"image/png": {}}, "description": "the picture"}},
)
async def get_evidence(
    table: TableName,
    round: RoundPath,
    lamp: Annotated[int, Path(ge=0, lt=LAMPS)],
    auditor: Auditor,
    marks: Annotated[Literal["device", "host"] | None, Query()] = None,
) -> Response:
    """A picture of the round's dice under one lamp, or the scene with what a reader finds in it."""
    return Response(await auditor.picture(table, round, lamp, marks or ""), media_type="image/png")
