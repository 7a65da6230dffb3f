"""Why the second reader refuses: a reason of the device's list, and a finer cause in words."""

# What a scene is called that is refused for several reasons: the surest knowledge first.
REASONS = ("stacked", "not-flat", "extra-object", "die-missing", "die-damaged", "unreadable")


class Refused(Exception):
    """A scene or a die that is not sure; `reason` is one of REASONS."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail
