"""Remembers what each seat of a table has been shown, event by event, counted by rank.

It reads events as the rules make them, secrets and all: redacting each one for each seat would take longer than the
rules do. So what a seat may learn from an event is decided here a second time, and twin runs check that.

Fed the redacted events that a bot gets, only the values of its own seat are right.
"""

from collections.abc import Sequence
from typing import Any, Final

from arena.games.cheat.arrays.card_counts import (
    KINDS,
    NO_CARDS,
    bytes_to_count,
    count_cards,
    count_hand,
    count_to_bytes,
)
from arena.games.cheat.arrays.layout import MAX_SEATS, MOVE_COUNT
from arena.games.cheat.rules.events import Believed, Called, Dealt, HandChecked, Passed, PileBanished, Played, SeatLeft
from arena.games.cheat.rules.ruleset import CheckMode

NOBODY: Final = 255
"""Stands for no seat among the seats of the remembered moves."""
HIDDEN: Final = 255
"""-1 as an int8: a number that the ruleset hides."""
MOST: Final = 127

CALLED_TRUE: Final = 1
CALLED_LIE: Final = 2
BELIEVED_TRUE: Final = 3
BELIEVED_LIE: Final = 4
LAID_OPEN: Final = 5
CHECKED_TRUE: Final = 6
CHECKED_LIE: Final = 7

_REDUCED: Final = tuple([bytes([max(0, count - laid) for count in range(256)]) for laid in range(256)])
"""By number of cards laid, a table that makes each count smaller by it, but not negative."""
_NO_MOVES: Final = bytes(MOVE_COUNT)
_NO_SEATS: Final = bytes((NOBODY,)) * MOVE_COUNT
_LIES, _TRUTHS, _RIGHT, _WRONG = range(4)


class SeatMemory:
    """The memory of all seats of a table. Seats are numbered as in the rules."""

    def __init__(self, seat_count: int) -> None:
        self.seat_count = seat_count
        self.begin()

    def begin(self) -> None:
        """Forget the last game."""
        count = self.seat_count
        self.hands = [0] * count
        """The cards of each hand."""
        self.pile = 0
        self.pile_size = 0
        self.banished_size = 0
        self.pile_known = [0] * count
        """By observer, the cards of the pile that it knows."""
        self.banished_known = [0] * count
        self.known = [[NO_CARDS] * (MAX_SEATS - 1) for _ in range(count)]
        """By observer and seat clockwise from the next one, cards that this seat holds at least."""
        self.record = bytearray(4 * count)
        """For each seat: lies and true moves found, right and wrong calls."""
        self.move_seats = _NO_SEATS
        self.move_ranks = _NO_MOVES
        self.move_counts = _NO_MOVES
        self.move_laid = _NO_MOVES
        self.move_callers = _NO_SEATS
        self.move_verdicts = _NO_MOVES
        self._last_play = 0
        """Position of the last card move among the remembered moves: the number of passes after it."""

    def follow(self, events: Sequence[Any]) -> None:
        for event in events:
            if isinstance(event, Played):
                self._follow_play(event)
            elif isinstance(event, Called):
                self._follow_call(event)
            elif isinstance(event, Passed):
                self._note_move(event.seat, 0, 0, 0, 0)
                self._last_play += 1
            elif isinstance(event, Believed):
                self._follow_belief(event)
            elif isinstance(event, HandChecked):
                self._follow_check(event)
            elif isinstance(event, PileBanished):
                self._banish_pile()
            elif isinstance(event, SeatLeft):
                self._follow_leaving(event.seat)
            elif isinstance(event, Dealt):
                self.hands = [count_hand(hand) for hand in event.hands]

    def _follow_play(self, event: Played) -> None:
        seat, laid, size = event.seat, count_cards(event.cards), len(event.cards)
        self.hands[seat] -= laid
        self.pile += laid
        self.pile_size += size
        is_counted = event.face_up or event.sizes_visible
        for observer in range(self.seat_count):
            if observer == seat:
                self.pile_known[observer] += laid
                continue
            place = self._place_of(observer, seat)
            known = self.known[observer][place]
            if event.face_up:
                self.pile_known[observer] += laid
                self.known[observer][place] = _without(known, count_to_bytes(laid))
            elif known != NO_CARDS and event.count:
                self.known[observer][place] = known.translate(_REDUCED[size]) if is_counted else NO_CARDS
            elif known != NO_CARDS and size:
                self.known[observer][place] = NO_CARDS
        verdict = LAID_OPEN if event.face_up else 0
        self._note_move(seat, event.rank + 1, event.count, size if is_counted else HIDDEN, verdict)
        self._last_play = 0

    def _follow_call(self, event: Called) -> None:
        self._note_verdict(event.caller, CALLED_LIE if event.right else CALLED_TRUE)
        self._count(event.accused, _LIES if event.right else _TRUTHS)
        self._count(event.caller, _RIGHT if event.right else _WRONG)
        self._show_cards(event.check, event.caller, event.accused, event.cards)
        self._take_pile(event.taker)

    def _follow_belief(self, event: Believed) -> None:
        self._note_verdict(event.believer, BELIEVED_TRUE if event.right else BELIEVED_LIE)
        self._count(event.mover, _TRUTHS if event.right else _LIES)
        self._show_cards(event.check, event.believer, event.mover, event.cards)
        if event.right:
            self._banish_pile()
        else:
            self._take_pile(event.believer)

    def _follow_check(self, event: HandChecked) -> None:
        self._note_verdict(NOBODY, CHECKED_TRUE if event.is_true else CHECKED_LIE)
        self._count(event.seat, _TRUTHS if event.is_true else _LIES)
        if not event.is_true:
            self._take_pile(event.seat)

    def _follow_leaving(self, seat: int) -> None:
        """Put the cards of a seat under the pile. What others knew of them is forgotten."""
        self.pile += self.hands[seat]
        self.hands[seat] = 0
        for observer in range(self.seat_count):
            if observer != seat:
                self.known[observer][self._place_of(observer, seat)] = NO_CARDS

    def _show_cards(self, check: CheckMode, caller: int, mover: int, cards: bytes) -> None:
        """Let the seats that the check shows cards of the pile know them. The mover knew them already."""
        if check is CheckMode.PUBLIC_PLUS:
            self.pile_known = [self.pile] * self.seat_count
        elif check is CheckMode.PUBLIC:
            shown = count_cards(cards)
            for observer in range(self.seat_count):
                if observer != mover:
                    self.pile_known[observer] += shown
        elif check is CheckMode.CALLER:
            self.pile_known[caller] += count_cards(cards)

    def _take_pile(self, taker: int) -> None:
        self.hands[taker] += self.pile
        for observer in range(self.seat_count):
            gained = self.pile_known[observer]
            if gained and observer != taker:
                known, place = self.known[observer], self._place_of(observer, taker)
                known[place] = count_to_bytes(bytes_to_count(known[place]) + gained)
        self._clear_pile()

    def _banish_pile(self) -> None:
        self.banished_size += self.pile_size
        for observer in range(self.seat_count):
            self.banished_known[observer] += self.pile_known[observer]
        self._clear_pile()

    def _clear_pile(self) -> None:
        self.pile = self.pile_size = 0
        self.pile_known = [0] * self.seat_count

    def _place_of(self, observer: int, seat: int) -> int:
        """Return the position of another seat among those clockwise from the observer."""
        return (seat - observer) % self.seat_count - 1

    def _note_move(self, seat: int, rank: int, count: int, laid: int, verdict: int) -> None:
        self.move_seats = _SINGLE[seat] + self.move_seats[:-1]
        self.move_ranks = _SINGLE[rank] + self.move_ranks[:-1]
        self.move_counts = _SINGLE[count] + self.move_counts[:-1]
        self.move_laid = _SINGLE[laid] + self.move_laid[:-1]
        self.move_callers = _SINGLE[NOBODY] + self.move_callers[:-1]
        self.move_verdicts = _SINGLE[verdict] + self.move_verdicts[:-1]

    def _note_verdict(self, caller: int, verdict: int) -> None:
        at = self._last_play
        if at < MOVE_COUNT:
            self.move_callers = self.move_callers[:at] + _SINGLE[caller] + self.move_callers[at + 1 :]
            self.move_verdicts = self.move_verdicts[:at] + _SINGLE[verdict] + self.move_verdicts[at + 1 :]

    def _count(self, seat: int, what: int) -> None:
        at = 4 * seat + what
        if self.record[at] < MOST:
            self.record[at] += 1


_SINGLE: Final = tuple([bytes((value,)) for value in range(256)])


def _without(known: bytes, laid: bytes) -> bytes:
    """Return the cards that a hand still holds for certain after it has laid some face up."""
    return bytes([max(0, known[kind] - laid[kind]) for kind in range(KINDS)])
