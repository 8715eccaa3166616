"""A wall clock that tests can move."""


class WallClock:
    """Returns seconds since 1970."""

    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now
