"""The camera's tone: levels as a linear camera gives them, where no light is BLACK and twice the light is
twice as far above it."""

BLACK = 2


def tone_table(black, gamma):
    """256 levels, one for each that the camera gives; None when the camera's own are linear.

    black: the camera's level of no light; gamma: the power of the light that its levels rise with.
    """
    if black == BLACK and gamma == 1:
        return None
    table = bytearray(256)
    for level in range(256):
        if level > black:
            share = ((level - black) / (255 - black)) ** (1 / gamma)
            table[level] = int(BLACK + (255 - BLACK) * share + 0.5)
        else:
            table[level] = max(0, int(BLACK - black + level))
    return table
