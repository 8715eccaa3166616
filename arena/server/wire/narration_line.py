"""The line of a narrated match: what narrators make, authors are sent, and readers see."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Rows = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class NarrationLine:
    kind: str
    """A word that later versions keep: match, game, ask, decision, answer, answers, event, note, fault, info or end."""
    text: str
    game: int | None
    """The 0-based number of the game; None if the line belongs to the match rather than to a game."""
    at_us: int
    """Microseconds since the start of the game, or of the match if `game` is None. No line is earlier than the line
    above it.

    An answer is judged by its arrival stamp, which may be earlier than the line above. Such an answer is shown at the
    instant of that line, so that no answer precedes its prompt. The time that the answer took is among the facts.
    """
    turn: int | None = None
    """Number of moves and passes in the game before this line. `move_numbers` says to which turn the line belongs."""
    rows: Rows = ()
    """Details below the text, as pairs of label and text."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """The line's data for machines, as plain values."""

    def as_dict(self) -> dict[str, Any]:
        """The values are plain, for JSON."""
        place = {"kind": self.kind, "game": self.game, "turn": self.turn, "at_us": self.at_us, "text": self.text}
        return place | ({"rows": dict(self.rows)} if self.rows else {}) | dict(self.data)
