"""What margins are worth, by the pips' polarity, for dice seen small and for well seen ones.

Made by tools/fit_confidence.py at commit 9244f169ef08: 2,690 scenes of seed 8000. Each band has the least
margin that belongs to it, and what it is worth, both in thousandths.
"""

BANDS = {
    "dark-pips": (
        (
            (0, 907),  # 31 of 31 dice deserved it
            (205, 977),  # 133 of 133 dice deserved it
            (329, 993),  # 494 of 494 dice deserved it
            (489, 996),  # 992 of 992 dice deserved it
        ),
        (
            (0, 978),  # 139 of 139 dice deserved it
            (360, 992),  # 420 of 420 dice deserved it
            (574, 996),  # 845 of 845 dice deserved it
        ),
    ),
    "light-pips": (
        (
            (0, 951),  # 60 of 60 dice deserved it
            (296, 983),  # 182 of 182 dice deserved it
            (491, 987),  # 366 of 367 dice deserved it
        ),
        (
            (0, 953),  # 63 of 63 dice deserved it
            (314, 984),  # 191 of 191 dice deserved it
            (511, 992),  # 382 of 382 dice deserved it
        ),
    ),
}
