"""Which blocks can be played now: the format's rounds, as far as they can be drawn, less what is done or under way."""

from collections.abc import Iterator

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
        self._round: list[Block] = []
        """Blocks of the round that was drawn last."""
        self.is_over = False
        """All rounds have been drawn."""

    def more(self) -> Iterator[Block]:
        """Give the blocks that can be played and were not given before."""
        while not self.is_over and self._can_draw:
            self._drawn += 1
            self._round = list(self._form.round(self._drawn, self.field, self._ledger.history))
            self.is_over = not self._round
            yield from (block for block in self._round if not self._ledger.is_done(block.number))

    @property
    def _can_draw(self) -> bool:
        """Whether the next round can be drawn: in a format that waits, when the one before is over."""
        return not self._form.waits or all(self._ledger.is_done(block.number) for block in self._round)
