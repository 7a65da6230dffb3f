"""What margins are worth, by the pips' polarity, for dice seen small and for well seen ones.

Made by tools/fit_confidence.py at commit a78fb1560a42: 4,000 scenes of seed 8000. Each band has the least
margin that belongs to it, and what it is worth, both in thousandths.
"""

BANDS = {
    "dark-pips": (
        (
            (0, 935),  # 45 of 45 dice deserved it
            (187, 984),  # 189 of 189 dice deserved it
            (308, 995),  # 695 of 695 dice deserved it
            (482, 997),  # 1,414 of 1,414 dice deserved it
        ),
        (
            (0, 932),  # 43 of 43 dice deserved it
            (247, 982),  # 172 of 172 dice deserved it
            (355, 995),  # 640 of 640 dice deserved it
            (570, 997),  # 1,299 of 1,299 dice deserved it
        ),
    ),
    "light-pips": (
        (
            (0, 933),  # 90 of 92 dice deserved it
            (266, 982),  # 275 of 276 dice deserved it
            (497, 991),  # 555 of 556 dice deserved it
        ),
        (
            (0, 969),  # 96 of 96 dice deserved it
            (319, 983),  # 283 of 284 dice deserved it
            (520, 994),  # 580 of 580 dice deserved it
        ),
    ),
}
