"""What can be wrong with a twin's parameters or its installation; each message says what to do."""


class TwinError(Exception):
    """Anything the twin refuses."""


class ImpossibleMachine(TwinError):
    """A machine that nobody can build. `parameter` is the name of what is wrong."""

    def __init__(self, parameter: str, text: str) -> None:
        self.parameter = parameter
        super().__init__(f"{parameter}: {text}")


class UnknownCategory(TwinError):
    """There is no category of scenes of that name."""


class NoRoom(TwinError):
    """The dice do not fit on the platform as the category asks."""


class PhysicsMissing(TwinError):
    """The physics engine is not installed."""

    def __init__(self) -> None:
        super().__init__("the twin's physics needs the package mujoco-core: install it with `make twin`")
