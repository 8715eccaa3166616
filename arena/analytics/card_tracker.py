"""Where the cards of a game of Cheat are, as far as insight needs it: ranks in hands, sizes, the pile's height."""

from bisect import bisect_right
from collections.abc import Collection, Sequence

from arena.rules.cheat.cards import JOKER, RANK_COUNT

_SPARE_EDGES = (0, 2, 4)
"""Cards of the claimed rank and jokers that would be left if the claim were true and the seat's own were counted off:
below 0 the seat knows that it is a lie."""
_CARDS_LEFT_EDGES = (1, 4)
"""Cards that the accused has left."""
_STAKE_EDGES = (6, 16)
"""Cards that a call is about."""


class CardTracker:
    """Hands and pile; moved by what happens."""

    def __init__(self, hands: Sequence[Sequence[int]]) -> None:
        """`hands` are counts by card code."""
        self._hands = [_by_rank(hand) for hand in hands]
        """By seat: how many of each rank, jokers last."""
        self._totals = [sum(column) for column in zip(*self._hands, strict=True)]
        self._sizes = [sum(hand) for hand in self._hands]
        self.pile = 0
        """Cards on it."""

    def lay_cards(self, seat: int, cards: Sequence[int]) -> None:
        """Put cards of a hand on the pile."""
        for card in cards:
            self._hands[seat][card >> 2] -= 1
        self._sizes[seat] -= len(cards)
        self.pile += len(cards)

    def take_pile(self, seat: int, pile: Sequence[int]) -> None:
        """Put the pile, counts by card code, into a hand."""
        self._hands[seat] = list(map(int.__add__, self._hands[seat], _by_rank(pile)))
        self._sizes[seat] += sum(pile)
        self.pile = 0

    def remove_hand(self, seat: int, cards: Sequence[int]) -> None:
        """Put a whole hand, counts by card code, under the pile."""
        self._sizes[seat] = 0
        self.pile += sum(cards)

    def next_active(self, seat: int, skipped: Collection[int]) -> int:
        """The next seat clockwise that holds cards and is not skipped, at last the seat itself."""
        count = len(self._sizes)
        ring = [other % count for other in range(seat + 1, seat + count)]
        return next((other for other in ring if self._sizes[other] and other not in skipped), seat)

    def claim_strata(self, accused: int, rank: int, count: int, is_lie: bool) -> dict[int, int]:
        """How a claim that was just made looks to each other seat that holds cards, as the number of its stratum.

        What counts is how many cards could still make it true, how near the accused is to a win, what is at stake, and
        whether it is a lie: a good player sees more than the rest of this tells.
        """
        fitting = self._totals[rank] + self._totals[RANK_COUNT] - count
        left, stake = bisect_right(_CARDS_LEFT_EDGES, self._sizes[accused]), bisect_right(_STAKE_EDGES, self.pile)
        public = ((left * 3 + stake) * 2 + is_lie) * 4
        looks = {}
        for seat, size in enumerate(self._sizes):
            if size and seat != accused:
                hand = self._hands[seat]
                looks[seat] = public + bisect_right(_SPARE_EDGES, fitting - hand[rank] - hand[RANK_COUNT])
        return looks


def _by_rank(hand: Sequence[int]) -> list[int]:
    """Add up the suits: ranks ascending, jokers last."""
    return [
        *map(sum, zip(hand[0:JOKER:4], hand[1:JOKER:4], hand[2:JOKER:4], hand[3:JOKER:4], strict=True)),
        hand[JOKER],
    ]
