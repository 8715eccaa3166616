"""The protocol of a format, and the size of its schedule."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from arena.errors import OptionError
from arena.league.field import Entry, Field
from arena.league.model import Block, BlockResult

DEFAULT_MAX_TABLES: Final = 4
"""Default for the most tables of a block."""


@dataclass(frozen=True, slots=True)
class ScheduleSize:
    """The length of a league."""

    games: int | None
    """Games in all, without a play-off; None: it goes on until its time budget is used up or the organizer ends it."""
    rounds: int | None
    is_exact: bool = True
    """False: late entries or withdrawals may change the number."""
    play_off: int = 0
    """Games of the play-off round, played only if there is no clear leader."""
    budget_s: float | None = None
    """Seconds from its first game after which no round begins; None: no time limit.

    A format reads no clock; the code that plays the league enforces this.
    """


class Format(Protocol):
    """A format draws the blocks of a league round by round.

    All its results follow from its settings, the field and the results, so that an interrupted league continues by
    calling it again. Its only randomness is lots from the field's seed.
    """

    @property
    def name(self) -> str:
        """Name in a league's file."""

    def depends_on_results(self, number: int, field: Field) -> bool:
        """Return whether this round depends on the results of earlier rounds.

        If so, `draw_round` needs all results of earlier rounds, in any order, each block once; it ignores others.
        """

    def why_not_playable(self, field: Field) -> list[OptionError]:
        """Return all reasons why this field cannot play the format; empty if it can."""

    def why_cannot_join(self, field: Field, entry: Entry) -> OptionError | None:
        """Return why an entry cannot join from the round it names, or None if it can."""

    def draw_round(self, number: int, field: Field, history: Sequence[BlockResult] = ()) -> Sequence[Block]:
        """Draw a round, numbered from 1; empty if the league was over before. No entrant is in a block twice.

        A late entrant does not change the rounds before its first one.
        """

    def size(self, field: Field) -> ScheduleSize:
        """Return the length of the league."""
