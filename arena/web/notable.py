"""Looks through the newest matches for games worth showing, beside the answers: a page never waits for it."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from arena.errors import ArenaError
from arena.log_lines import get_logger
from arena.match.referee.ports import GameRow, MatchId, MatchSearch, MatchSummary
from arena.plurals import format_count
from arena.replays.analytics.match_analytics import unpack_events
from arena.replays.narration.seat_names import SeatNames
from arena.replays.watch.highlight import Highlight, HighlightFinder, keep_largest
from arena.server.store.open_store import Store

log = get_logger(__name__)

_LOOKED: Final = 40
"""Matches that are looked through."""
_PAUSE_S: Final = 30.0
"""Seconds from one look to the next, at least."""
_BREATH_S: Final = 0.05
"""Seconds between two matches, in which requests have a turn."""
_LEAST_GAP: Final = 100.0
"""Rating points between the winner and the strongest other bot that make an upset."""


@dataclass(frozen=True, slots=True)
class NotableGame:
    """A game that stands out among the newest."""

    title: str
    """What it is, such as `largest lie that held`."""
    text: str
    """What happened, as a sentence without its full stop."""
    match_id: MatchId
    game: int
    """From 0."""
    turn: int | None
    """The turn in which it happened; null if it is the whole game."""
    entrants: Sequence[str]
    size: float
    """How large it is, in false cards, cards, attacks or rating points."""


class NotableGames:
    """Remembers what it has found in each match, so that each is read once."""

    def __init__(
        self, store: Store, highlights_of: Callable[[str], HighlightFinder], monotonic: Callable[[], float]
    ) -> None:
        """`highlights_of` returns what finds the highlights of a game, by its name. Raises UnknownNameError."""
        self._store, self._highlights_of, self._monotonic = store, highlights_of, monotonic
        self._found: dict[MatchId, list[NotableGame]] = {}
        self._shown: Sequence[NotableGame] = ()
        self._looking: asyncio.Task[None] | None = None
        self._next_look = float("-inf")

    def newest(self) -> Sequence[NotableGame]:
        """Return the latest finds, and look again in the background unless that was done just now."""
        if self._monotonic() >= self._next_look and (self._looking is None or self._looking.done()):
            self._looking = asyncio.create_task(self._look_safely())
        return self._shown

    async def look(self) -> None:
        """Look through the newest matches whose cards may be seen."""
        summaries = await self._store.results.summaries(_LOOKED, None, MatchSearch(state="ended"))
        opened = [each for each in summaries if each.are_cards_open]
        found: dict[MatchId, list[NotableGame]] = {}
        for summary in opened:
            match_id = summary.row.match_id
            if match_id not in self._found:
                await asyncio.sleep(_BREATH_S)
                self._found[match_id] = await self._read(summary)
            found[match_id] = self._found[match_id]
        self._found = found
        self._shown = keep_largest(game for each in found.values() for game in each)

    async def close(self) -> None:
        """Stop looking."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait([self._looking])

    async def _look_safely(self) -> None:
        try:
            await self.look()
        except ArenaError as error:
            log.warning("no look for notable games", why=str(error))
        self._next_look = self._monotonic() + _PAUSE_S

    async def _read(self, summary: MatchSummary) -> list[NotableGame]:
        rows = await self._store.results.games(summary.row.match_id)
        found = await asyncio.to_thread(lambda: [each for row in rows for each in self._read_game(summary, row)])
        upset = await self._find_upset(summary)
        return found if upset is None else [*found, _notable(summary, 0, upset, upset.text)]

    def _read_game(self, summary: MatchSummary, row: GameRow) -> Iterator[NotableGame]:
        events = unpack_events(row.events)
        seats = next((fields["entrants"] for _, name, fields in events if name == "GameStarted"), ())
        names = SeatNames([summary.row.entrants[entrant] for entrant in seats])
        for each in self._highlights_of(summary.row.game)(events):
            yield _notable(summary, row.game, each, names.put_in(each.text))

    async def _find_upset(self, summary: MatchSummary) -> Highlight | None:
        """Return by how much the best entrant of a match was rated below the strongest one, if that is much."""
        seating = await self._store.pools.seating(summary.row.match_id)
        sums = [sum(game.places[entrant] for game in summary.games) for entrant in range(len(summary.row.entrants))]
        if seating is None or not summary.games or sums.count(min(sums)) > 1:
            return None
        winner = seating.seated[sums.index(min(sums))]
        strongest = max(seating.seated, key=lambda bot: bot.rating)
        gap = strongest.rating - winner.rating
        text = f"{winner.bot} wins against {strongest.bot}, rated higher by {format_count(round(gap), 'point')}"
        return Highlight("upset", gap, text) if gap >= _LEAST_GAP else None


def _notable(summary: MatchSummary, game: int, highlight: Highlight, text: str) -> NotableGame:
    row = summary.row
    return NotableGame(highlight.title, text, row.match_id, game, highlight.turn, row.entrants, highlight.size)
