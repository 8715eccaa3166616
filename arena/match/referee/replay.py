"""Plays a match again from its records: the same inputs produce the same orders."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import repeat

from arena.errors import JournalError
from arena.match.game import Game
from arena.match.referee.deal import DealSecret
from arena.match.referee.inputs import Begin, Deal, Input, read_record
from arena.match.referee.orders import Order
from arena.match.referee.referee import Referee
from arena.match.referee.terms import Terms, terms_from_plain
from arena.match.value_class import value_class


@value_class()
class Moment:
    """An input, and the orders that follow from it."""

    entry: Input
    orders: tuple[Order, ...]


class Replay:
    """Plays one match again. After each moment, `referee` has the state that the original referee had."""

    def __init__(self, records: Iterable[bytes], games: Mapping[str, Game]) -> None:
        """Read the start of a match. Raises JournalError if the start is missing, and KeyError for an unknown game."""
        rest = iter(records)
        first = next(map(read_record, rest), None)
        self.secret: DealSecret | None = None
        """The match's deal; None if the journal does not contain the deal."""
        if isinstance(first, Deal):
            self.secret = first.secret
            first = next(map(read_record, rest), None)
        if not isinstance(first, Begin):
            raise JournalError("these records do not begin with the start of a match")
        self.begin = first
        self.terms: Terms = terms_from_plain(first.terms, games)
        self.rules_version = str(first.terms["rules_version"])
        self.referee = Referee(self.terms)
        self._entries = map(read_record, rest, repeat(self.terms.game.read_action))

    def moments(self) -> Iterator[Moment]:
        """Play the match input by input and yield a moment for each. Drawn values are an input of their own.

        Raises JournalError for an unreadable record or a second start.
        """
        yield Moment(self.begin, tuple(self.referee.apply(self.begin)))
        for entry in self._entries:
            if isinstance(entry, Begin | Deal):
                raise JournalError("a second start of the same match in one journal")
            yield Moment(entry, tuple(self.referee.apply(entry)))
