"""What a table is told once, when it is made."""

from dataclasses import dataclass

from host_tools import settlement
from host_tools.bridge.errors import LimitsMissing
from host_tools.bridge.examining import Examination


@dataclass(frozen=True, slots=True)
class TableConfig:
    """What is fixed for a table while it runs.

    `name` is the table's name in the ledger, `device` its tumbler's id (8 bytes), `terms` its rulebook,
    layout, limits and money, from `settlement.open_table`, which refuses what cannot be paid exactly;
    `examination` how the evidence of its readings is used, None where it is not. Raises LimitsMissing.
    """

    name: str
    device: bytes
    terms: settlement.Table
    examination: Examination | None = None

    def __post_init__(self) -> None:
        rulebook = self.terms.rulebook
        if rulebook.limits and self.terms.limits is None:
            raise LimitsMissing(f"{rulebook.id} has stake limits; choose one of {', '.join(rulebook.limits)}")
