"""Follows a game of Cheat for the analytics: ranks and sizes of hands, the pile, and a claim while it can be called."""

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

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
    def __init__(self, hands: Sequence[Sequence[int]]) -> None:
        """Start with the dealt hands, each given as counts by card code."""
        self._hands = [_by_rank(hand) for hand in hands]
        """For each seat its number of cards of each rank, jokers last."""
        self._totals = [sum(column) for column in zip(*self._hands, strict=True)]
        self._sizes = [sum(hand) for hand in self._hands]
        self.pile = 0
        """Number of cards on the pile."""

    def lay_cards(self, seat: int, cards: Sequence[int]) -> None:
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


class CallChance(NamedTuple):
    seat: int
    stratum: int
    is_call: bool


class OpenClaim:
    """A claim that can be called."""

    __slots__ = ("_asked", "_callers", "_is_sealed", "_strata", "is_judged", "is_lie", "seat")

    def __init__(self, seat: int, is_lie: bool, strata: Mapping[int, int], asks_all: bool, is_sealed: bool) -> None:
        """Start with a claim that `seat` made.

        `strata` has the stratum of the claim for each other seat with cards. If `asks_all`, all of these seats are
        asked. Otherwise `add_asked` adds them one by one.
        """
        self.seat = seat
        self.is_lie = is_lie
        self.is_judged = False
        """Whether a seat has called or believed the claim."""
        self._strata = strata
        self._is_sealed = is_sealed
        self._asked = set(strata) if asks_all else set[int]()
        self._callers: set[int] = set()

    def add_asked(self, seat: int) -> None:
        """Record that a seat is asked and may call, unless the claim is judged already."""
        if seat in self._strata and not self.is_judged:
            self._asked.add(seat)

    def record_call(self, seat: int) -> None:
        """Record a call, whether or not the call of a nearer seat overruled it."""
        self.is_judged = True
        self._asked.add(seat)
        self._callers.add(seat)

    def record_believe(self, seat: int) -> None:
        """Record a belief. The seat could have called, but did not."""
        self.is_judged = True
        self._asked.add(seat)

    def withdraw(self, seat: int) -> None:
        """Drop a seat whose answer is unknown, or that left before it could answer."""
        self._asked.discard(seat)

    @property
    def is_asked(self) -> bool:
        """Return whether any seat could call the claim."""
        return bool(self._asked)

    @property
    def is_called(self) -> bool:
        return bool(self._callers)

    @property
    def has_rivals(self) -> bool:
        """Return whether a caller has more than one opponent. With only one opponent, it has no choice whom to call."""
        return len(self._strata) > 1

    def call_chances(self) -> Iterator[CallChance]:
        """Yield each chance to call and its result. In the live pace a call ends the chances of all other seats."""
        for seat in sorted(self._asked):
            is_call = seat in self._callers
            if is_call or self._is_sealed or not self.is_judged:
                yield CallChance(seat, self._strata[seat], is_call)
