"""Exact settlement by a rulebook: a scalar function that reads like the rules, and arrays for speed."""

from host_tools.settlement.arrays import Payoffs, PayoffTable, StakesError
from host_tools.settlement.money import LARGEST_STAKE, MalformedAmountError, minor_from_text, text_from_minor
from host_tools.settlement.settling import (
    DUPLICATE,
    Judge,
    NeedsDecisionError,
    Outcome,
    OutcomeError,
    Result,
    Settlement,
    Void,
    refused,
    settle,
    settle_wager,
)
from host_tools.settlement.table import (
    ChipUnitError,
    PlayerAdvantageError,
    Table,
    TableError,
    Wager,
    WagerRefusedError,
    is_id,
    open_table,
)

__all__ = [
    "DUPLICATE",
    "LARGEST_STAKE",
    "ChipUnitError",
    "Judge",
    "MalformedAmountError",
    "NeedsDecisionError",
    "Outcome",
    "OutcomeError",
    "PayoffTable",
    "Payoffs",
    "PlayerAdvantageError",
    "Result",
    "Settlement",
    "StakesError",
    "Table",
    "TableError",
    "Void",
    "Wager",
    "WagerRefusedError",
    "is_id",
    "minor_from_text",
    "open_table",
    "refused",
    "settle",
    "settle_wager",
    "text_from_minor",
]
