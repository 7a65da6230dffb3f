"""From the ledger's rows to what leaves the service: rounds, wagers, settlements and differences as views."""

from dataclasses import asdict
from functools import cache, partial

from host_tools import ledger, settlement
from host_tools.bridge.conclusion import by_hand
from host_tools.bridge.deciding import differences_of
from host_tools.bridge.terms import FindRulebook, TermsLost, terms_of
from host_tools.ledger import Ledger
from host_tools.service.views import CardView, DifferenceView, RoundView, SettlementView, WagerView


def round_view(
    books: Ledger, round_: ledger.Round, find_rulebook: FindRulebook, *, wagers: bool
) -> RoundView:
    """A round with how it ended; its `wagers` and differences only for those who may see them."""
    made = books.settlements(round_.id)
    faces = made[-1].faces if made else None
    return RoundView(
        id=round_.id.hex(),
        table=round_.table,
        mode=round_.mode,
        state=round_.state,
        rulebook=round_.rulebook,
        layout=round_.layout,
        opened_ms=round_.made_ms,
        changed_ms=round_.changed_ms,
        faces=faces,
        settlements=_settlements(books, round_, made),
        differences=_differences(books, round_, made) if wagers else (),
        wagers=wager_views(books, round_) if wagers else (),
        winning=_winning(round_, find_rulebook, faces),
        cards=card_views(books, round_) if round_.mode == "cards" else (),
        manual=faces is not None and by_hand(round_, made[-1]),
    )


def card_views(books: Ledger, round_: ledger.Round) -> tuple[CardView, ...]:
    """The round's cards as they stand, in the order they were drawn."""
    return tuple(
        CardView(each.position, each.face, each.entered_by, each.seconded_by)
        for each in books.cards_of_round(round_.id)
    )


def wager_views(books: Ledger, round_: ledger.Round) -> tuple[WagerView, ...]:
    """The round's wagers with what they came to, then those that were withdrawn."""
    text = cache(partial(settlement.text_from_minor, decimals=round_.decimals))
    ended = {each.wager.id: each for each in books.outcomes(round_.id)}
    views = []
    for wager in books.wagers(round_.id):
        view = WagerView(wager.id, wager.player, wager.wager, text(wager.stake))
        outcome = ended.get(wager.id)
        if outcome is not None:
            view = WagerView(
                *(wager.id, wager.player, wager.wager, text(wager.stake), False),
                result=outcome.result,
                odds=outcome.odds or None,
                payout=text(outcome.payout),
                returned=text(outcome.returned),
                reason=outcome.reason,
                clause=outcome.clause,
            )
        views.append(view)
    back = [
        WagerView(each.id, each.player, each.wager, text(each.stake), withdrawn=True)
        for each in books.withdrawn(round_.id)
    ]
    return (*views, *back)


def _settlements(
    books: Ledger, round_: ledger.Round, made: list[ledger.Settlement]
) -> tuple[SettlementView, ...]:
    """A referral first, where there was one: it is how the round went to people."""
    referral = books.referral(round_.id)
    views = [_settlement(each) for each in made]
    if referral is not None and not made:
        views = [
            SettlementView(
                number=0,
                verdict="referred",
                faces=None,
                fact=referral.fact,
                action="refer",
                clause=referral.clause,
                record=referral.sequence,
                decided_by="",
                seconded_by="",
                reason="",
                evidence=None,
                corrects=None,
                made_ms=referral.made_ms,
            )
        ]
    return tuple(views)


def _settlement(made: ledger.Settlement) -> SettlementView:
    return SettlementView(
        number=made.entry,
        verdict=made.verdict,
        faces=made.faces,
        fact=made.fact,
        action=made.action,
        clause=made.clause,
        record=made.sequence,
        decided_by=made.decided_by,
        seconded_by=made.seconded_by,
        reason=made.reason,
        evidence=made.evidence.hex() if made.evidence else None,
        corrects=made.corrects,
        made_ms=made.made_ms,
    )


def _differences(
    books: Ledger, round_: ledger.Round, made: list[ledger.Settlement]
) -> tuple[DifferenceView, ...]:
    """What the latest correction is to collect and to pay."""
    if not made or made[-1].corrects is None:
        return ()
    lines = books.differences(round_.id, made[-1].entry)
    return tuple(DifferenceView(**asdict(each)) for each in differences_of(lines, round_.decimals))


def _winning(
    round_: ledger.Round, find_rulebook: FindRulebook, faces: ledger.Faces | None
) -> tuple[str, ...]:
    if faces is None:
        return ()
    try:
        layout = terms_of(round_, find_rulebook).layout
    except TermsLost:
        return ()
    return tuple(name for name, offer in layout.offers.items() if offer.pays(faces) is not None)
