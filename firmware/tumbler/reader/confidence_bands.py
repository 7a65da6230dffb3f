"""What margins are worth, by the pips' polarity, for dice seen small and for well seen ones.

Made by tools/fit_confidence.py at commit 61794d1a8a88+: 2,722 scenes of seed 8000. Each band has the least
margin that belongs to it, and what it is worth, both in thousandths.
"""

BANDS = {
    "dark-pips": (
        (
            (0, 810),  # 29 of 31 dice deserved it
            (84, 976),  # 126 of 126 dice deserved it
            (236, 993),  # 481 of 481 dice deserved it
            (426, 996),  # 958 of 958 dice deserved it
        ),
        (
            (0, 965),  # 133 of 134 dice deserved it
            (266, 992),  # 413 of 413 dice deserved it
            (450, 996),  # 827 of 827 dice deserved it
        ),
    ),
    "light-pips": (
        (
            (0, 860),  # 41 of 43 dice deserved it
            (242, 953),  # 130 of 132 dice deserved it
            (515, 988),  # 263 of 263 dice deserved it
        ),
        (
            (0, 897),  # 57 of 59 dice deserved it
            (278, 973),  # 178 of 179 dice deserved it
            (526, 986),  # 358 of 359 dice deserved it
        ),
    ),
}
