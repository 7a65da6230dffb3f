"""What a table refuses to do, by name."""


class BridgeError(Exception):
    """Base of the bridge's errors."""


class LimitsMissing(BridgeError):
    """The rulebook has stake limits and the table was opened without any; the message lists them."""


class WrongStep(BridgeError):
    """The step does not fit the round's state; nothing was sent and nothing changed."""


class NotAffected(WrongStep):
    """The round was not played with the dice that are in the tumbler: a look back ends at their change."""


class DecisionIncomplete(BridgeError):
    """A decision of people lacks a name, a second person, a reason or the evidence; nothing was done."""


class RoundEnded(WrongStep):
    """The round is already settled, void or referred; `Table.result` says how."""


class DeviceRefusal(BridgeError):
    """The device answered a command with a refusal; `status` is one of definitions.REPLY_STATUSES."""

    def __init__(self, command: str, status: str, detail: str) -> None:
        self.status = status
        self.detail = detail
        super().__init__(f"the device refused {command}: {status}{f' ({detail})' if detail else ''}")


class ReplyBelied(BridgeError):
    """A reply promised records that the device, by its own statuses, does not have; `Table.recover` finds out
    what was done."""

    def __init__(self, command: str) -> None:
        super().__init__(
            f"the reply to {command} promised records, and the device has none: another spoke for it, or it"
            " is out of order; recover the table, and look at the line if it happens again"
        )


class EventsOverrun(BridgeError):
    """A display read its events too slowly and has missed some; follow the table anew."""
