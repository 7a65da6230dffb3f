"""Routes of a table of cards: its shoe, its cards, the announcement, and a mistyped card entered anew."""

from fastapi import APIRouter

from host_tools.api.bodies import CardIn, Cards, NewShoe, Nothing, RoundPath, TableName
from host_tools.api.guard import Decider, Player
from host_tools.service.views import ProposalView, RoundView, TableView

router = APIRouter(tags=["cards"])


@router.post("/tables/{table}/shoe", status_code=201)
async def load_shoe(table: TableName, body: NewShoe, player: Player) -> TableView:
    """Put a new shoe on the table, between two rounds, of as many decks as the table is configured for."""
    return await player.load_shoe(table, body.reason)


@router.post("/tables/{table}/shoe/cards")
async def enter_card(table: TableName, body: CardIn, player: Player) -> RoundView:
    """Enter a card as it was drawn, by its place in the shoe; ask again as often as you like, it counts once.
    While bets are open it is a card exposed early: the round is void (5.1)."""
    return await player.enter_card(table, body.shoe, body.position, body.face)


@router.post("/tables/{table}/rounds/{round}/announce")
async def announce(
    table: TableName, round: RoundPath, player: Player, _body: Nothing | None = None
) -> RoundView:
    """Announce the result of the three cards as they are entered: the round is settled by them."""
    return await player.announce(table, round)


@router.post("/tables/{table}/rounds/{round}/card-correction", status_code=202)
async def correct_cards(table: TableName, round: RoundPath, body: Cards, decider: Decider) -> ProposalView:
    """Propose a round's three cards anew before the announcement; done when a second person confirms."""
    return await decider.propose_cards(table, round, body.faces, body.reason)
