"""What a table of cards refuses, by name; nothing was entered and nothing changed."""

from host_tools.bridge.errors import BridgeError


class CardsError(BridgeError):
    """Base of the errors of cards."""


class DecksRefused(CardsError):
    """The rules do not allow so many decks."""


class ShoeMissing(CardsError):
    """No shoe is on the table; load one."""


class ShoeNotFit(CardsError):
    """The shoe cannot be played on with: load a new one."""


class ShoeChanged(CardsError):
    """The card is of another shoe than the one that is on the table."""


class CardImpossible(CardsError):
    """The shoe can have no such card: it is mistyped, foreign, or one too many."""


class CardConflict(CardsError):
    """Another card was entered at this place of the shoe."""


class CardOutOfOrder(CardsError):
    """A card of the shoe before this one is missing."""


class TooManyCards(CardsError):
    """The round has its three cards."""


class NothingToCorrect(CardsError):
    """The cards are entered as they are given."""
