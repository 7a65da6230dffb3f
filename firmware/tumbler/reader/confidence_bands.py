"""What margins are worth, by the pips' polarity, for dice seen small and for well seen ones.

Made by tools/fit_confidence.py at commit bb7a450a8b90: 6,000 scenes of seed 8000. Each band has the least
margin that belongs to it, and what it is worth, both in thousandths.
"""

BANDS = {
    "dark-pips": (
        (
            (0, 934),  # 69 of 70 dice deserved it
            (210, 989),  # 280 of 280 dice deserved it
            (327, 997),  # 1,051 of 1,051 dice deserved it
            (501, 998),  # 2,121 of 2,121 dice deserved it
        ),
        (
            (0, 953),  # 63 of 63 dice deserved it
            (255, 988),  # 265 of 265 dice deserved it
            (367, 996),  # 984 of 984 dice deserved it
            (583, 998),  # 1,973 of 1,973 dice deserved it
        ),
    ),
    "light-pips": (
        (
            (0, 956),  # 139 of 141 dice deserved it
            (278, 989),  # 429 of 430 dice deserved it
            (510, 994),  # 859 of 860 dice deserved it
        ),
        (
            (0, 967),  # 145 of 146 dice deserved it
            (331, 993),  # 438 of 438 dice deserved it
            (546, 994),  # 879 of 880 dice deserved it
        ),
    ),
}
