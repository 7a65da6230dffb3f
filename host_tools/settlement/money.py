"""Money: exact decimal text at every interface, whole minor units inside, never a float."""

import re

LARGEST_STAKE = 10**12
"""In minor units. With odds below a million a payout fits 64 bits, so both settlement paths agree."""

_AMOUNT = re.compile(r"(0|[1-9][0-9]*)(?:\.([0-9]+))?", re.ASCII)


class MalformedAmountError(ValueError):
    """The text is no amount of the currency; the message says why."""


def minor_from_text(text: str, decimals: int) -> int:
    """`"10.5"` with 2 decimals -> 1050. Plain digits only: no sign, exponent, separator or leading zero.

    Raises MalformedAmountError; also for decimals that the currency does not have, even if they are zeros.
    """
    match = _AMOUNT.fullmatch(text) if len(text) <= 40 else None
    if match is None:
        shown = ascii(text if len(text) <= 40 else text[:40] + "...")
        raise MalformedAmountError(f'{shown} is no amount; write plain digits, as "10" or "2.50"')
    whole, part = match[1], match[2] or ""
    if len(part) > decimals:
        raise MalformedAmountError(f"{text!r} has more than {decimals} decimals")
    return int(whole + part.ljust(decimals, "0"))


def text_from_minor(minor: int, decimals: int) -> str:
    """1050 with 2 decimals -> `"10.50"`."""
    if not decimals:
        return str(minor)
    digits = f"{abs(minor):0{decimals + 1}d}"
    return f"{'-' if minor < 0 else ''}{digits[:-decimals]}.{digits[-decimals:]}"
