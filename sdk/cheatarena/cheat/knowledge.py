"""What one seat knows of one game's cards: its hand, the moves on the pile, what calls have shown and where it went.

Places of cards are bits: seat s's hand is bit s, the cards of one move are a bit of their own, named by the layer.
"""

from collections.abc import Callable, Iterable
from typing import Any

from cheatarena.cheat.cards import CARDS, Hand, Rank, count_cards
from cheatarena.cheat.ruleset import Claim
from cheatarena.cheat.whereabouts import Whereabouts
from cheatarena.errors import ProtocolError

MOST_UNREAD = 1024
"""So many changes of the whereabouts are kept before they are made."""


class Knowledge:
    """Changed by facts in their order."""

    __slots__ = ("_elsewhere", "_unread", "abandoned", "hand", "pile", "seat", "sizes", "taker", "top_layer")

    def __init__(self, seat: int, sizes: Iterable[int]) -> None:
        self.seat = seat
        self.sizes = list(sizes)
        """Number of cards by seat."""
        self.hand = Hand()
        self.pile: list[Claim] = []
        """The moves on the pile, bottom first."""
        self.abandoned: dict[int, int] = {}
        """Cards that seats left behind, under the pile: their layer and number."""
        self._elsewhere = Whereabouts()
        self._unread: list[tuple[Callable[..., None], tuple[Any, ...]]] = []
        """What is still to be done to the whereabouts, in order: most bots seldom ask for them."""
        self.taker: int | None = None
        """Who is about to take the pile, until it is known what has been shown."""
        self.top_layer = len(self.sizes)
        """The next layer's number; below it seats and earlier layers."""

    @property
    def elsewhere(self) -> Whereabouts:
        """The known cards outside the own hand, those on the pile included."""
        for change, values in self._unread:
            change(self._elsewhere, *values)
        self._unread.clear()
        return self._elsewhere

    @property
    def pile_size(self) -> int:
        """Number of cards on the pile."""
        return sum(claim.count for claim in self.pile) + sum(self.abandoned.values())

    def located(self, rank: int) -> int:
        """Count the cards of a rank that have been seen, in the own hand or elsewhere. Jokers have rank 13."""
        return self.hand.count(rank) + self.elsewhere.count(rank)

    def lay(self, seat: int, rank: Rank, count: int) -> Claim:
        """Take in that a seat has laid cards. For the own seat `lay_own` follows."""
        self.settle()
        layer = self._new_layer()
        claim = Claim(seat, rank, count, None if count else (), layer)
        self.pile.append(claim)
        self.sizes[seat] -= count
        if count and seat != self.seat:
            self._note(Whereabouts.spread if self.sizes[seat] else Whereabouts.move, 1 << seat, 1 << layer)
        return claim

    def lay_own(self, cards: Iterable[int]) -> Claim:
        """Take in which cards the own seat has just laid."""
        laid = tuple(CARDS[card] for card in cards)
        blind = self.pile[-1] if self.pile else None
        if blind is None or blind.seat != self.seat or blind.count != len(laid) or not self.hand.has(laid):
            raise ProtocolError(f"a move cannot have been {laid}: it was {blind}, from a hand of {self.hand}")
        claim = self.pile[-1] = Claim(blind.seat, blind.rank, blind.count, laid, blind.layer)
        self.hand.remove(laid)
        self._note(Whereabouts.put, 1 << claim.layer, count_cards(laid))
        return claim

    def call(self, taker: int, taken_count: int, *, is_lie: bool) -> None:
        """Take in that the last move was called; `show`, `take` or `settle` say what of the pile."""
        if not self.pile:
            raise ProtocolError("a move was called, but there is none on the pile")
        self.sizes[taker] += taken_count
        self.taker = taker
        if not is_lie:
            self._note(Whereabouts.fit, 1 << self.pile[-1].layer, self.pile[-1].rank)

    def show(self, called: Iterable[int], rest: Iterable[int] | None = None) -> None:
        """Take in what a call has shown: the called move, and the rest of the pile where the rules say so."""
        if not self.pile:
            raise ProtocolError("cards were shown, but no move was called")
        top = 1 << self.pile[-1].layer
        self._note(Whereabouts.resolve, top, count_cards(called))
        if rest is not None:
            self._note(Whereabouts.resolve, self._layers() & ~top, count_cards(rest))

    def take(self, cards: Iterable[int]) -> None:
        """Take in which cards the own seat has taken from the pile."""
        taken = tuple(cards)
        layers = self._layers()
        self._note(Whereabouts.resolve, layers, count_cards(taken))
        self._note(Whereabouts.drop, layers)
        self.hand.add(taken)
        self._clear_pile()

    def settle(self) -> None:
        """Move the pile to its taker. Called when nothing more can be shown of it."""
        if self.taker is None or (self.taker == self.seat and self.pile_size):
            return
        self._note(Whereabouts.move, self._layers(), 1 << self.taker)
        self._clear_pile()

    def leave(self, seat: int, card_count: int) -> None:
        """Take in that a seat has left and its cards lie under the pile."""
        self.settle()
        layer = self._new_layer()
        self.sizes[seat] = 0
        if card_count:
            self.abandoned[layer] = card_count
        if seat == self.seat:
            self._note(Whereabouts.put, 1 << layer, count_cards(self.hand))
            self.hand = Hand()
        self._note(Whereabouts.move, 1 << seat, 1 << layer)

    def restore_layer(self, seat: int, rank: Rank | None, count: int, cards: Iterable[int] | None) -> None:
        """Put one layer of a snapshot on the pile; no rank for cards that a seat left behind."""
        layer = self._new_layer()
        known = tuple(CARDS[card] for card in cards or ())
        if rank is None:
            self.abandoned[layer] = count
        else:
            self.pile.append(Claim(seat, rank, count, known if cards is not None or not count else None, layer))
        self._note(Whereabouts.put, 1 << layer, count_cards(known))

    def _note(self, change: Callable[..., None], *values: Any) -> None:
        self._unread.append((change, values))
        if len(self._unread) > MOST_UNREAD:
            _ = self.elsewhere

    def _new_layer(self) -> int:
        self.top_layer += 1
        return self.top_layer - 1

    def _layers(self) -> int:
        bits = 0
        for claim in self.pile:
            bits |= 1 << claim.layer
        for layer in self.abandoned:
            bits |= 1 << layer
        return bits

    def _clear_pile(self) -> None:
        self.pile.clear()
        self.abandoned.clear()
        self.taker = None
