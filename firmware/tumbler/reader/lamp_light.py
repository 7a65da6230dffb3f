"""Light of a profile's lamps on level surfaces: it falls with the angle, and with the square of the way."""


def lamp_light(x, y, lamp, profile):
    """Light of a lamp on a level face at x, y (pixels from the platform's centre), in mm^-2."""
    return profile.gains[lamp] * _light(x / profile.scale, y / profile.scale, lamp, profile, profile.die_mm)


def floor_light(x, y, lamp, profile):
    """Light of a lamp on the floor at x, y (pixels from the platform's centre), in mm^-2 of an even one."""
    ground = profile.scale * (1 - profile.lens)
    return _light(x / ground, y / ground, lamp, profile, 0)


def least_light(x, y, profile):
    """Light of the darkest lamp on a level face there."""
    return min([lamp_light(x, y, lamp, profile) for lamp in range(profile.lamps)])


def _light(x, y, lamp, profile, height):
    """At x, y in mm and a height above the floor."""
    lamp_x, lamp_y, lamp_z = profile.positions[lamp]
    z = lamp_z - height
    return z / ((lamp_x - x) ** 2 + (lamp_y - y) ** 2 + z * z) ** 1.5
