"""What margins are worth, by the pips' polarity, for dice seen small and for well seen ones.

Made by tools/fit_confidence.py at commit 473e51c47cb1: 6,000 scenes of seed 8000. Each band has the least
margin that belongs to it, and what it is worth, both in thousandths.
"""

BANDS = {
    "dark-pips": (
        (
            (0, 934),  # 69 of 70 dice deserved it
            (205, 989),  # 280 of 280 dice deserved it
            (315, 997),  # 1,046 of 1,046 dice deserved it
            (482, 998),  # 2,120 of 2,120 dice deserved it
        ),
        (
            (0, 954),  # 65 of 65 dice deserved it
            (253, 988),  # 263 of 263 dice deserved it
            (365, 996),  # 986 of 986 dice deserved it
            (573, 998),  # 1,971 of 1,971 dice deserved it
        ),
    ),
    "light-pips": (
        (
            (0, 956),  # 139 of 141 dice deserved it
            (278, 989),  # 429 of 430 dice deserved it
            (511, 994),  # 859 of 860 dice deserved it
        ),
        (
            (0, 967),  # 145 of 146 dice deserved it
            (320, 993),  # 438 of 438 dice deserved it
            (513, 994),  # 876 of 877 dice deserved it
        ),
    ),
}
