"""The line of a narration as a reader sees it, from this machine or from a server."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class ShownLine(Protocol):
    """A line of a replay."""

    @property
    def kind(self) -> str:
        """A stable word, such as `event` or `fault`."""

    @property
    def text(self) -> str:
        """The sentence."""

    @property
    def game(self) -> int | None:
        """The 0-based number of the game; None if the line belongs to the match."""

    @property
    def turn(self) -> int | None:
        """Number of moves and passes in the game before this line."""

    @property
    def at_us(self) -> int:
        """Microseconds since the start of the game or of the match."""

    @property
    def rows(self) -> Sequence[tuple[str, str]]:
        """Details as pairs of label and text."""

    @property
    def data(self) -> Mapping[str, Any]:
        """The line's data for machines, as plain values."""
