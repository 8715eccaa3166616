"""Remembers the last public steps of a game of CHEATER, for observations."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from arena.games.cheater.arrays.layout import MOVE_COUNT
from arena.games.cheater.rules.actions import Attack
from arena.games.cheater.rules.events import Attacked, Busted, Discarded, Hidden, Rolled, Taken, TookTop

_NOBODY: Final = 255
_LOST, _BECAME_CHEATER, _TOOK_TOP, _DISCARDED = 1, 2, 3, 4
_ATTACKED: Final[Mapping[Attack, int]] = {Attack.TAKE: 5, Attack.SHOW: 6, Attack.BUST: 7, Attack.DEMAND: 8}
_HID, _TOOK, _BUSTED = 9, 10, 11


class MoveMemory:
    """The last steps that all seats saw."""

    def __init__(self, seat_count: int) -> None:
        self._relative = [
            bytes([0 if seat == _NOBODY else (seat - observer) % seat_count + 1 for seat in range(256)])
            for observer in range(seat_count)
        ]
        """By observer, a table that turns a seat into its number clockwise from the observer, from 1."""
        self.begin()

    def begin(self) -> None:
        """Forget the last game."""
        self._seats = self._targets = bytes((_NOBODY,)) * MOVE_COUNT
        self._kinds = self._cards = bytes(MOVE_COUNT)

    def follow(self, events: Sequence[Any]) -> None:
        for event in events:
            match event:
                case Rolled() if event.dice[0] == event.dice[1]:
                    self._note(event.seat, _LOST if event.is_lost else _BECAME_CHEATER)
                case TookTop():
                    self._note(event.seat, _TOOK_TOP, card=event.card)
                case Discarded():
                    for card in event.cards:
                        self._note(event.seat, _DISCARDED, card=card)
                case Attacked():
                    card = -1 if event.card is None else event.card
                    self._note(event.seat, _ATTACKED[event.attack], event.target, card)
                case Hidden():
                    self._note(event.seat, _HID, card=event.card)
                case Taken():
                    self._note(event.seat, _TOOK, event.target, event.card)
                case Busted():
                    for card in event.cards:
                        self._note(event.seat, _BUSTED, event.target, card)
                case _:
                    pass

    def write(self, observer: int) -> bytes:
        """Return the values of the four rows of moves."""
        relative = self._relative[observer]
        return b"".join((self._seats.translate(relative), self._kinds, self._targets.translate(relative), self._cards))

    def _note(self, seat: int, kind: int, target: int = _NOBODY, card: int = -1) -> None:
        self._seats = bytes((seat,)) + self._seats[:-1]
        self._kinds = bytes((kind,)) + self._kinds[:-1]
        self._targets = bytes((target,)) + self._targets[:-1]
        self._cards = bytes((card + 1,)) + self._cards[:-1]
