"""Seats the players of a table. Each player sits in each seat, and behind each other player, about equally often."""

from collections.abc import Sequence
from itertools import combinations

from arena.competition.formats.grouping import IntArray


def seat_balanced(names: Sequence[str], game: int) -> tuple[str, ...]:
    """Return the n players of a table by seat, for the game with this index. In n games each player has each seat once.

    The orders are the rows of Williams' squares (E. J. Williams, "Experimental designs balanced for the estimation of
    residual effects of treatments", 1949). The first row is 0, 1, n-1, 2, n-2 …, and each further row adds one, modulo
    n. The next n games are the mirror image. Each player therefore sits behind each other player equally often: over n
    games if n is even, over 2n games if n is odd.

    >>> [seat_balanced("abcd", game) for game in (0, 1, 4)]
    [('a', 'b', 'd', 'c'), ('b', 'c', 'a', 'd'), ('c', 'd', 'b', 'a')]
    """
    count = len(names)
    row = [(seat + 1) // 2 if seat % 2 else -(seat // 2) for seat in range(count)]
    if game // count % 2:
        row.reverse()
    return tuple(names[(index + game) % count] for index in row)


def seat_least_used(people: Sequence[int], seats: IntArray, follows: IntArray) -> tuple[int, ...]:
    """Return the players by seat, so that each sits where it has sat least often.

    Among the orders that do this equally well, players sit behind players that they have followed least often. `seats`
    [a, s] is how often a sat in seat s. `follows` [a, b] is how often b sat next after a, clockwise. The search makes
    the swap of two players that gains the most, until no swap gains anything.
    """
    costs = _SeatingCosts(people, seats, follows)
    order = list(range(len(people)))
    pairs = list(combinations(order, 2)) or [(0, 0)]
    while True:
        best = min((costs.cost_after_swap(order, *pair), pair) for pair in pairs)
        if best[0] >= costs.cost_of(order):
            return tuple(people[index] for index in order)
        one, other = best[1]
        order[one], order[other] = order[other], order[one]


class _SeatingCosts:
    """The costs of the possible orders at one table. Seats count first, then neighbours."""

    def __init__(self, people: Sequence[int], seats: IntArray, follows: IntArray) -> None:
        self._seats = seats[list(people)].tolist()
        self._follows = follows[list(people)][:, list(people)].tolist()
        self._weight = 1 + sum(map(sum, self._follows))

    def cost_of(self, order: Sequence[int]) -> int:
        """Return the cost of an order of player indices by seat."""
        seats = sum(self._seats[one][seat] for seat, one in enumerate(order))
        follows = sum(self._follows[order[seat - 1]][one] for seat, one in enumerate(order))
        return int(self._weight * seats + follows)

    def cost_after_swap(self, order: Sequence[int], one: int, other: int) -> int:
        """Return the cost after two seats swap their players."""
        changed = list(order)
        changed[one], changed[other] = order[other], order[one]
        return self.cost_of(changed)
