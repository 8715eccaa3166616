"""Tracks the cards of a game of Cheat as far as the analytics need: ranks in hands, hand sizes and pile size."""

from bisect import bisect_right
from collections.abc import Collection, Sequence

from arena.games.cheat.rules.cards import JOKER, RANK_COUNT

_SPARE_EDGES = (0, 2, 4)
"""Bounds for the number of spare cards, as the seat that may call counts them:

    spare = cards of the claimed rank in the deal + jokers in the deal
            - number of cards claimed
            - cards of the claimed rank in the seat's own hand - jokers in that hand

If the number is below 0, the seat knows that the claim is a lie.
"""
_CARDS_LEFT_EDGES = (1, 4)
"""Bounds for the number of cards left in the accused's hand."""
_STAKE_EDGES = (6, 16)
"""Bounds for the number of cards on the pile, which are at stake in a call."""


class CardTracker:
    """Tracks the hands and the pile of a game."""

    def __init__(self, hands: Sequence[Sequence[int]]) -> None:
        """Start with the dealt hands, each given as counts by card code."""
        self._hands = [_by_rank(hand) for hand in hands]
        """For each seat its number of cards of each rank, jokers last."""
        self._totals = [sum(column) for column in zip(*self._hands, strict=True)]
        self._sizes = [sum(hand) for hand in self._hands]
        self.pile = 0
        """Number of cards on the pile."""

    def lay_cards(self, seat: int, cards: Sequence[int]) -> None:
        """Move cards from a hand to the pile."""
        for card in cards:
            self._hands[seat][card >> 2] -= 1
        self._sizes[seat] -= len(cards)
        self.pile += len(cards)

    def take_pile(self, seat: int, pile: Sequence[int]) -> None:
        """Move the pile (counts by card code) to a hand."""
        self._hands[seat] = list(map(int.__add__, self._hands[seat], _by_rank(pile)))
        self._sizes[seat] += sum(pile)
        self.pile = 0

    def remove_hand(self, seat: int, cards: Sequence[int]) -> None:
        """Move a whole hand (counts by card code) under the pile."""
        self._sizes[seat] = 0
        self.pile += sum(cards)

    def next_active(self, seat: int, skipped: Collection[int]) -> int:
        """Return the next seat clockwise that holds cards and is not skipped, or `seat` itself if there is none."""
        count = len(self._sizes)
        ring = [other % count for other in range(seat + 1, seat + count)]
        return next((other for other in ring if self._sizes[other] and other not in skipped), seat)

    def claim_strata(self, accused: int, rank: int, count: int, is_lie: bool) -> dict[int, int]:
        """Return the stratum (`expected_calls`) of a new claim for every seat that holds cards, except the accused.

        A stratum combines four things: the number of spare cards, the cards left to the accused, the cards at stake,
        and whether the claim is a lie. The fourth is included because a good player notices more than the first three
        show.
        """
        fitting = self._totals[rank] + self._totals[RANK_COUNT] - count
        left, stake = bisect_right(_CARDS_LEFT_EDGES, self._sizes[accused]), bisect_right(_STAKE_EDGES, self.pile)
        public = ((left * 3 + stake) * 2 + is_lie) * 4
        strata = {}
        for seat, size in enumerate(self._sizes):
            if size and seat != accused:
                hand = self._hands[seat]
                strata[seat] = public + bisect_right(_SPARE_EDGES, fitting - hand[rank] - hand[RANK_COUNT])
        return strata


def _by_rank(hand: Sequence[int]) -> list[int]:
    """Return the number of cards of each rank, in ascending order of rank. The last number counts the jokers."""
    return [
        *map(sum, zip(hand[0:JOKER:4], hand[1:JOKER:4], hand[2:JOKER:4], hand[3:JOKER:4], strict=True)),
        hand[JOKER],
    ]
