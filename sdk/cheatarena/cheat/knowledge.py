"""One seat's knowledge of a game's cards: its own hand, the moves on the pile, and the locations of shown cards.

A set of places is a bit mask. The hand of seat s is bit s. The bit after the last seat stands for all cards out of the
game. Each move has a bit of its own, and the number of that bit is called the move's layer. Card counts that the rules
hide are None.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from cheatarena.cheat.card_locations import CardLocations
from cheatarena.cheat.cards import CARDS, Card, Hand, Rank
from cheatarena.cheat.claim import Claim
from cheatarena.errors import ProtocolError

MAX_PENDING_CHANGES = 1024
"""Maximum number of queued changes of locations. If there are more, they are applied."""


class Knowledge:
    """The knowledge of one seat. Facts update it in the order in which they arrive."""

    __slots__ = (
        "_changes",
        "_elsewhere",
        "abandoned",
        "banished_size",
        "gone",
        "hand",
        "hides_sizes",
        "pile",
        "seat",
        "sizes",
        "taker",
        "top_layer",
    )  # fmt: skip

    def __init__(self, seat: int, sizes: Sequence[int | None]) -> None:
        self.seat = seat
        self.sizes = list(sizes)
        """Number of cards by seat. If the rules hide sizes, it is None for the other seats, except for empty hands."""
        self.hides_sizes = None in self.sizes
        self.hand = Hand()
        self.pile: list[Claim] = []
        """The moves on the pile, bottom first."""
        self.abandoned: dict[int, int | None] = {}
        """Number of cards that each departed seat left under the pile, by layer; None if the number is unknown."""
        self.banished_size = 0
        """Number of cards out of the game, unless sizes are hidden."""
        self._elsewhere = CardLocations()
        self._changes: list[tuple[Callable[..., None], int, Any]] = []
        """Queued changes of locations: method, places, argument. They are applied when locations are read."""
        self.gone = len(self.sizes)
        """Bit number of the place for cards out of the game."""
        self.taker: int | None = None
        """Place to which the pile will move once all shown cards are known; None if the pile stays."""
        self.top_layer = self.gone + 1
        """Number of the next layer. Lower numbers belong to other places and to earlier layers."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how to copy the knowledge, as `GameState` does."""
        return type(self), (self.seat, self.sizes), self.__getstate__()

    @property
    def elsewhere(self) -> CardLocations:
        """The locations of known cards outside this seat's hand, including cards on the pile."""
        for change, places, what in self._changes:
            change(self._elsewhere, places, what)
        self._changes.clear()
        return self._elsewhere

    @property
    def pile_size(self) -> int | None:
        """Number of cards on the pile; None if the rules hide it."""
        total = 0
        for size in (*[claim.laid for claim in self.pile], *self.abandoned.values()):
            if size is None:
                return None
            total += size
        return total

    @property
    def last_claim(self) -> Claim | None:
        """The top move on the pile, or None."""
        return self.pile[-1] if self.pile else None

    def count_located(self, rank: Any) -> int:
        """Return the number of known cards of a rank, in this seat's hand or elsewhere. Jokers have rank 13.

        A bot may have made the rank.
        """
        return self.hand.count(rank) + self.elsewhere.count(rank)

    def deal_own(self, cards: Iterable[int]) -> None:
        """Record this seat's dealt hand."""
        self.hand.add(cards)
        self.sizes[self.seat] = len(self.hand)

    def lay(self, seat: int, rank: Rank, count: int, laid: int | None, *, emptied: bool = False) -> Claim:
        """Record a move and return its claim. If this seat made the move, `lay_own` must follow.

        ``laid`` is the number of cards laid, or None if the number is hidden. ``emptied`` says that the mover's hand is
        now empty; this argument is needed only if sizes are hidden.
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
        """Record the cards of this seat's last move."""
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
        """Record the face-up cards of another seat's move."""
        claim = self._set_last_cards(tuple(CARDS[card] for card in cards))
        self._queue_change(CardLocations.resolve, 1 << claim.layer, claim.cards or ())
        return claim

    def judge(self, *, is_lie: bool) -> None:
        """Record the verdict on the last move."""
        if not self.pile:
            raise ProtocolError("a move was judged, but there is none on the pile")
        if not is_lie:
            self._queue_change(CardLocations.restrict_to_rank, 1 << self.pile[-1].layer, self.pile[-1].rank)

    def assign_pile(self, taker: int, size: int) -> None:
        """Record where the pile goes: to a seat, or out of the game (`gone`).

        `show`, `take` or `move_pile` must follow.
        """
        self.taker = taker
        if taker == self.gone:
            self.banished_size += size
        elif not self.hides_sizes:
            self.sizes[taker] = (self.sizes[taker] or 0) + size
        elif taker != self.seat and self.pile_size != 0:
            self.sizes[taker] = None

    def show(self, called: Iterable[int], rest: Iterable[int] | None = None) -> None:
        """Record the cards that a call shows: those of the called move, and perhaps the rest of the pile."""
        if not self.pile:
            raise ProtocolError("cards were shown, but no move was called")
        top = 1 << self.pile[-1].layer
        self._queue_change(CardLocations.resolve, top, called)
        if rest is not None:
            self._queue_change(CardLocations.resolve, self._pile_places() & ~top, rest)

    def take(self, cards: Iterable[int]) -> None:
        """Record the cards that this seat took from the pile."""
        taken = tuple(cards)
        layers = self._pile_places()
        self._queue_change(CardLocations.resolve, layers, taken)
        self._queue_change(CardLocations.drop, layers)
        self.hand.add(taken)
        self.sizes[self.seat] = len(self.hand)
        self._clear_pile()

    def move_pile(self) -> None:
        """Move the pile to its taker, if there is one. After that, no more cards of the pile can be shown.

        If this seat takes a pile that has cards, `take` moves the pile instead.
        """
        if self.taker is None or (self.taker == self.seat and self.pile_size != 0):
            return
        self._queue_change(CardLocations.move, self._pile_places(), 1 << self.taker)
        self._clear_pile()

    def banish(self, size: int) -> None:
        """Record that the pile is out of the game."""
        self.move_pile()
        self.assign_pile(self.gone, size)
        self.move_pile()

    def leave(self, seat: int, card_count: int) -> None:
        """Record that a seat left, and that its cards are now under the pile."""
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
        """Add a move from a snapshot to the pile."""
        claim.layer = self._new_layer()
        self.pile.append(claim)
        self._queue_change(CardLocations.put, 1 << claim.layer, claim.cards or ())

    def restore_abandoned(self, size: int | None, cards: Iterable[int]) -> None:
        """Add the cards that a departed seat left under the pile, as a snapshot states them."""
        layer = self._new_layer()
        self.abandoned[layer] = size
        self._queue_change(CardLocations.put, 1 << layer, cards)

    def _set_last_cards(self, cards: tuple[Card, ...]) -> Claim:
        """Replace the last claim with one that has the cards of the move, and return the new claim."""
        blind = self.pile[-1]
        claim = self.pile[-1] = Claim(blind.seat, blind.rank, blind.count, cards, blind.layer, len(cards))
        return claim

    def _queue_change(self, change: Callable[..., None], places: int, what: Any = None) -> None:
        self._changes.append((change, places, what))
        if len(self._changes) > MAX_PENDING_CHANGES:
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
