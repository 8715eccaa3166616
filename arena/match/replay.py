"""A match played again from its records: the same inputs give the same orders."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from arena.errors import JournalError
from arena.match.deal import DealSecret
from arena.match.deal_values import contributions_from, secret_from
from arena.match.inputs import Input, Kind, read
from arena.match.orders import Order
from arena.match.referee import Referee
from arena.match.terms import Terms, terms_from
from arena.rules.game import Game


@dataclass(frozen=True, slots=True)
class Moment:
    """An input and what it led to."""

    entry: Input
    action: Any
    """ANSWER: the action."""
    orders: tuple[Order, ...]


class Replay:
    """Plays one match again. After each moment `referee` stands where the real one stood."""

    def __init__(self, records: Iterable[bytes], games: Mapping[str, Game]) -> None:
        """Raises JournalError when the records do not begin with the beginning of a match, KeyError for its game."""
        self._entries = map(read, records)
        first = next(self._entries, None)
        self.secret: DealSecret | None = None
        """The match's deal, where its journal has it."""
        if first is not None and first.kind is Kind.DEAL and first.begin is not None:
            self.secret = secret_from(first.begin)
            first = next(self._entries, None)
        if first is None or first.kind is not Kind.BEGIN or first.begin is None:
            raise JournalError("these records do not begin with the start of a match")
        self._first = first
        self.match_id: str = first.begin["match_id"]
        self.terms: Terms = terms_from(first.begin["terms"], games)
        self.rules_version: str = first.begin["terms"]["rules_version"]
        self.contributions = contributions_from(first.begin.get("contributions", ()))
        self.referee = Referee(self.terms)

    def moments(self) -> Iterator[Moment]:
        """Play on, input by input. Chance that followed an input directly is a moment of its own."""
        absent = (self._first.begin or {}).get("absent", ())
        begun = self.referee.begin(self._first.at, self._first.now, absent, self.contributions)
        yield Moment(self._first, None, tuple(begun))
        yield from map(self._moment, self._entries)

    def further(self, records: Iterable[bytes]) -> Iterator[Moment]:
        """Play on by records that have come since, when `moments` is through."""
        return map(self._moment, map(read, records))

    def _moment(self, entry: Input) -> Moment:
        action = self.terms.game.read_action(entry.text) if entry.kind is Kind.ANSWER else None
        return Moment(entry, action, tuple(self._apply(entry, action)))

    def _apply(self, entry: Input, action: Any) -> list[Order]:
        referee, at, now = self.referee, entry.at, entry.now
        match entry.kind:
            case Kind.ANSWER:
                return referee.answer(at, now, entry.entrant, entry.prompt_id, entry.action_id, action)
            case Kind.REJECT:
                return referee.reject(at, entry.entrant, entry.prompt_id, entry.action_id, entry.text)
            case Kind.TICK:
                return referee.tick(at, now)
            case Kind.DRAWN:
                return referee.drawn(at, now, entry.values)
            case Kind.LOST:
                return referee.lost(at, entry.entrant)
            case Kind.BACK:
                return referee.back(at, entry.entrant)
            case Kind.LEAVE:
                return referee.leave(at, now, entry.entrant)
            case Kind.READY:
                return referee.ready(at, now, entry.entrant)
            case Kind.CREDIT:
                referee.credit(entry.values[0], at)
                return []
            case Kind.CANCEL:
                return referee.cancel(at, entry.text)
            case Kind.BEGIN | Kind.DEAL:
                raise JournalError("a second start of the same match in one journal")
