"""The shapes that values of a configuration can have; each names every fault of a value at once.

A shape has `faults(where, value)`: a list of sentences about the value whose key has the path `where`.
"""


class Anything:
    """Any value: its check is elsewhere."""

    def faults(self, where, value):
        """See the module."""
        return []


class Whole:
    """A whole number from `least` to `most`."""

    def __init__(self, least, most):
        self._least = least
        self._most = most

    def faults(self, where, value):
        """See the module."""
        if type(value) is not int:
            return ["%s is not a whole number" % where]
        if not self._least <= value <= self._most:
            return ["%s is %d, not within %d..%d" % (where, value, self._least, self._most)]
        return []


class Text:
    """A text that is not empty."""

    def faults(self, where, value):
        """See the module."""
        return [] if isinstance(value, str) and value else ["%s is not a text" % where]


class Choice:
    """One of a few texts or numbers."""

    def __init__(self, *values):
        self._values = values

    def faults(self, where, value):
        """See the module."""
        if type(value) in (str, int) and value in self._values:
            return []
        return ["%s is not one of %s" % (where, ", ".join([str(known) for known in self._values]))]


class PinName:
    """A pin as the port calls it: a number or a name."""

    def faults(self, where, value):
        """See the module."""
        named = isinstance(value, str) and value
        numbered = type(value) is int and value >= 0
        return [] if named or numbered else ["%s is not a pin: a number or a name" % where]


class ListOf:
    """An array of exactly `count` values of one shape."""

    def __init__(self, shape, count):
        self._shape = shape
        self._count = count

    def faults(self, where, value):
        """See the module."""
        if not isinstance(value, list) or len(value) != self._count:
            return ["%s is not a list of %d" % (where, self._count)]
        found = []
        for index, item in enumerate(value):
            found += self._shape.faults("%s[%d]" % (where, index), item)
        return found


class Table:
    """An object with all `required` and perhaps some `optional` members, {name: shape}, and no others."""

    def __init__(self, required, optional=None):
        self._required = required
        self._known = dict(optional or {})
        self._known.update(required)

    def faults(self, where, value):
        """See the module."""
        if not isinstance(value, dict):
            return ["%s is not an object" % where]
        found = ["unknown key %s" % _join(where, name) for name in sorted(value) if name not in self._known]
        for name in sorted(self._known):
            if name in value:
                found += self._known[name].faults(_join(where, name), value[name])
            elif name in self._required:
                found.append("missing key %s" % _join(where, name))
        return found


class Members:
    """An object whose members have any name and one of several shapes, which `shape_of(name)` tells."""

    def __init__(self, shape_of):
        self._shape_of = shape_of

    def faults(self, where, value):
        """See the module."""
        if not isinstance(value, dict):
            return ["%s is not an object" % where]
        found = []
        for name in sorted(value):
            found += self._shape_of(name).faults(_join(where, name), value[name])
        return found


def _join(where, name):
    return where + "." + name if where else name
