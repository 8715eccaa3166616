"""A bot that remembers every hand it ever held, in a file beside it, with what it learned of the others' hands.

When it holds a hand again, in the same seat, it knows which cards the others cannot have, and calls what cannot be true.
MEMORY in the environment names the file; without it the bot is its own forgetful twin. For one pack without jokers.
"""

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar

from cheatarena import Bot, Call, Claim, Decline, Doubt, Move, Table, TurnOptions, run
from cheatarena.v1.cheat_pb2 import CheatCalled, CheatCards, CheatHand, CheatLaid, CheatPlayed, CheatShown, CheatTaken

Seats = frozenset[int]
DECK = range(52)
CHEAP = 4
"""Cards on a pile that it calls out of curiosity."""
CURIOSITY = 0.5
"""How often it does."""


class Origins:
    """Where the cards of one game come from: to whom each was dealt, and whose cards a seat may hold by now."""

    def __init__(self, seat: int, seat_count: int, hand: Iterable[int]) -> None:
        dealt, others = set(hand), frozenset(range(seat_count)) - {seat}
        self.homes: dict[int, Seats] = {card: frozenset({seat}) if card in dealt else others for card in DECK}
        self._sources = [frozenset({each}) for each in range(seat_count)]
        self._pile: list[Seats] = []
        self._last: Seats = frozenset()
        self._taken: Seats = frozenset()

    def laid(self, seat: int) -> None:
        """A seat lays cards, which were dealt to one of those whose cards it may hold."""
        self._last = self._sources[seat]
        self._pile.append(self._last)

    def taken(self, taker: int) -> None:
        """A seat takes the pile."""
        self._taken = frozenset().union(*self._pile)
        self._sources[taker] |= self._taken
        self._pile.clear()

    def showed_move(self, cards: Iterable[int]) -> None:
        """The cards of the last move are known."""
        self._learn(cards, self._last)

    def showed_pile(self, cards: Iterable[int]) -> None:
        """The cards of the pile that was taken last are known."""
        self._learn(cards, self._taken)

    def could_hold(self, seat: int, card: int) -> bool:
        """Whether a card can have come to a seat."""
        return bool(self.homes[card] & self._sources[seat])

    def _learn(self, cards: Iterable[int], among: Seats) -> None:
        for card in cards:
            self.homes[card] &= among


class Remembering(Bot):
    memory: ClassVar[Path | None] = (
        Path(__file__).with_name(os.environ["MEMORY"]) if os.environ.get("MEMORY") else None
    )

    def __init__(self) -> None:
        self.hand: list[int] = []
        self.met = 0  # how often it has held this hand before
        self.on_pile: set[int] = set()  # cards of its own
        self.origins = Origins(0, 0, ())

    def saw(self, table: Table, event: Any) -> None:
        """Keep track of where cards come from."""
        match event:
            case CheatHand():
                self.begin(table, list(event.cards.cards))
            case CheatLaid():
                self.on_pile |= set(event.cards.cards)
            case CheatPlayed():
                self.origins.laid(event.seat)
            case CheatShown():
                self.origins.showed_move(shown(event.cards))
            case CheatCalled():
                self.origins.showed_move(shown(event.shown))
                self.origins.taken(event.taker)
                self.on_pile.clear()
            case CheatTaken():
                self.origins.showed_pile(shown(event.cards))

    def begin(self, table: Table, hand: list[int]) -> None:
        """Hold a new hand: is it one of those that are known?"""
        self.hand, self.met = hand, 0
        self.origins = Origins(table.seat, table.seat_count, hand)
        for note in self.notes():
            if (note["seat"], note["seats"], note["hand"]) == (table.seat, table.seat_count, hand):
                self.met += 1
                for card, home in enumerate(note["homes"]):
                    self.origins.homes[card] &= frozenset(home)

    def notes(self) -> Iterator[dict[str, Any]]:
        """Read what was noted of all games so far."""
        if self.memory is not None and self.memory.exists():
            yield from map(json.loads, self.memory.read_text().splitlines())

    def game_ended(self, table: Table) -> None:
        """Note the hand, and to whom the others' cards were dealt."""
        homes = [sorted(self.origins.homes[card]) for card in DECK]
        note = {"met": self.met, "seat": table.seat, "seats": table.seat_count, "hand": self.hand, "homes": homes}
        if self.memory is not None:
            with self.memory.open("a") as file:
                file.write(json.dumps(note) + "\n")

    def turn(self, table: Table, options: TurnOptions) -> Move:
        return options.largest_honest() or options.pass_() or options.smallest_lie()

    def call_window(self, table: Table, claim: Claim) -> Doubt:
        """Call what cannot be true, and out of curiosity what costs little."""
        away = self.on_pile.union(table.hand)
        fitting = [card for card in DECK if card >> 2 == claim.rank and card not in away]
        could_be = sum(self.origins.could_hold(claim.seat, card) for card in fitting) >= claim.count
        if not could_be or table.is_impossible(claim):
            return Call()
        is_new = any(len(self.origins.homes[card]) > 1 for card in fitting)
        is_cheap = claim.count and table.pile_claimed <= CHEAP
        return Call() if is_new and is_cheap and table.random.random() < CURIOSITY else Decline()


def shown(cards: CheatCards) -> bytes:
    return cards.cards


if __name__ == "__main__":
    run(Remembering)
