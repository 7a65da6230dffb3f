"""What the service refuses, by name; each message says what to do."""


class ServiceError(Exception):
    """Base of the service's errors."""


class TableUnknown(ServiceError):
    """The service runs no table of that name."""


class RoundNotHere(ServiceError):
    """The table has no round of that id."""


class ProposalUnknown(ServiceError):
    """No proposal of that id waits; it may have lapsed."""


class Asked(ServiceError):
    """What was asked for makes no sense as it is: a value is missing or malformed."""


class EvidenceUnknown(Asked):
    """The digest is of no picture that belongs to the round."""


class NotNow(ServiceError):
    """The table cannot do this now; the message says what it waits for."""


class RulesForbid(ServiceError):
    """The rulebook does not provide for it."""


class DeviceAway(ServiceError):
    """The tumbler is not connected; nothing was sent and nothing changed."""


class StillGoing(ServiceError):
    """The step was begun and goes on; its outcome comes as an event, and the round's state tells it."""


class EvidenceMissing(ServiceError):
    """No evidence pictures of the round are kept."""


class NumberAhead(ServiceError):
    """Events are asked for after a number that none has reached; the ledger is not the one that gave it."""


class SlowReader(ServiceError):
    """A reader of events was too slow and has missed some; follow again after the last number."""


class StreamEnded(ServiceError):
    """The service stops."""
