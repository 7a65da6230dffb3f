"""What margins are worth, by the pips' polarity, for dice seen small and for well seen ones.

Made by tools/fit_confidence.py at commit 032ed86f71e1: 4,000 scenes of seed 8000. Each band has the least
margin that belongs to it, and what it is worth, both in thousandths.
"""

BANDS = {
    "dark-pips": (
        (
            (0, 902),  # 46 of 47 dice deserved it
            (196, 984),  # 189 of 189 dice deserved it
            (314, 995),  # 710 of 710 dice deserved it
            (483, 997),  # 1,427 of 1,427 dice deserved it
        ),
        (
            (0, 931),  # 42 of 42 dice deserved it
            (253, 983),  # 177 of 177 dice deserved it
            (361, 995),  # 657 of 657 dice deserved it
            (570, 997),  # 1,314 of 1,314 dice deserved it
        ),
    ),
    "light-pips": (
        (
            (0, 950),  # 92 of 93 dice deserved it
            (276, 983),  # 279 of 280 dice deserved it
            (508, 991),  # 559 of 560 dice deserved it
        ),
        (
            (0, 968),  # 95 of 95 dice deserved it
            (303, 989),  # 285 of 285 dice deserved it
            (505, 994),  # 571 of 571 dice deserved it
        ),
    ),
}
