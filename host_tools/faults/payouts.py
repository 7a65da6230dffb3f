"""What a wager pays by the faces, in plain words, from the pay tables themselves: nothing of the product's.

Odds "to one" of MBS Electronic Sic Bo v4, 4.1, and of RWS Sic Bo Open Cover 2021, pay table 1, which agree on
the wagers here. Twice the odds are kept, as whole numbers.
"""

_TOTALS = {4: 128, 5: 64, 6: 38, 7: 24, 8: 17, 9: 14, 10: 13}  # and 21 minus each
_SINGLES = {0: 0, 1: 2, 2: 4, 3: 24}


def twice_odds(wager: str, faces: tuple[int, ...]) -> int:  # noqa: PLR0911 - one for each kind
    """Twice what the wager pays to one; 0: it is lost."""
    kind, _, number = wager.partition(":")
    total, triple = sum(faces), len(set(faces)) == 1
    if kind in ("small", "big", "odd", "even"):
        named = {"small": total <= 10, "big": total >= 11, "odd": total % 2 == 1, "even": total % 2 == 0}
        return 2 if named[kind] and not triple else 0
    if kind == "any-triple":
        return 64 if triple else 0
    if kind == "domino":
        return 12 if {int(each) for each in number.split("-")} <= set(faces) else 0
    shown = faces.count(int(number))
    if kind == "triple":
        return 390 if shown == 3 else 0
    if kind == "double":
        return 23 if shown >= 2 else 0
    if kind == "single":
        return _SINGLES[shown]
    assert kind == "total", wager
    return _TOTALS[min(total, 21 - total)] if total == int(number) else 0
