"""Least squares with three unknowns."""


def solve(rows):
    """(x, y, z) for which a * x + b * y + c * z is nearest to d, over all rows (a, b, c, d).

    ZeroDivisionError when the rows leave one of them open.
    """
    aa = ab = ac = bb = bc = cc = ad = bd = cd = 0
    for a, b, c, d in rows:
        aa += a * a
        ab += a * b
        ac += a * c
        bb += b * b
        bc += b * c
        cc += c * c
        ad += a * d
        bd += b * d
        cd += c * d
    first, second, third = (aa, ab, ac), (ab, bb, bc), (ac, bc, cc)
    known = ad, bd, cd
    whole = _determinant(first, second, third)
    return (
        _determinant(known, second, third) / whole,
        _determinant(first, known, third) / whole,
        _determinant(first, second, known) / whole,
    )


def _determinant(p, q, r):
    return (
        p[0] * (q[1] * r[2] - q[2] * r[1])
        - p[1] * (q[0] * r[2] - q[2] * r[0])
        + p[2] * (q[0] * r[1] - q[1] * r[0])
    )
