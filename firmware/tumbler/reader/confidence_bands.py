"""What margins are worth, by the pips' polarity, for dice seen small and for well seen ones.

Made by tools/fit_confidence.py at commit 005d57620ec4: 4,000 scenes of seed 8000. Each band has the least
margin that belongs to it, and what it is worth, both in thousandths.
"""

BANDS = {
    "dark-pips": (
        (
            (0, 902),  # 46 of 47 dice deserved it
            (196, 984),  # 190 of 190 dice deserved it
            (313, 995),  # 705 of 705 dice deserved it
            (482, 997),  # 1,437 of 1,437 dice deserved it
        ),
        (
            (0, 931),  # 42 of 42 dice deserved it
            (253, 983),  # 177 of 177 dice deserved it
            (361, 995),  # 657 of 657 dice deserved it
            (570, 997),  # 1,320 of 1,320 dice deserved it
        ),
    ),
    "light-pips": (
        (
            (0, 949),  # 91 of 92 dice deserved it
            (276, 983),  # 279 of 280 dice deserved it
            (508, 991),  # 566 of 567 dice deserved it
        ),
        (
            (0, 968),  # 95 of 95 dice deserved it
            (322, 989),  # 286 of 286 dice deserved it
            (514, 994),  # 576 of 576 dice deserved it
        ),
    ),
}
