"""What margins are worth, by the pips' polarity, for dice seen small and for well seen ones.

Made by tools/fit_confidence.py at commit 296061512ea2: 4,038 scenes of seed 8000. Each band has the least
margin that belongs to it, and what it is worth, both in thousandths.
"""

BANDS = {
    "dark-pips": (
        (
            (0, 866),  # 43 of 45 dice deserved it
            (86, 983),  # 179 of 179 dice deserved it
            (226, 995),  # 681 of 681 dice deserved it
            (418, 997),  # 1,360 of 1,360 dice deserved it
        ),
        (
            (0, 931),  # 42 of 42 dice deserved it
            (161, 982),  # 172 of 172 dice deserved it
            (262, 995),  # 645 of 645 dice deserved it
            (450, 997),  # 1,295 of 1,295 dice deserved it
        ),
    ),
    "light-pips": (
        (
            (0, 942),  # 80 of 81 dice deserved it
            (244, 968),  # 241 of 244 dice deserved it
            (481, 990),  # 487 of 488 dice deserved it
        ),
        (
            (0, 948),  # 89 of 90 dice deserved it
            (225, 989),  # 273 of 273 dice deserved it
            (432, 991),  # 545 of 546 dice deserved it
        ),
    ),
}
