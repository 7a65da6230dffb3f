"""The terms a round was opened under, found again from the ledger: the very same rules, or none."""

from collections.abc import Callable

from host_tools import ledger, settlement
from host_tools.bridge.errors import BridgeError
from host_tools.rulebooks import Rulebook, UnknownLayoutError, UnknownRulebookError

FindRulebook = Callable[[str], Rulebook]


class TermsLost(BridgeError):
    """The rulebook of a round in the ledger is gone or has other content now; it cannot be settled."""


def terms_of(round_: ledger.Round, find_rulebook: FindRulebook) -> settlement.Table:
    """The terms of a round in the ledger; raises TermsLost when its rulebook is no longer that one.

    Built directly rather than by `open_table`: whether the table may open was decided when the round opened.
    """
    try:
        rulebook = find_rulebook(round_.rulebook)
        layout = rulebook.layout(round_.layout)
        limits = None if round_.limits is None else rulebook.limits_named(round_.limits)
    except (UnknownRulebookError, UnknownLayoutError) as error:
        raise TermsLost(str(error)) from error
    if rulebook.digest != round_.rulebook_digest:
        raise TermsLost(f"rulebook {rulebook.id} has changed since the round opened; bring it back")
    return settlement.Table(rulebook, layout, limits, round_.decimals, round_.chip_unit)


def new_round(
    round_id: bytes, table: str, device: bytes, terms: settlement.Table, now_ms: int
) -> ledger.Round:
    """The ledger's row for a round to be opened under these terms."""
    rulebook = terms.rulebook
    return ledger.Round(
        id=round_id,
        table=table,
        device=device,
        mode=rulebook.play_mode,
        rulebook=rulebook.id,
        rulebook_digest=rulebook.digest,
        layout=terms.layout.id,
        limits=terms.limits.id if terms.limits else None,
        decimals=terms.decimals,
        chip_unit=terms.chip_unit,
        made_ms=now_ms,
    )
