"""Ed25519 signing (RFC 8032, PureEdDSA) with a table of base point multiples read from flash.

A scalar is written in 42 signed radix-64 digits; each digit adds one row of base_table.bin (made by
tools/make_base_table.py): 294 multiplications modulo p and no doubling. Integers of the interpreter do not
take constant time, so: every digit costs the same operations, the only inversion is blinded, and the nonce
is hedged with fresh randomness.
"""

from binascii import unhexlify
from hashlib import sha256

from tumbler.signing.sha512 import sha512

P = 2**255 - 19  # the field (RFC 8032 5.1)
L = 2**252 + 27742317777372353535851937790883648493  # the order of the base point
SEED_SIZE = 32
NOISE_SIZE = 32

TABLE_SHA256 = unhexlify("d3569608c637e59cbc2b7a289ba1d9c9a040a5f041c1de7c9fa8b22a2c27b0a9")
_LOW = 2**255 - 1
_MAGNITUDES = 32
_TOP_BIT = 6 * 41
_NUMBER = 32  # bytes
_ROW = 3 * _NUMBER


class TableError(Exception):
    """base_table.bin is missing or damaged; the message says what to do."""


class EntropyError(Exception):
    """The random generator gave fewer or more bytes than asked for."""


class BaseTable:
    """The rows of base_table.bin, each read from flash into one buffer when it is needed.

    The file stays open until `close`. TableError when it cannot be opened.
    """

    def __init__(self, path=None):
        self._path = path or _beside(__file__, "base_table.bin")
        try:
            self._file = open(self._path, "rb")  # noqa: SIM115 (kept open)
        except OSError as error:
            raise TableError("%s: %s: flash the firmware again" % (self._path, error)) from None
        self._row = bytearray(_ROW)
        row = memoryview(self._row)
        self._difference = row[:_NUMBER]
        self._sum = row[_NUMBER : 2 * _NUMBER]
        self._product = row[2 * _NUMBER :]

    def read(self, number):
        """(y - x, y + x, 2dxy) of row `number` as integers. TableError."""
        self._file.seek(number * _ROW)
        if self._file.readinto(self._row) != _ROW:
            raise TableError("%s is cut short: flash the firmware again" % self._path)
        return (
            int.from_bytes(self._difference, "little"),
            int.from_bytes(self._sum, "little"),
            int.from_bytes(self._product, "little"),
        )

    def check(self):
        """TableError unless the file is exactly the table this code was made for."""
        digest = sha256()
        self._file.seek(0)
        count = self._file.readinto(self._row)
        while count:
            digest.update(memoryview(self._row)[:count])
            count = self._file.readinto(self._row)
        if digest.digest() != TABLE_SHA256:
            raise TableError("%s is damaged: flash the firmware again" % self._path)

    def close(self):
        """Give the file back."""
        self._file.close()


def expand(seed):
    """(scalar, nonce prefix) of a 32-byte seed, the private key (RFC 8032 5.1.5). ValueError.

    The scalar is an integer below L, the clamped one reduced; the prefix is 32 bytes.
    """
    if len(seed) != SEED_SIZE:
        raise ValueError("an Ed25519 seed has 32 bytes, not %d" % len(seed))
    digest = sha512(seed)
    clamped = int.from_bytes(digest[:32], "little") & (2**254 - 8) | 2**254
    return clamped % L, digest[32:]


def sign(table, scalar, prefix, public_key, message, entropy):
    """The 64-byte signature of `message` (RFC 8032 5.1.6).

    entropy: callable n -> n random bytes, or None for the deterministic signature of RFC 8032. With entropy
    the nonce is hashed as in draft-irtf-cfrg-det-sigs-with-noise: noise, prefix, zeros up to a hash block,
    message. It stays secret and unique even when the entropy is bad. EntropyError, TableError.
    """
    if entropy is None:
        digest = sha512(prefix, message)
    else:
        noise = entropy(NOISE_SIZE)
        if len(noise) != NOISE_SIZE:
            raise EntropyError("%d random bytes, not %d: the generator is broken" % (len(noise), NOISE_SIZE))
        digest = sha512(noise, prefix, bytes(64), message)
    # The 512-bit number's quotient by L blinds, its remainder is the nonce: they are independent.
    blind, nonce = divmod(int.from_bytes(digest, "little"), L)
    point = multiply_base(table, nonce, blind)
    challenge = int.from_bytes(sha512(point, public_key, message), "little") % L
    return point + ((nonce + challenge * scalar) % L).to_bytes(32, "little")


def multiply_base(table, scalar, blind):
    """scalar * B as 32 encoded bytes (RFC 8032 5.1.2); `blind`, a secret integer, does not change the result.

    Extended coordinates; the addition is that of RFC 8032 5.1.4 with the second point in the table's form.
    A product is folded: 2^255 = 19 modulo p, so its bits above 255 come back times 19, which is cheaper than
    a division. One fold leaves up to 281 bits, and products of that ever more: the exact reductions of a, b
    and z keep x, y, t and c below 272 bits.
    """
    x = 0
    y = 1
    z = 1
    t = 0
    low = _LOW
    p = P
    read = table.read
    window = 0
    for digit in _digits(scalar % L):
        # A zero digit adds the identity, row 0; a negative one the mirrored point: all with the same work.
        magnitude = abs(digit)
        negative = int(digit < 0)
        row = read((window + magnitude) * int(magnitude > 0))
        window += _MAGNITUDES
        a = (y - x) * row[negative]
        a = ((a & low) + 19 * (a >> 255)) % p
        b = (y + x) * row[1 - negative]
        b = ((b & low) + 19 * (b >> 255)) % p
        c = t * row[2]
        c = (c & low) + 19 * (c >> 255)
        d = z + z
        pair = (d - c, d + c)
        e = b - a
        f = pair[negative]
        g = pair[1 - negative]
        h = b + a
        x = e * f
        x = (x & low) + 19 * (x >> 255)
        y = g * h
        y = (y & low) + 19 * (y >> 255)
        t = e * h
        t = (t & low) + 19 * (t >> 255)
        z = f * g
        z = ((z & low) + 19 * (z >> 255)) % p
    blind = blind % p or 1
    inverse = _invert(z * blind % p) * blind % p
    x = x * inverse % p
    y = y * inverse % p
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _digits(scalar):
    """`scalar` below L as signed radix-64 digits, least first: 41 integers from -31 to 32, and the top one.

    The top digit takes all that is left: 64 at most, as L is 64 * 64^41 and a little, too little for a carry.
    """
    data = scalar.to_bytes(32, "little")
    digits = []
    carry = 0
    for bit in range(0, _TOP_BIT, 6):
        at = bit >> 3
        digit = ((data[at] | data[at + 1] << 8) >> (bit & 7) & 63) + carry
        carry = (digit + 31) >> 6
        digits.append(digit - (carry << 6))
    digits.append((scalar >> _TOP_BIT) + carry)
    return digits


def _invert(value):
    """1 / value modulo P by Euclid, 25 times faster than the power P - 2; its time depends on the value."""
    a = P
    b = value
    u = 0
    v = 1
    while b:
        quotient, rest = divmod(a, b)
        a = b
        b = rest
        u, v = v, u - quotient * v
    return u % P


def _beside(module, name):
    """The path of a file in the folder of `module`, a module's __file__."""
    end = max(module.rfind("/"), module.rfind("\\")) + 1
    return module[:end] + name
