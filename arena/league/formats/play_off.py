"""A play-off: one more round behind the last one, for those at the top whom a league could not tell apart."""

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
    """Another format, and a play-off if the table after its last round does not tell who is best.

    Those play it off among whom tie-breaks would have to name the champion, as far as they are still present; with
    fewer than two of them, or too few for a table, there is none. Where they do not fill a table they sit at every
    one, and the rest of those present take turns in the other seats; where they fill more than one it is a season
    among themselves.
    """

    inner: Format
    """One that has a last round, and does not name its champion by itself as a knockout does."""
    games: int
    """Of the play-off, in all."""
    by_rating: bool
    """Whether ratings decide the league, else points."""
    tables: int
    """Most of a block."""

    @property
    def name(self) -> str:
        """The other format's."""
        return self.inner.name

    def depends_on_results(self, number: int, field: Field) -> bool:
        """Tell whether this round is drawn from results: the play-off is."""
        return self.inner.depends_on_results(number, field) or not self.inner.draw_round(number, field)

    def why_not_playable(self, field: Field) -> list[OptionError]:
        """Give every reason why this cannot be played with this field."""
        return [*self.inner.why_not_playable(field), *options_below_one(play_off=self.games)]

    def why_cannot_join(self, field: Field, entry: Entry) -> OptionError | None:
        """Take whom the other format takes, if it has that round: nobody joins for the play-off."""
        reason = self.inner.why_cannot_join(field, entry)
        joined = replace(field, entries=(*field.entries, entry))
        if reason is None and not self.inner.draw_round(entry.since, joined):
            return OptionError("since", entry.since, f"expected a round before the play-off for {entry.name!r}")
        return reason

    def draw_round(self, number: int, field: Field, history: Sequence[BlockResult] = ()) -> Sequence[Block]:
        """Draw a round of the other format, or the play-off behind its last one."""
        blocks = self.inner.draw_round(number, field, history)
        if blocks or number == 1 or not self.inner.draw_round(number - 1, field, history):
            return blocks
        return self._play_off(number, field, RoundHistory(history, number))

    def size(self, field: Field) -> ScheduleSize:
        """Count games and rounds; those of the play-off apart."""
        return replace(self.inner.size(field), play_off=self.games)

    def contenders(self, field: Field, history: Sequence[BlockResult]) -> tuple[str, ...]:
        """Who plays it off, as they stand in the table; `history` is that of all other rounds."""
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
    """Those with these names, as a field of its own with lots of its own."""
    entries = tuple(Entry(entry.entrant) for entry in field.entries if entry.name in names)
    return replace(field, entries=entries, seed=field.seed + f"|{PLAY_OFF} {number}".encode())


@lru_cache(maxsize=1)
def _tied_leaders(
    history: tuple[BlockResult, ...], names: frozenset[str], barred: frozenset[str], seed: bytes, by_rating: bool
) -> tuple[str, ...]:
    """Those whom the table leaves level at its top, best first; nobody where one leads clearly.

    It is asked for again and again while a play-off is under way, and takes its time after many games.
    """
    rated = compute_ratings(history, seed=seed, draw_count=PUBLISHED_DRAWS) if by_rating and history else None
    leader = compute_standings(sorted(names), history, seed=seed, ratings=rated, disqualified=barred).champion
    return leader.contenders if leader is not None and len(leader.contenders) > 1 else ()
