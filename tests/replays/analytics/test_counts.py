"""Counts that add up and stay small."""

import json
from random import Random

from arena.games.cheat.analysis.analyzer import cheat_luck
from arena.games.cheat.rules.cards import hand_from_cards, read_cards
from arena.replays.analytics.counts import (
    AnalyticsTotals,
    PairSums,
    PairTreatment,
    SeatAnalytics,
    drop_zeros,
)
from arena.replays.analytics.expected_calls import ChanceCounter
from tests.replays.analytics.talk import Field


def test_zeros_are_not_stored():
    assert drop_zeros({"lies": [0, 2, 0], "claims": [0, 0], "luck": [0.12345]}) == {"lies": [0, 2], "luck": [0.123]}


def test_stored_counts_read_back():
    seat = SeatAnalytics({"games": [1], "lies": [0, 2]}, (PairTreatment(), PairTreatment(3, 1, 0.5, 0.25)))

    totals = AnalyticsTotals()
    totals.add_plain(["a", "b"], [json.loads(json.dumps(seat.to_plain())), SeatAnalytics({}).to_plain()])

    assert totals.counts == {"a": seat.counts}
    assert totals.pairs["a", "b"][:5] == (1, 3, 1, 0.5, 0.25)


def test_dealings_are_summed_by_name_with_their_squares():
    """Two games of three: a calls b twice and once, where 1 and 3 calls were expected."""
    gathered = AnalyticsTotals()
    gathered.add_game("ab", [SeatAnalytics({}, (PairTreatment(), PairTreatment(4, 2, 1, 0.5))), SeatAnalytics({})])
    gathered.add_game("ba", [SeatAnalytics({}), SeatAnalytics({}, (PairTreatment(6, 1, 3, 0.5), PairTreatment()))])

    assert gathered.pairs == {("a", "b"): PairSums(2, 10, 3, 4, 1, 4 + 1, 2 + 3, 1 + 9)}


def test_sums_of_parts_add_up_to_the_whole():
    parts = [Field(4, Random(seed)).league(3) for seed in (1, 2)]
    whole = AnalyticsTotals()
    for seed in (1, 2):
        whole += Field(4, Random(seed)).league(3)

    parts[0] += parts[1]

    assert (parts[0].counts, parts[0].pairs) == (whole.counts, whole.pairs)
    assert parts[0].counts["bot0"] == {"games": [6]}


def test_calls_are_drawn_from_an_urn_of_equal_chances():
    """Of six equal chances, two of them against seat 1, three were taken: one call of seat 1 is expected.

    The variance is 3 * 2/6 * 4/6 * 3/5 = 0.4, of the hypergeometric distribution. Other claims do not count.
    """
    choices = ChanceCounter(3)
    for other, is_taken in [(1, True), (1, False), (2, True), (2, True), (2, False), (2, False)]:
        choices.add_chance("alike", other, is_taken)
    choices.add_chance("unlike", 1, is_taken=True)

    _, one, two = choices.treatments()

    assert (one.chances, one.taken, one.expected) == (3, 2, 2.0)
    assert (two.chances, two.taken, two.expected) == (4, 2, 2.0)
    assert round(one.variance, 9) == round(two.variance, 9) == 0.4


def test_luck_counts_moves_of_whole_ranks():
    """Three kings and a joker are one move; jokers alone are one too; the mean of 1, 4 and 1 is 2."""
    hands = ["KS KD KC JK", "AS 2S 3S 4S", "JK JK"]

    assert cheat_luck([hand_from_cards(read_cards(hand.split())) for hand in hands]) == [1, -2, 1]
