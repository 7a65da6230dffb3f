"""What margins are worth, by the pips' polarity, for dice seen small and for well seen ones.

Made by tools/fit_confidence.py at commit 5bdae0f1cdda: 4,000 scenes of seed 8000. Each band has the least
margin that belongs to it, and what it is worth, both in thousandths.
"""

BANDS = {
    "dark-pips": (
        (
            (0, 938),  # 47 of 47 dice deserved it
            (198, 983),  # 184 of 184 dice deserved it
            (312, 995),  # 708 of 708 dice deserved it
            (482, 997),  # 1,425 of 1,425 dice deserved it
        ),
        (
            (0, 932),  # 43 of 43 dice deserved it
            (253, 983),  # 176 of 176 dice deserved it
            (362, 995),  # 656 of 656 dice deserved it
            (570, 997),  # 1,315 of 1,315 dice deserved it
        ),
    ),
    "light-pips": (
        (
            (0, 950),  # 92 of 93 dice deserved it
            (276, 983),  # 278 of 279 dice deserved it
            (486, 991),  # 560 of 561 dice deserved it
        ),
        (
            (0, 968),  # 95 of 95 dice deserved it
            (320, 989),  # 287 of 287 dice deserved it
            (506, 994),  # 575 of 575 dice deserved it
        ),
    ),
}
