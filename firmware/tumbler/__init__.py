"""The Sic Bo tumbler's firmware: facts about three dice, journalled, signed and reported."""

__version__ = "0.1.0"
