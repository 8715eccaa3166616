"""The protocol of a format, and the size of its schedule."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from arena.competition.league.field import Entry, Field
from arena.competition.league.model import Block, BlockResult
from arena.errors import OptionError

DEFAULT_MAX_TABLES: Final = 4
"""The largest number of tables in a block, unless a league's file says otherwise."""


@dataclass(frozen=True, slots=True)
class ScheduleSize:
    """The length of a league."""

    games: int | None
    """Number of games, not counting a play-off; None if only a time budget or the organizer ends the league."""
    rounds: int | None
    is_exact: bool = True
    """Whether `games` is exact. Late entries or withdrawals may change an inexact number."""
    play_off: int = 0
    """Largest number of games of the play-off, which is played only if there is no clear leader."""
    budget_s: float | None = None
    """No round begins later than this many seconds after the league's first game. None if there is no limit.

    A format reads no clock. The code that plays the league enforces the limit.
    """


class Format(Protocol):
    """A format draws the blocks of a league round by round.

    The blocks follow from the format's settings, the field and the results of earlier blocks. An interrupted league can
    therefore continue by calling the format again. The only randomness is lots drawn from the field's seed.
    """

    @property
    def name(self) -> str:
        """The format's name in a league's file."""

    def depends_on_results(self, number: int, field: Field) -> bool:
        """Return whether this round depends on the results of earlier rounds.

        If the round depends on results, `draw_round` needs all results of earlier rounds, in any order and each block
        once. `draw_round` ignores the results of other rounds.
        """

    def why_not_playable(self, field: Field) -> list[OptionError]:
        """Return all reasons why this field cannot play the format; empty if it can."""

    def why_cannot_join(self, field: Field, entry: Entry) -> OptionError | None:
        """Return why an entry cannot join in its first round, or None if it can."""

    def draw_round(self, number: int, field: Field, history: Sequence[BlockResult] = ()) -> Sequence[Block]:
        """Return the blocks of a round; empty if the league is already over. Rounds are numbered from 1.

        No entrant is in a block twice. A late entrant does not change the rounds before its first round.
        """

    def size(self, field: Field) -> ScheduleSize:
        """Return the length of the league."""
