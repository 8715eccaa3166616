"""A play-off: one more round after the last one, for entrants at the top that the league could not separate."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from arena.errors import OptionError
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

    The contenders are the present entrants among whom tie-breaks would name the champion; with fewer than two of them,
    or too few entrants for a table, there is no play-off. Contenders that do not fill a table sit at every table, and
    the other present entrants take turns in the other seats; contenders for more than one table play a season among
    themselves.
    """

    inner: Format
    """A format with a last round that does not name a champion by itself, as a knockout does."""
    games: int
    """Total games of the play-off."""
    by_rating: bool
    """True: ratings decide the league; False: points."""
    tables: int
    """Most tables of a block."""

    @property
    def name(self) -> str:
        """Name of the inner format."""
        return self.inner.name

    def depends_on_results(self, number: int, field: Field) -> bool:
        """Return whether this round depends on results; the play-off does."""
        return self.inner.depends_on_results(number, field) or not self.inner.draw_round(number, field)

    def why_not_playable(self, field: Field) -> list[OptionError]:
        """Return all reasons why this field cannot play the format."""
        return [*self.inner.why_not_playable(field), *options_below_one(play_off=self.games)]

    def why_cannot_join(self, field: Field, entry: Entry) -> OptionError | None:
        """Admit the entries that the inner format admits, but none for the play-off."""
        reason = self.inner.why_cannot_join(field, entry)
        joined = replace(field, entries=(*field.entries, entry))
        if reason is None and not self.inner.draw_round(entry.since, joined):
            return OptionError("since", entry.since, f"expected a round before the play-off for {entry.name!r}")
        return reason

    def draw_round(self, number: int, field: Field, history: Sequence[BlockResult] = ()) -> Sequence[Block]:
        """Draw a round of the inner format, or the play-off after its last one."""
        blocks = self.inner.draw_round(number, field, history)
        if blocks or number == 1 or not self.inner.draw_round(number - 1, field, history):
            return blocks
        return self._play_off(number, field, RoundHistory(history, number))

    def size(self, field: Field) -> ScheduleSize:
        """Return the number of games and rounds; those of the play-off are separate."""
        return replace(self.inner.size(field), play_off=self.games)

    def contenders(self, field: Field, history: Sequence[BlockResult]) -> tuple[str, ...]:
        """Return the contenders in table order; `history`: results of all other rounds."""
        number = 1 + max((result.block.round for result in history), default=0)
        level = _tied_leaders(
            tuple(history), frozenset(field.names()), field.names_disqualified(number), field.seed, self.by_rating
        )
        present = field.names_present(number)
        names = tuple(name for name in level if name in present)
        return names if len(names) > 1 and len(present) >= field.seats else ()

    def _play_off(self, number: int, field: Field, record: RoundHistory) -> Sequence[Block]:
        names = self.contenders(field, record.results)
        if not names:
            return ()
        is_one_table = len(names) <= field.seats
        taking_part = field.names_present(number) if is_one_table else names
        renewed = _play_off_field(field, taking_part, number)
        rota = Rotation(renewed, self.games, self.tables, names if is_one_table else ())
        return number_blocks(
            [tables for each in rota.rounds() for tables in each], record.next_block_number, number, PLAY_OFF
        )


def _play_off_field(field: Field, names: Sequence[str], number: int) -> Field:
    """Return a field of these names with its own lots."""
    entries = tuple(Entry(entry.entrant) for entry in field.entries if entry.name in names)
    return replace(field, entries=entries, seed=field.seed + f"|{PLAY_OFF} {number}".encode())


@lru_cache(maxsize=1)
def _tied_leaders(
    history: tuple[BlockResult, ...], names: frozenset[str], barred: frozenset[str], seed: bytes, by_rating: bool
) -> tuple[str, ...]:
    """Return the entrants not separable at the top of the standings, best first; empty if one leads clearly.

    Cached: a running play-off needs it for every round, and it is slow after many games.
    """
    rated = compute_ratings(history, seed=seed, draw_count=PUBLISHED_DRAWS) if by_rating and history else None
    leader = compute_standings(sorted(names), history, seed=seed, ratings=rated, disqualified=barred).champion
    return leader.contenders if leader is not None and len(leader.contenders) > 1 else ()
