"""Which commands are carried out: authentic, new, complete; a repeated one gets its stored reply instead."""

from tumbler import definitions
from tumbler.definitions import COMMANDS, name_of
from tumbler.records import cbor
from tumbler.records.messages import MessageError, unpack_message

_COMMAND = definitions.HOST_TYPES["command"]
_REMEMBERED = 8  # newest commands whose replies can be sent again


class CommandRefused(Exception):
    """A command that changes nothing; `id`, `status` (of REPLY_STATUSES) and `detail` make its reply."""

    def __init__(self, id, status, detail):
        super().__init__(detail)
        self.id = id
        self.status = status
        self.detail = detail


class CommandGate:
    """Checks the commands of one boot; `seal`: the link.seal.Seal of the conversation that goes on.

    A command is known again by its id and contents: in another conversation its MAC is another.
    """

    def __init__(self, seal):
        self._seal = seal
        self._newest = -1
        self._replies = []  # [values, body of the reply or None while it is carried out], oldest first

    def admit(self, body):
        """(command, None) to carry out; (None, reply body) for a repetition, (None, None) while it runs.

        The command is a dict by field name; "command" is a name of COMMANDS, the other values are as they
        came, their numbers known and their types right. Raises CommandRefused.
        """
        values = self._authentic(body)
        for known, reply in self._replies:
            if known == values:
                return None, reply
        if values["id"] <= self._newest:
            # The host reads the newest id from here when its clock was set back.
            raise CommandRefused(values["id"], "replayed", str(self._newest))
        command = _named(values)
        self._newest = values["id"]
        self._replies.append([values, None])
        del self._replies[:-_REMEMBERED]
        return command, None

    def settle(self, id, reply):
        """Keep the reply's body for repetitions of command `id`."""
        for entry in self._replies:
            if entry[0]["id"] == id:
                entry[1] = reply

    def _authentic(self, body):
        try:
            _, values = unpack_message(_COMMAND, body)
        except MessageError as error:
            raise CommandRefused(_id_of(body), "malformed", str(error)) from None
        if not self._seal.fits("command", values):
            raise CommandRefused(values["id"], "bad-mac", "")
        del values["mac"]
        return values


def _named(values):
    """The command by name, exactly its own arguments present; CommandRefused."""
    name = name_of(COMMANDS, values["command"])
    if name is None:
        raise CommandRefused(values["id"], "unknown-command", "command %d" % values["command"])
    command = {"id": values["id"], "command": name}
    for argument in COMMANDS[name][1]:
        if argument not in values:
            raise CommandRefused(values["id"], "malformed", "%s: %s is missing" % (name, argument))
        command[argument] = values[argument]
    for argument in values:
        if argument not in command:
            raise CommandRefused(values["id"], "malformed", "%s has no %s" % (name, argument))
    return command


def _id_of(body):
    """The id of a command that is not well formed, as far as it can be made out; else 0."""
    try:
        mapping = cbor.decode(body)
    except cbor.CborError:
        return 0
    id = mapping.get(0) if type(mapping) is dict else None
    return id if type(id) is int and id >= 0 else 0
