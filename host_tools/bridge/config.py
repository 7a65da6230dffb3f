"""What a table is told once, when it is made."""

from dataclasses import dataclass

from host_tools import settlement
from host_tools.bridge.errors import LimitsMissing
from host_tools.bridge.examining import Examination


@dataclass(frozen=True, slots=True)
class TableConfig:
    """What is fixed for a table while it runs.

    `name` is the table's name in the ledger, `device` its tumbler's id (8 bytes), `terms` its rulebook,
    layout, limits and money, from `settlement.open_table`, which refuses what cannot be paid exactly. With
    `evidence`, a reading is held until `desk.release` or `desk.refer`, which an `examination` before
    settlement does by itself. Raises LimitsMissing.
    """

    name: str
    device: bytes
    terms: settlement.Table
    evidence: bool = False
    examination: Examination | None = None

    def __post_init__(self) -> None:
        rulebook = self.terms.rulebook
        if rulebook.limits and self.terms.limits is None:
            raise LimitsMissing(f"{rulebook.id} has stake limits; choose one of {', '.join(rulebook.limits)}")

    @property
    def holds(self) -> bool:
        """Whether a reading waits for its evidence."""
        return self.evidence or (self.examination is not None and self.examination.holds)
