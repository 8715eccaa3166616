"""The schedule of a league: it draws rounds, and hands out their blocks except those that are done."""

from collections import deque
from collections.abc import Iterable, Sequence

from arena.competition.formats.port import Format
from arena.competition.league.field import Field
from arena.competition.league.model import Block
from arena.organizer.seal.ledger import Ledger


class Schedule:
    """The schedule of one league. After an interruption it is computed again, with the same result."""

    def __init__(self, league_format: Format, field: Field, ledger: Ledger) -> None:
        self.field = field
        self._format = league_format
        self._ledger = ledger
        self._drawn = 0
        """Number of rounds drawn so far."""
        self._open: list[Block] = []
        """Drawn blocks that were not done at the last check."""
        self._ready: deque[Block] = deque()
        """Drawn blocks that have not been handed out yet."""
        self._is_drawn = False
        """Whether all rounds have been drawn."""
        self._last: int | None = None
        """The last round to play now; None if there is no limit."""

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to play."""
        last, size = self._ledger.last_round, self._format.size(self.field)
        if not last or not self._are_done(row.number for row in self._ledger.rows):
            return False
        if size.is_exact and size.games is not None:  # drawing a long schedule again would take time
            games = self._ledger.game_count
            if games < size.games or not size.play_off:
                return games >= size.games
        blocks = self._draw_round(last)
        return self._are_done(range(1, blocks[-1].number + 1)) and not self._draw_round(last + 1)

    def stop_after_started_rounds(self) -> None:
        """Hand out no block of a round that has not begun yet."""
        self._last = self._ledger.last_round

    def find_unfinished_round(self) -> int | None:
        """Return the first round that has begun and is not finished; None if there is none."""
        for number in range(1, self._ledger.last_round + 1):
            if not self._are_done(block.number for block in self._draw_round(number)):
                return number
        return None

    def has_round(self, number: int) -> bool:
        """Return whether a round exists or will exist."""
        return bool(self._draw_round(number))

    def known_blocks(self, number: int) -> Sequence[Block] | None:
        """Return a round's blocks; None if the round is drawn from results that do not exist yet."""
        if self._format.depends_on_results(number, self.field) and number > self._ledger.last_round:
            before = self.known_blocks(number - 1)
            if before is None or not self._are_done(block.number for block in before):
                return None
        return self._draw_round(number)

    def take(self, most: int) -> list[Block]:
        """Return up to `most` blocks that can be played and were not returned before. Rounds are drawn as needed."""
        while len(self._ready) < most and not self._is_drawn and self._can_draw:
            self._drawn += 1
            blocks = self._draw_round(self._drawn)
            self._is_drawn = not blocks
            pending = [block for block in blocks if not self._ledger.is_done(block.number)]
            self._open += pending
            self._ready.extend(pending)
        return [self._ready.popleft() for _ in range(min(most, len(self._ready)))]

    @property
    def _can_draw(self) -> bool:
        """Whether the next round can be drawn. If it depends on results, all earlier blocks must be done."""
        if self._last is not None and self._drawn >= self._last:
            return False
        if not self._format.depends_on_results(self._drawn + 1, self.field):
            return True
        self._open = [block for block in self._open if not self._ledger.is_done(block.number)]
        return not self._open

    def _draw_round(self, number: int) -> Sequence[Block]:
        """Return a round's blocks; none if the round had not begun when the time budget ended."""
        budget_s = self._format.size(self.field).budget_s
        if number > self._ledger.last_round and budget_s is not None and self._ledger.age_s >= budget_s:
            return ()
        history = self._ledger.history if self._format.depends_on_results(number, self.field) else ()
        return self._format.draw_round(number, self.field, history)

    def _are_done(self, numbers: Iterable[int]) -> bool:
        return all(map(self._ledger.is_done, numbers))
