"""A play-off: more rounds at the end of a league, for leading entrants that the league could not separate."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from arena.competition.formats.blocks import number_blocks
from arena.competition.formats.port import Format, ScheduleSize
from arena.competition.formats.rotation import Rotation
from arena.competition.formats.round_history import RoundHistory
from arena.competition.formats.validation import options_below_one
from arena.competition.league.accomplices import find_accomplices
from arena.competition.league.adjustment import Draw
from arena.competition.league.champion import Champion
from arena.competition.league.field import Departed, Entry, Field
from arena.competition.league.judgement import Judgement
from arena.competition.league.model import PLAY_OFF, Block, BlockResult
from arena.competition.league.rating import PUBLISHED_DRAWS, compute_ratings
from arena.competition.league.standings import compute_standings
from arena.competition.league.standings_inputs import PlayOffTerms
from arena.errors import OptionError

_MIN_CONTENDERS: Final = 4
"""A play-off has room for this many contenders even if a table has fewer seats."""


@dataclass(frozen=True, slots=True)
class WithPlayOff:
    """Another format, plus a play-off if the standings after its last round have no clear leader.

    An entrant is present if it takes part in a round of the play-off. The contenders are the present entrants that are
    not separable from the first. If they are more than a table has seats, and more than four, those with the lowest
    scores do not play on. (More contenders would share the same number of games. Simulated leagues then found the best
    bot less often; see `make champion-statistics`.) There is no play-off with fewer than two contenders, or if the
    present entrants cannot fill a table.

    After each round of the play-off, contenders that are clearly behind drop out (`playing_on.py`). The play-off ends
    when one is left, or after its last round. At every table at least one seat belongs to the other present entrants,
    which take turns, so that the contenders do not only measure how well they do against each other. The contenders
    have the remaining seats, in turns if they are more.

    In a league of the old judgement, contenders that fit at one table all sit at every table; if they do not, they play
    a season among themselves.
    """

    inner: Format
    """A format that has a last round. It cannot be a knockout, which names a champion by itself."""
    games: int
    """The largest number of games of the play-off."""
    by_rating: bool
    """Whether ratings decide the league, rather than points."""
    tables: int
    """The largest number of tables in a block."""
    rounds: int | None = None
    """The largest number of rounds of the play-off, which divide its games evenly. None for the old rule: one round,
    whose points alone decide."""

    @property
    def name(self) -> str:
        """The name of the inner format."""
        return self.inner.name

    def depends_on_results(self, number: int, field: Field) -> bool:
        """Return whether this round depends on results. The play-off does."""
        return self.inner.depends_on_results(number, field) or not self.inner.draw_round(number, field)

    def why_not_playable(self, field: Field) -> list[OptionError]:
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
        if blocks:
            return blocks
        for index in range(min(self.rounds or 1, number - 1)):
            if self.inner.draw_round(number - 1 - index, field, history):
                return self._draw_play_off(number, index, field, RoundHistory(history, number))
        return ()

    def size(self, field: Field) -> ScheduleSize:
        """Return the number of games and rounds of the inner format, with the play-off's games as a separate number."""
        return replace(self.inner.size(field), play_off=self.games)

    def contenders(self, field: Field, history: Sequence[BlockResult]) -> tuple[str, ...]:
        """Return the contenders in the order of the standings. `history` has all results before the play-off."""
        number = 1 + max((result.block.round for result in history), default=0)
        leader = _find_champion(
            tuple(history), frozenset(field.names()), field.find_departed(number), field.seed, self.by_rating,
            Draw.from_field(self.name, field), judgement=field.judgement,
        )  # fmt: skip
        present = field.names_present(number)
        names = tuple(name for name in leader.contenders if name in present) if leader else ()
        if self.rounds is not None:
            names = names[: max(field.seats, _MIN_CONTENDERS)]
        return names if len(names) > 1 and len(present) >= field.seats else ()

    def play_off_terms(self, field: Field, regular: Sequence[BlockResult]) -> PlayOffTerms:
        """Return the terms of a play-off after these results of the league."""
        return PlayOffTerms(self.contenders(field, regular), self.rounds, field.judgement)

    def _players(self, number: int, field: Field, history: Sequence[BlockResult]) -> tuple[str, ...]:
        """Return the contenders that are still in the play-off in this round; empty if it is over."""
        regular = [result for result in history if result.block.label != PLAY_OFF]
        terms = self.play_off_terms(field, regular)
        if len(regular) == len(history) or not terms.contenders:
            return tuple(terms.contenders)
        champion = _find_champion(
            tuple(history), frozenset(field.names()), field.find_departed(number), field.seed, self.by_rating,
            Draw.from_field(self.name, field), terms, field.judgement,
        )  # fmt: skip
        present = field.names_present(number)
        names = tuple(name for name in champion.remaining if name in present) if champion else ()
        return names if len(names) > 1 and len(present) >= field.seats else ()

    def _draw_play_off(self, number: int, index: int, field: Field, record: RoundHistory) -> Sequence[Block]:
        """Return the blocks of a round of the play-off, drawn with a seed of their own. `index` counts from 0."""
        names = self._players(number, field, record.results)
        if not names:
            return ()
        present, at_once = field.names_present(number), len(names)
        if self.rounds is not None and field.judgement.keeps_seats_free:
            others = len(present) - len(names)
            at_once = max(min(at_once, field.seats - 1), field.seats - others)
        is_one_table = at_once <= field.seats
        players = present if is_one_table else names
        entries = tuple(Entry(entry.entrant) for entry in field.entries if entry.name in players)
        own_field = replace(field, entries=entries, seed=field.seed + f"|{PLAY_OFF} {number}".encode())
        rounds = self.rounds or 1
        games = self.games * (index + 1) // rounds - self.games * index // rounds
        fixed = names if is_one_table else ()
        rotation = Rotation(own_field, games, self.tables, fixed, at_once if at_once < len(fixed) else None)
        blocks = [tables for round_blocks in rotation.rounds() for tables in round_blocks]
        return number_blocks(blocks, record.next_block_number, number, PLAY_OFF)


@lru_cache(maxsize=8)
def _find_champion(
    history: tuple[BlockResult, ...],
    names: frozenset[str],
    departed: Departed,
    seed: bytes,
    by_rating: bool,
    draw: Draw | None,
    play_off: PlayOffTerms | None = None,
    judgement: Judgement = Judgement.NEW,
) -> Champion | None:
    """Return the champion after these results; None before the first game.

    `draw`, `play_off` and `judgement` are those of `compute_standings`.

    The result is cached, because a running play-off needs it again and again. After many games the computation is slow.
    """
    regular = [result for result in history if result.block.label != PLAY_OFF]
    rated = (
        compute_ratings(
            regular,
            seed=seed,
            draw_count=PUBLISHED_DRAWS,
            judgement=judgement,
            accomplices=find_accomplices(regular, judgement),
        )
        if by_rating and regular
        else None
    )
    return compute_standings(
        sorted(names),
        history,
        seed=seed,
        ratings=rated,
        departed=departed,
        play_off=play_off,
        draw=draw,
    ).champion
