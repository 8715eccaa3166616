"""A line that tells what has happened in a match."""

from dataclasses import dataclass

from arena.replays.narration.phrasing import Mark


@dataclass(frozen=True, slots=True)
class ToldLine:
    """Something that has happened, as one sentence. The text is safe to print."""

    sequence: int
    """The public message that told it. A spectator that has seen this line can resume after this number."""
    kind: str
    """`match`, `game` (a game begins), `event`, or `end` (a game is over)."""
    text: str
    """The sentence, with names in place of seat numbers."""
    game: int | None = None
    """0-based number of the game; None if the line belongs to the match."""
    turn: int | None = None
    """The move or turn that the line is about, counted from 0; None if it is about none."""
    marks: tuple[Mark, ...] = ()
    """What stands out: a lie that was caught, a right call, a wrong call."""
