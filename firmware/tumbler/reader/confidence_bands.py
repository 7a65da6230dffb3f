"""What margins are worth, by the pips' polarity, for dice seen small and for well seen ones.

Made by tools/fit_confidence.py at commit 0079315826fd: 4,000 scenes of seed 8000. Each band has the least
margin that belongs to it, and what it is worth, both in thousandths.
"""

BANDS = {
    "dark-pips": (
        (
            (0, 863),  # 42 of 44 dice deserved it
            (85, 983),  # 178 of 178 dice deserved it
            (226, 995),  # 675 of 675 dice deserved it
            (418, 997),  # 1,350 of 1,350 dice deserved it
        ),
        (
            (0, 929),  # 41 of 41 dice deserved it
            (161, 982),  # 171 of 171 dice deserved it
            (262, 995),  # 638 of 638 dice deserved it
            (450, 997),  # 1,277 of 1,277 dice deserved it
        ),
    ),
    "light-pips": (
        (
            (0, 934),  # 92 of 94 dice deserved it
            (265, 977),  # 282 of 284 dice deserved it
            (484, 991),  # 572 of 573 dice deserved it
        ),
        (
            (0, 967),  # 92 of 92 dice deserved it
            (271, 983),  # 279 of 280 dice deserved it
            (486, 994),  # 558 of 558 dice deserved it
        ),
    ),
}
