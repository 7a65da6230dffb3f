"""The table server's client: the same calls over HTTP as in the process, typed and asynchronous."""

from host_tools.bridge.wagering import Wager, WagerAnswer, WithdrawalAnswer
from host_tools.client.http import HttpTables
from host_tools.client.tables import Refused, Tables, Unreachable
from host_tools.service.views import (
    CardView,
    EventView,
    RoundView,
    SettlementView,
    ShoeView,
    TableView,
    WagerView,
)

__all__ = [
    "CardView",
    "EventView",
    "HttpTables",
    "Refused",
    "RoundView",
    "SettlementView",
    "ShoeView",
    "TableView",
    "Tables",
    "Unreachable",
    "Wager",
    "WagerAnswer",
    "WagerView",
    "WithdrawalAnswer",
]
