"""A match played again from its records: the same inputs give the same orders."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from arena.errors import JournalError
from arena.match.deal import DealSecret
from arena.match.inputs import Answer, Begin, Deal, Input, read_record
from arena.match.orders import Order
from arena.match.referee import Referee
from arena.match.terms import Terms, terms_from_plain
from arena.rules.game import Game


@dataclass(frozen=True, slots=True)
class Moment:
    """An input and what it led to."""

    entry: Input
    orders: tuple[Order, ...]


class Replay:
    """Plays one match again. After each moment `referee` stands where the real one stood."""

    def __init__(self, records: Iterable[bytes], games: Mapping[str, Game]) -> None:
        """Raises JournalError when the records do not begin with the beginning of a match, KeyError for its game."""
        self._entries = map(read_record, records)
        first = next(self._entries, None)
        self.secret: DealSecret | None = None
        """The match's deal, where its journal has it."""
        if isinstance(first, Deal):
            self.secret = first.secret
            first = next(self._entries, None)
        if not isinstance(first, Begin):
            raise JournalError("these records do not begin with the start of a match")
        self.begin = first
        self.terms: Terms = terms_from_plain(first.terms, games)
        self.rules_version: str = first.terms["rules_version"]
        self.referee = Referee(self.terms)

    def moments(self) -> Iterator[Moment]:
        """Play on, input by input. Chance that followed an input directly is a moment of its own."""
        yield Moment(self.begin, tuple(self.referee.apply(self.begin)))
        for entry in self._entries:
            yield self._play_input(entry)

    def _play_input(self, entry: Input) -> Moment:
        if isinstance(entry, Begin | Deal):
            raise JournalError("a second start of the same match in one journal")
        if isinstance(entry, Answer):
            entry = replace(entry, action=self.terms.game.read_action(entry.text))
        return Moment(entry, tuple(self.referee.apply(entry)))
