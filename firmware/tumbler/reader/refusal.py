"""Why a scene, or one die of it, is not read."""


class Refused(Exception):
    """Not read: `reason` is a fact the device reports, `detail` (at most 24 characters) the finer cause."""

    def __init__(self, reason, detail):
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail
