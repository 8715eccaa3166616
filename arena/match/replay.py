"""A match played again from its records: the same inputs give the same orders."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from arena.errors import JournalError
from arena.match.deal import DealSecret
from arena.match.deal_serialization import contributions_from_plain, secret_from_plain
from arena.match.inputs import Input, InputKind, read_record
from arena.match.orders import Order
from arena.match.referee import Referee
from arena.match.terms import Terms, terms_from_plain
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
        self._entries = map(read_record, records)
        first = next(self._entries, None)
        self.secret: DealSecret | None = None
        """The match's deal, where its journal has it."""
        if first is not None and first.kind is InputKind.DEAL and first.begin is not None:
            self.secret = secret_from_plain(first.begin)
            first = next(self._entries, None)
        if first is None or first.kind is not InputKind.BEGIN or first.begin is None:
            raise JournalError("these records do not begin with the start of a match")
        self._first = first
        self.match_id: str = first.begin["match_id"]
        self.terms: Terms = terms_from_plain(first.begin["terms"], games)
        self.rules_version: str = first.begin["terms"]["rules_version"]
        self.absent: tuple[int, ...] = tuple(first.begin.get("absent", ()))
        """Entrants who did not turn up."""
        self.contributions = contributions_from_plain(first.begin.get("contributions", ()))
        self.referee = Referee(self.terms)

    def moments(self) -> Iterator[Moment]:
        """Play on, input by input. Chance that followed an input directly is a moment of its own."""
        begun = self.referee.begin(self._first.at, self._first.now, self.absent, self.contributions)
        yield Moment(self._first, None, tuple(begun))
        for entry in self._entries:
            yield self._play_input(entry)

    def _play_input(self, entry: Input) -> Moment:
        action = self.terms.game.read_action(entry.text) if entry.kind is InputKind.ANSWER else None
        return Moment(entry, action, tuple(self._apply(entry, action)))

    def _apply(self, entry: Input, action: Any) -> list[Order]:
        referee, at, now = self.referee, entry.at, entry.now
        match entry.kind:
            case InputKind.ANSWER:
                return referee.answer(at, now, entry.entrant, entry.prompt_id, entry.action_id, action)
            case InputKind.REJECT:
                return referee.reject(at, entry.entrant, entry.prompt_id, entry.action_id, entry.text)
            case InputKind.TICK:
                return referee.tick(at, now)
            case InputKind.DRAWN:
                return referee.apply_draw(at, now, entry.values)
            case InputKind.LOST:
                return referee.disconnect(at, entry.entrant)
            case InputKind.BACK:
                return referee.reconnect(at, entry.entrant)
            case InputKind.LEAVE:
                return referee.leave(at, now, entry.entrant)
            case InputKind.READY:
                return referee.mark_ready(at, now, entry.entrant)
            case InputKind.CREDIT:
                referee.credit(entry.values[0], at)
                return []
            case InputKind.CANCEL:
                return referee.cancel(at, entry.text)
            case InputKind.BEGIN | InputKind.DEAL:
                raise JournalError("a second start of the same match in one journal")
