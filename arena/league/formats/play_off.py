"""A play-off: one more round at the end of a league, for leading entrants that the league could not separate."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from arena.errors import OptionError
from arena.league.adjustment import EVEN_FORMATS, Draw
from arena.league.field import Entry, Field
from arena.league.formats.blocks import number_blocks
from arena.league.formats.port import Format, ScheduleSize
from arena.league.formats.rotation import Rotation
from arena.league.formats.round_history import RoundHistory
from arena.league.formats.validation import options_below_one
from arena.league.model import PLAY_OFF, Block, BlockResult
from arena.league.rating import PUBLISHED_DRAWS, compute_ratings
from arena.league.standings import compute_standings


@dataclass(frozen=True, slots=True)
class WithPlayOff:
    """Another format, plus a play-off if the standings after its last round have no clear leader.

    An entrant is present if it takes part in the round of the play-off. The contenders are the present entrants among
    whom tie-breaks would otherwise name the champion. There is no play-off with fewer than two contenders, or if the
    present entrants cannot fill a table. If the contenders fit at one table, they sit at every table, and the other
    present entrants take turns in the remaining seats. If the contenders do not fit, they play a season among
    themselves.
    """

    inner: Format
    """A format that has a last round. It cannot be a knockout, which names a champion by itself."""
    games: int
    """Number of games of the play-off."""
    by_rating: bool
    """Whether ratings decide the league, rather than points."""
    tables: int
    """The largest number of tables in a block."""

    @property
    def name(self) -> str:
        """The name of the inner format."""
        return self.inner.name

    def depends_on_results(self, number: int, field: Field) -> bool:
        """Return whether this round depends on results. The play-off does."""
        return self.inner.depends_on_results(number, field) or not self.inner.draw_round(number, field)

    def why_not_playable(self, field: Field) -> list[OptionError]:
        """Return all reasons why this field cannot play the format."""
        return [*self.inner.why_not_playable(field), *options_below_one(play_off=self.games)]

    def why_cannot_join(self, field: Field, entry: Entry) -> OptionError | None:
        """Return an error if the inner format refuses the entry, or if only the play-off is left; otherwise None."""
        reason = self.inner.why_cannot_join(field, entry)
        joined = replace(field, entries=(*field.entries, entry))
        if reason is None and not self.inner.draw_round(entry.since, joined):
            return OptionError("since", entry.since, f"expected a round before the play-off for {entry.name!r}")
        return reason

    def draw_round(self, number: int, field: Field, history: Sequence[BlockResult] = ()) -> Sequence[Block]:
        """Return the blocks of a round of the inner format, or of the play-off that follows the last round."""
        blocks = self.inner.draw_round(number, field, history)
        if blocks or number == 1 or not self.inner.draw_round(number - 1, field, history):
            return blocks
        return self._draw_play_off(number, field, RoundHistory(history, number))

    def size(self, field: Field) -> ScheduleSize:
        """Return the number of games and rounds of the inner format, with the play-off's games as a separate number."""
        return replace(self.inner.size(field), play_off=self.games)

    def contenders(self, field: Field, history: Sequence[BlockResult]) -> tuple[str, ...]:
        """Return the contenders in the order of the standings. `history` has all results before the play-off."""
        number = 1 + max((result.block.round for result in history), default=0)
        tied = _tied_leaders(
            tuple(history),
            frozenset(field.names()),
            field.names_disqualified(number),
            field.seed,
            self.by_rating,
            None if self.inner.name not in EVEN_FORMATS else tuple(field.owners().items()),
        )
        present = field.names_present(number)
        names = tuple(name for name in tied if name in present)
        return names if len(names) > 1 and len(present) >= field.seats else ()

    def _draw_play_off(self, number: int, field: Field, record: RoundHistory) -> Sequence[Block]:
        """Return all blocks of the play-off, drawn with a seed of their own."""
        names = self.contenders(field, record.results)
        if not names:
            return ()
        is_one_table = len(names) <= field.seats
        players = field.names_present(number) if is_one_table else names
        entries = tuple(Entry(entry.entrant) for entry in field.entries if entry.name in players)
        own_field = replace(field, entries=entries, seed=field.seed + f"|{PLAY_OFF} {number}".encode())
        rotation = Rotation(own_field, self.games, self.tables, names if is_one_table else ())
        blocks = [tables for round_blocks in rotation.rounds() for tables in round_blocks]
        return number_blocks(blocks, record.next_block_number, number, PLAY_OFF)


@lru_cache(maxsize=1)
def _tied_leaders(
    history: tuple[BlockResult, ...],
    names: frozenset[str],
    barred: frozenset[str],
    seed: bytes,
    by_rating: bool,
    even_owners: tuple[tuple[str, str], ...] | None,
) -> tuple[str, ...]:
    """Return the inseparable entrants at the top of the standings, best first; empty if one entrant leads clearly.

    `even_owners` has the owner of each entrant if the format draws opponents evenly, otherwise None.

    The result is cached, because a running play-off needs it again and again. After many games the computation is slow.
    """
    rated = compute_ratings(history, seed=seed, draw_count=PUBLISHED_DRAWS) if by_rating and history else None
    draw = Draw(even_owners is not None, dict(even_owners or ()))
    leader = compute_standings(
        sorted(names), history, seed=seed, ratings=rated, disqualified=barred, draw=draw
    ).champion
    return leader.contenders if leader is not None and len(leader.contenders) > 1 else ()
