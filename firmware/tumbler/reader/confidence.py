"""What a margin is worth: the share of dice with such a margin that were read rightly, and were sound.

A die is sound that lies level and undamaged in a scene in which nothing else forbids reading it. The shares
are measured on scenes of the twin on which no check was tuned, apart for dark and light pips and for dice
seen small and well: docs/confidence.md.
"""

from .confidence_bands import BANDS

_WELL_SEEN = 20  # side, in pixels, from which dice are measured apart from smaller ones


def confidence(margin, profile):
    """At least this share, 0 to 1, of the dice read with such a margin deserved it (at 95 % confidence).

    margin: 0 to 1, what the tightest check leaves of its tolerance.
    """
    at = int(margin * 1000)
    share = 0
    for least, worth in BANDS[profile.polarity][is_well_seen(profile)]:
        if at >= least:
            share = worth
    return share / 1000


def is_well_seen(profile):
    """Whether its dice are measured among those that are seen well."""
    return profile.side >= _WELL_SEEN
