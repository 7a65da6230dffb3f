"""The baseline: Ed25519 as RFC 8032 section 6 describes it, extended coordinates, double and add.

It hashes with the firmware's fast SHA-512, so that a comparison is one of the curve arithmetic.
"""

from tumbler.signing.sha512 import sha512

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
BASE_X = 15112221349535400772501151409588531511454012693041857206046113283949847762202
BASE_Y = 46316835694926478169428394003475163141307993866256225615783033603165251855960
BASE = (BASE_X, BASE_Y, 1, BASE_X * BASE_Y % P)


def add(left, right):
    x1, y1, z1, t1 = left
    x2, y2, z2, t2 = right
    a = (y1 - x1) * (y2 - x2) % P
    b = (y1 + x1) * (y2 + x2) % P
    c = 2 * t1 * t2 * D % P
    d = 2 * z1 * z2 % P
    e = b - a
    f = d - c
    g = d + c
    h = b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(scalar, point):
    total = (0, 1, 1, 0)
    while scalar > 0:
        if scalar & 1:
            total = add(total, point)
        point = add(point, point)
        scalar >>= 1
    return total


def compress(point):
    x, y, z, _ = point
    inverse = pow(z, P - 2, P)
    x = x * inverse % P
    y = y * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def expand(seed):
    digest = sha512(seed)
    scalar = int.from_bytes(digest[:32], "little") & (2**254 - 8) | 2**254
    return scalar, digest[32:]


def public_key(seed):
    scalar, _ = expand(seed)
    return compress(multiply(scalar, BASE))


def sign(seed, message):
    """As published: the public key is worked out for every signature."""
    return sign_with(seed, public_key(seed), message)


def sign_with(seed, public, message):
    """The same with the public key at hand."""
    scalar, prefix = expand(seed)
    nonce = int.from_bytes(sha512(prefix, message), "little") % L
    point = compress(multiply(nonce, BASE))
    challenge = int.from_bytes(sha512(point, public, message), "little") % L
    return point + ((nonce + challenge * scalar) % L).to_bytes(32, "little")
