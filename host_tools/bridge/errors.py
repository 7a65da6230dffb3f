"""What a table refuses to do, by name."""


class BridgeError(Exception):
    """Base of the bridge's errors."""


class LimitsMissing(BridgeError):
    """The rulebook has stake limits and the table was opened without any; the message lists them."""


class WrongStep(BridgeError):
    """The step does not fit the round's state; nothing was sent and nothing changed."""


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


class EventsOverrun(BridgeError):
    """A display read its events too slowly and has missed some; follow the table anew."""
