"""What one seat knows of one game's cards: its hand, the moves on the pile, what calls have shown and where it went.

Places of cards are bits: seat s's hand is bit s, the next bit stands for the cards that are out of the game, and the
cards of one move are a bit of their own, named by the layer. Numbers of cards that the rules hide are None.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from cheatarena.cheat.card_locations import CardLocations
from cheatarena.cheat.cards import CARDS, Card, Hand, Rank
from cheatarena.cheat.claim import Claim
from cheatarena.errors import ProtocolError

MAX_PENDING_CHANGES = 1024
"""So many changes of the whereabouts are kept before they are made."""


class Knowledge:
    """Changed by facts in their order."""

    __slots__ = (
        "_elsewhere", "_unread", "abandoned", "banished_size", "gone", "hand", "hides_sizes", "pile", "seat", "sizes",
        "taker", "top_layer",
    )  # fmt: skip

    def __init__(self, seat: int, sizes: Sequence[int | None]) -> None:
        self.seat = seat
        self.sizes = list(sizes)
        """Number of cards by seat; where the rules hide sizes, None for every other hand that is not empty."""
        self.hides_sizes = None in self.sizes
        self.hand = Hand()
        self.pile: list[Claim] = []
        """The moves on the pile, bottom first."""
        self.abandoned: dict[int, int | None] = {}
        """Cards that seats left behind, under the pile: their layer and number."""
        self.banished_size = 0
        """Number of cards that are out of the game, where sizes are not hidden."""
        self._elsewhere = CardLocations()
        self._unread: list[tuple[Callable[..., None], int, Any]] = []
        """What is still to be done to the whereabouts, in order, where, with what: most bots seldom ask."""
        self.gone = len(self.sizes)
        """The place of cards that are out of the game."""
        self.taker: int | None = None
        """The place to which the pile is about to go, until it is known what has been shown."""
        self.top_layer = self.gone + 1
        """The next layer's number; below it other places and earlier layers."""

    @property
    def elsewhere(self) -> CardLocations:
        """The known cards outside the own hand, those on the pile included."""
        for change, places, what in self._unread:
            change(self._elsewhere, places, what)
        self._unread.clear()
        return self._elsewhere

    @property
    def pile_size(self) -> int | None:
        """Number of cards on the pile."""
        total = 0
        for size in (*[claim.laid for claim in self.pile], *self.abandoned.values()):
            if size is None:
                return None
            total += size
        return total

    @property
    def last_claim(self) -> Claim | None:
        """The last card move, while it lies on the pile."""
        return self.pile[-1] if self.pile else None

    def count_located(self, rank: int) -> int:
        """Count the cards of a rank that have been seen, in the own hand or elsewhere. Jokers have rank 13."""
        return self.hand.count(rank) + self.elsewhere.count(rank)

    def deal_own(self, cards: Iterable[int]) -> None:
        """Take in the own hand as dealt."""
        self.hand.add(cards)
        self.sizes[self.seat] = len(self.hand)

    def lay(self, seat: int, rank: Rank, count: int, laid: int | None, *, emptied: bool = False) -> Claim:
        """Take in that a seat has laid cards. For the own seat `lay_own` follows.

        ``emptied`` is needed only where the numbers do not tell it.
        """
        if self.taker is not None:
            self.move_pile()
        layer = self.top_layer
        self.top_layer = layer + 1
        claim = Claim(seat, rank, count, None if count else (), layer, laid)
        self.pile.append(claim)
        size = self.sizes[seat]
        if size is not None and laid is not None:
            self.sizes[seat] = size = size - laid
        if emptied:
            self.sizes[seat] = size = 0
        if count and seat != self.seat:
            self._queue_change(CardLocations.spread if size != 0 else CardLocations.move, 1 << seat, 1 << layer)
        return claim

    def lay_own(self, cards: Iterable[int]) -> Claim:
        """Take in which cards the own seat has just laid."""
        laid = tuple(map(CARDS.__getitem__, cards))
        blind = self.pile[-1] if self.pile else None
        if blind is None or blind.seat != self.seat or blind.laid not in (len(laid), None) or not self.hand.has(laid):
            raise ProtocolError(f"a move cannot have been {laid}: it was {blind}, from a hand of {self.hand}")
        claim = self._set_last_cards(laid)
        self.hand.remove(laid)
        self.sizes[self.seat] = len(self.hand)
        self._queue_change(CardLocations.put, 1 << claim.layer, laid)
        return claim

    def lay_open(self, cards: Iterable[int]) -> Claim:
        """Take in the cards of another seat's move that lie face up."""
        claim = self._set_last_cards(tuple(CARDS[card] for card in cards))
        self._queue_change(CardLocations.resolve, 1 << claim.layer, claim.cards or ())
        return claim

    def judge(self, *, is_lie: bool) -> None:
        """Take in the verdict on the last move."""
        if not self.pile:
            raise ProtocolError("a move was judged, but there is none on the pile")
        if not is_lie:
            self._queue_change(CardLocations.restrict_to_rank, 1 << self.pile[-1].layer, self.pile[-1].rank)

    def assign_pile(self, taker: int, size: int) -> None:
        """Take in where the pile goes, a seat or `gone`; `show`, `take` or `settle` say what of it is known."""
        self.taker = taker
        if taker == self.gone:
            self.banished_size += size
        elif not self.hides_sizes:
            self.sizes[taker] = (self.sizes[taker] or 0) + size
        elif taker != self.seat and self.pile_size != 0:
            self.sizes[taker] = None

    def show(self, called: Iterable[int], rest: Iterable[int] | None = None) -> None:
        """Take in what a call has shown: the called move, and the rest of the pile where the rules say so."""
        if not self.pile:
            raise ProtocolError("cards were shown, but no move was called")
        top = 1 << self.pile[-1].layer
        self._queue_change(CardLocations.resolve, top, called)
        if rest is not None:
            self._queue_change(CardLocations.resolve, self._pile_places() & ~top, rest)

    def take(self, cards: Iterable[int]) -> None:
        """Take in which cards the own seat has taken from the pile."""
        taken = tuple(cards)
        layers = self._pile_places()
        self._queue_change(CardLocations.resolve, layers, taken)
        self._queue_change(CardLocations.drop, layers)
        self.hand.add(taken)
        self.sizes[self.seat] = len(self.hand)
        self._clear_pile()

    def move_pile(self) -> None:
        """Move the pile to where it goes. Called when nothing more can be shown of it."""
        if self.taker is None or (self.taker == self.seat and self.pile_size != 0):
            return
        self._queue_change(CardLocations.move, self._pile_places(), 1 << self.taker)
        self._clear_pile()

    def banish(self, size: int) -> None:
        """Take in that the pile is out of the game."""
        self.move_pile()
        self.assign_pile(self.gone, size)
        self.move_pile()

    def leave(self, seat: int, card_count: int) -> None:
        """Take in that a seat has left and its cards lie under the pile."""
        self.move_pile()
        layer = self._new_layer()
        if self.sizes[seat] != 0:
            self.abandoned[layer] = card_count or self.sizes[seat]
        self.sizes[seat] = 0
        if seat == self.seat:
            self._queue_change(CardLocations.put, 1 << layer, tuple(self.hand))
            self.hand = Hand()
        self._queue_change(CardLocations.move, 1 << seat, 1 << layer)

    def restore_layer(self, claim: Claim) -> None:
        """Put a move of a snapshot on the pile."""
        claim.layer = self._new_layer()
        self.pile.append(claim)
        self._queue_change(CardLocations.put, 1 << claim.layer, claim.cards or ())

    def restore_abandoned(self, size: int | None, cards: Iterable[int]) -> None:
        """Put cards that a seat left behind under the pile of a snapshot."""
        layer = self._new_layer()
        self.abandoned[layer] = size
        self._queue_change(CardLocations.put, 1 << layer, cards)

    def _set_last_cards(self, cards: tuple[Card, ...]) -> Claim:
        """Note which cards the last move was made of."""
        blind = self.pile[-1]
        claim = self.pile[-1] = Claim(blind.seat, blind.rank, blind.count, cards, blind.layer, len(cards))
        return claim

    def _queue_change(self, change: Callable[..., None], places: int, what: Any = None) -> None:
        self._unread.append((change, places, what))
        if len(self._unread) > MAX_PENDING_CHANGES:
            _ = self.elsewhere

    def _new_layer(self) -> int:
        self.top_layer += 1
        return self.top_layer - 1

    def _pile_places(self) -> int:
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
