"""Boots the board named in its board.json."""

from tumbler.start import main

main()
