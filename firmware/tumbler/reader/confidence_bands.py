"""What margins are worth, by the pips' polarity, for dice seen small and for well seen ones.

Made by tools/fit_confidence.py at commit 61794d1a8a88+: 3,000 scenes of seed 8000. Each band has the least
margin that belongs to it, and what it is worth, both in thousandths.
"""

BANDS = {
    "dark-pips": (
        (
            (0, 826),  # 32 of 34 dice deserved it
            (86, 978),  # 140 of 140 dice deserved it
            (237, 994),  # 522 of 522 dice deserved it
            (424, 997),  # 1,056 of 1,056 dice deserved it
        ),
        (
            (0, 851),  # 29 of 30 dice deserved it
            (157, 975),  # 123 of 123 dice deserved it
            (267, 993),  # 458 of 458 dice deserved it
            (451, 996),  # 919 of 919 dice deserved it
        ),
    ),
    "light-pips": (
        (
            (0, 872),  # 45 of 47 dice deserved it
            (246, 956),  # 140 of 142 dice deserved it
            (513, 983),  # 284 of 285 dice deserved it
        ),
        (
            (0, 903),  # 61 of 63 dice deserved it
            (270, 975),  # 188 of 189 dice deserved it
            (526, 987),  # 383 of 384 dice deserved it
        ),
    ),
}
