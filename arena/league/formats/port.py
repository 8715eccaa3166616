"""What a league needs of any format, and how long a format says that it will be."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from arena.errors import OptionError
from arena.league.field import Entry, Field
from arena.league.model import Block, BlockResult

DEFAULT_MAX_TABLES: Final = 4
"""Most of a block, where nothing else is said."""


@dataclass(frozen=True, slots=True)
class ScheduleSize:
    """How long a league will be."""

    games: int | None
    """Tables in all, but for a play-off; None: it goes on until its time is over, or somebody ends it."""
    rounds: int | None
    is_exact: bool = True
    """False: as long as nobody comes late or is withdrawn; then it may be another number."""
    play_off: int = 0
    """Tables of one more round, where the others do not tell who is best."""
    budget_s: float | None = None
    """Seconds from its first game after which no round begins; None: it ends by itself, or not at all.

    A format reads no clock: whoever plays it keeps this."""


class Format(Protocol):
    """Who meets whom, round after round.

    Everything it gives follows from its own settings, the field and the results, so that an interrupted league is
    continued by asking again. It draws by lots from the field's seed alone.
    """

    @property
    def name(self) -> str:
        """As a league's file says it."""

    def depends_on_results(self, number: int, field: Field) -> bool:
        """Tell whether this round is drawn from the results of those before it.

        Then all results of the rounds before are needed, in any order, each block once; what is given beyond them is
        not looked at.
        """

    def why_not_playable(self, field: Field) -> list[OptionError]:
        """Give every reason why this cannot be played with this field; none: it can."""

    def why_cannot_join(self, field: Field, entry: Entry) -> OptionError | None:
        """Say why somebody cannot join from the round that its entry names; None: it can."""

    def draw_round(self, number: int, field: Field, history: Sequence[BlockResult] = ()) -> Sequence[Block]:
        """Draw a round, from 1; empty: it was over before. Nobody is twice in a block.

        Somebody who came late changes no round before the one in which it came.
        """

    def size(self, field: Field) -> ScheduleSize:
        """Say how long it will be."""
