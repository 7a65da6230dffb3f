"""Pins by what they mean, and the port's own objects made with the keywords that the port knows."""


class Unsupported(Exception):
    """The port lacks what board.json asks of it: the message names the key. Correct it, or the board."""


def pin_of(machine, where, name, *arguments, **keywords):
    """machine.Pin for the pin `name` that the key `where` tells; Unsupported when there is none like that."""
    try:
        return machine.Pin(name, *arguments, **keywords)
    except (ValueError, TypeError) as error:
        raise Unsupported("%s: pin %s: %s" % (where, name, error)) from None


def made(where, build, required, *optional):
    """Call `build` with the keywords `required` and as many of the groups `optional` as the port knows.

    Ports differ in the keywords they take and tell an unknown one by TypeError; the last group goes first.
    Returns what was built, and how many groups it took.
    """
    for count in range(len(optional), -1, -1):
        keywords = dict(required)
        for group in optional[:count]:
            keywords.update(group)
        try:
            return build(keywords), count
        except TypeError:
            pass
        except (ValueError, OSError) as error:
            raise Unsupported("%s: %s" % (where, error)) from None
    raise Unsupported("%s: the port takes none of its settings" % where)


class Input:
    """A channel on a pin. settings: "pin", "active" ("low" or "high"), "pull" ("up", "down" or "none")."""

    def __init__(self, machine, where, settings):
        arguments = [machine.Pin.IN]
        if settings["pull"] != "none":
            arguments.append(getattr(machine.Pin, "PULL_" + settings["pull"].upper()))
        self.pin = pin_of(machine, where, settings["pin"], *arguments)
        self.high = 1 if settings["active"] == "high" else 0

    def active(self):
        """True when the channel says what its name says."""
        return self.pin.value() == self.high


class Output:
    """A load on a pin, off from the moment the pin drives it. settings: "pin", "active".

    Without power, and until this object exists, only a resistor at the load keeps it off.
    """

    def __init__(self, machine, where, settings):
        self._on = 1 if settings["active"] == "high" else 0
        self._off = 1 - self._on
        self._pin = pin_of(machine, where, settings["pin"], machine.Pin.OUT, value=self._off)

    def set(self, on):
        """Switch the load; allowed in an interrupt."""
        self._pin.value(self._on if on else self._off)
