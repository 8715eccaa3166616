"""Which blocks can be played now: the format's rounds, as far as they can be drawn, less what is done or under way."""

from collections import deque
from collections.abc import Sequence

from arena.hosting.ledger import Ledger
from arena.league.field import Field
from arena.league.formats.port import Format
from arena.league.model import Block


class Schedule:
    """Of one league. It is worked out anew after an interruption, and comes to the same."""

    def __init__(self, form: Format, field: Field, ledger: Ledger) -> None:
        self.field = field
        self._form = form
        self._ledger = ledger
        self._drawn = 0
        """Rounds so far."""
        self._round: Sequence[Block] = ()
        """Blocks of the round that was drawn last."""
        self._ready: deque[Block] = deque()
        """Blocks that were drawn and not given yet."""
        self._is_over = False
        """All rounds have been drawn."""

    def take(self, most: int) -> list[Block]:
        """Give blocks that can be played and were not given before. Rounds are drawn as they are needed."""
        while len(self._ready) < most and not self._is_over and self._can_draw:
            self._draw()
        return [self._ready.popleft() for _ in range(min(most, len(self._ready)))]

    def _draw(self) -> None:
        self._drawn += 1
        history = self._ledger.history if self._form.waits else ()
        self._round = self._form.round(self._drawn, self.field, history)
        self._is_over = not self._round
        self._ready.extend(block for block in self._round if not self._ledger.is_done(block.number))

    @property
    def _can_draw(self) -> bool:
        """Whether the next round can be drawn: in a format that waits, when the one before is over."""
        return not self._form.waits or all(self._ledger.is_done(block.number) for block in self._round)
