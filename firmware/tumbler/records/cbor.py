"""The CBOR this product speaks: RFC 8949 4.2.1, deterministic form only, both ways.

Values are int (-2**64 .. 2**64-1), bool, bytes, str, list (a tuple is encoded as one) and dict with unsigned
integer keys; with such keys numeric order is the order of the encoded keys. Anything else is refused, so for
every accepted input `encode(decode(data)) == data`. Tags, floats, null and indefinite lengths do not occur.
"""

MAX_DEPTH = 8  # arrays and maps inside one another

_UNSIGNED = 0x00
_NEGATIVE = 0x20
_BYTES = 0x40
_TEXT = 0x60
_ARRAY = 0x80
_MAP = 0xA0
_FALSE = 0xF4
_TRUE = 0xF5


class CborError(ValueError):
    """Not a value, or not bytes, of this subset; the message says what is wrong and at which byte."""


def encode(value):
    """Deterministic CBOR of `value` as bytes; CborError when it has no place in this subset."""
    out = bytearray()
    _put(out, value, 0)
    return bytes(out)


def decode(data):
    """The value of which `data` (bytes-like) is the deterministic form; CborError for any other bytes."""
    reader = _Reader(data)
    value = reader.item(0)
    if reader.at != len(reader.data):
        raise CborError("byte %d: %d bytes after the end" % (reader.at, len(reader.data) - reader.at))
    return value


def _put_head(out, major, number):
    if number < 24:
        out.append(major | number)
    elif number < 0x100:
        out.append(major | 24)
        out.append(number)
    elif number < 0x10000:
        out.append(major | 25)
        out.append(number >> 8)
        out.append(number & 0xFF)
    elif number <= 0xFFFFFFFF:
        out.append(major | 26)
        out.extend(number.to_bytes(4, "big"))
    elif number <= 0xFFFFFFFFFFFFFFFF:
        out.append(major | 27)
        out.extend(number.to_bytes(8, "big"))
    else:
        raise CborError("an integer beyond 64 bits has no encoding here")


def _put(out, value, depth):
    kind = type(value)
    if kind is int:
        if value >= 0:
            _put_head(out, _UNSIGNED, value)
        else:
            _put_head(out, _NEGATIVE, -1 - value)
    elif kind is bytes or kind is bytearray or kind is memoryview:
        _put_head(out, _BYTES, len(value))
        out.extend(value)
    elif kind is list or kind is tuple:
        _check_depth(depth)
        _put_head(out, _ARRAY, len(value))
        for item in value:
            _put(out, item, depth + 1)
    elif kind is dict:
        _check_depth(depth)
        _put_head(out, _MAP, len(value))
        for key in _sorted_keys(value):
            _put_head(out, _UNSIGNED, key)
            _put(out, value[key], depth + 1)
    elif kind is bool:
        out.append(_TRUE if value else _FALSE)
    elif kind is str:
        data = utf8(value)
        _put_head(out, _TEXT, len(data))
        out.extend(data)
    else:
        raise CborError("%s has no encoding here" % kind.__name__)


def _check_depth(depth):
    if depth >= MAX_DEPTH:
        raise CborError("arrays and maps are nested deeper than %d" % MAX_DEPTH)


def _sorted_keys(mapping):
    for key in mapping:
        if type(key) is not int or key < 0:
            raise CborError("map key %r is not an unsigned integer" % (key,))
    return sorted(mapping)


def utf8(text):
    """Text as UTF-8 bytes; CborError for a surrogate, which MicroPython would encode."""
    try:
        data = text.encode()
    except UnicodeError:
        raise CborError("text holds a surrogate") from None
    if len(data) != len(text) and not _is_strict(text, data):
        raise CborError("text holds a surrogate")
    return data


def _is_strict(text, data):
    """True when `data` is the UTF-8 (RFC 3629) of `text`; MicroPython takes overlong forms, surrogates."""
    try:
        again = bytearray()
        for character in text:
            code = ord(character)
            if 0xD800 <= code < 0xE000 or code > 0x10FFFF:
                return False
            again.extend(chr(code).encode())
    except (ValueError, TypeError):
        return False
    return again == data


class _Reader:
    """A position in the bytes being decoded; a length is checked against what is left before it is used."""

    def __init__(self, data):
        self.data = bytes(data)
        self.at = 0

    def item(self, depth):
        start = self.at
        if start >= len(self.data):
            raise CborError("byte %d: the data ends where an item should start" % start)
        first = self.data[start]
        self.at = start + 1
        if first in (_FALSE, _TRUE):
            return first == _TRUE
        major = first & 0xE0
        if major > _MAP:
            raise CborError("byte %d: neither integer, bytes, text, array, map nor bool" % start)
        number = self._argument(first & 0x1F, start)
        if major == _UNSIGNED:
            return number
        if major == _NEGATIVE:
            return -1 - number
        if major == _BYTES:
            return self._take(number, start)
        if major == _TEXT:
            return self._text(number, start)
        if depth >= MAX_DEPTH:
            raise CborError("byte %d: arrays and maps are nested deeper than %d" % (start, MAX_DEPTH))
        if major == _ARRAY:
            return self._array(number, depth, start)
        return self._map(number, depth, start)

    def _argument(self, low, start):
        """The number after an initial byte with the low bits `low`; only its shortest form."""
        if low < 24:
            return low
        if low > 27:
            raise CborError("byte %d: an indefinite or reserved length" % start)
        size = 1 << (low - 24)
        number = int.from_bytes(self._take(size, start), "big")
        if number < (24 if size == 1 else 1 << (4 * size)):
            raise CborError("byte %d: a number not in its shortest form" % start)
        return number

    def _check_claim(self, count, what, start):
        """Each counted thing takes a byte or more, so none is made for a claim beyond what is left."""
        left = len(self.data) - self.at
        if count > left:
            raise CborError("byte %d: %d %s claimed, %d bytes left" % (start, count, what, left))

    def _take(self, size, start):
        self._check_claim(size, "bytes", start)
        self.at += size
        return self.data[self.at - size : self.at]

    def _text(self, size, start):
        data = self._take(size, start)
        try:
            text = str(data, "utf-8")
        except UnicodeError:
            raise CborError("byte %d: text that is not UTF-8" % start) from None
        if len(text) != size and not _is_strict(text, data):
            raise CborError("byte %d: text that is not UTF-8" % start)
        return text

    def _array(self, count, depth, start):
        self._check_claim(count, "items", start)
        return [self.item(depth + 1) for _ in range(count)]

    def _map(self, count, depth, start):
        self._check_claim(2 * count, "keys and values", start)
        mapping = {}
        newest = -1
        for _ in range(count):
            start = self.at
            key = self.item(depth + 1)
            if type(key) is not int or key < 0:
                raise CborError("byte %d: a map key that is not an unsigned integer" % start)
            if key <= newest:
                raise CborError("byte %d: map key %d doubled or out of order" % (start, key))
            newest = key
            mapping[key] = self.item(depth + 1)
        return mapping
