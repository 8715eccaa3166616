from itertools import groupby, pairwise, permutations, product
from math import exp, factorial, log

import numpy as np
import pytest

from arena.competition.league.plackett_luce import PSEUDO_COUNT, Finish, PlackettLuceModel, RankingChoices, fit_model

GAMES = [
    Finish(0, (0, 1, 2), (1, 2, 3)),
    Finish(0, (1, 3, 0), (2, 1, 2)),
    Finish(1, (2, 3, 1), (1, 1, 3)),
    Finish(2, (3, 0, 2), (1, 1, 1)),
    Finish(3, (1, 2, 0), (3, 1, 2)),
    Finish(3, (2, 0, 3), (2, 3, 1)),
]
"""Four entrants at tables of three, with every kind of tie."""


def log_chance(order, strength, choices):
    """Return the logarithm of the chance of the first choices of an order, from the definition: one by one."""
    total, left = 0.0, list(order)
    for seat in order[:choices]:
        total += strength[seat] - log(sum(exp(strength[other]) for other in left))
        left.remove(seat)
    return total


def log_likelihood(games, terms, entrant_count, weights):
    """Return what the fit is to make as large as it can be, from the definition.

    Ties are the mean over all orders. Of those who share the last place, it only counts that others were chosen.
    """
    total = sum(PSEUDO_COUNT * (-log(1 + exp(-term)) - log(1 + exp(term))) for term in terms)
    for game in games:
        strength = [terms[entrant] + terms[entrant_count + seat] for seat, entrant in enumerate(game.entrants)]
        seats = sorted(range(len(game.places)), key=game.places.__getitem__)
        ties = [list(tie) for _, tie in groupby(seats, key=game.places.__getitem__)]
        orders = [sum(order, ()) for order in product(*(permutations(tie) for tie in ties))]
        decided = len(seats) - len(ties[-1])
        total += weights[game.block] * sum(log_chance(order, strength, decided) for order in orders) / len(orders)
    return total


def climb(height, start):
    """Return where a function has its top: steps along each axis that shorten where none leads up."""
    here, best, step = list(start), height(start), 0.5
    while step > 1e-6:
        moved = False
        for axis, sign in product(range(len(here)), (1, -1)):
            there = [*here]
            there[axis] += sign * step
            if (its := height(there)) > best:
                here, best, moved = there, its, True
        step = step if moved else step / 2
    return here


def of_two(wins: float, defeats: float):
    """Return theta of the first and the second after this many wins of the first, half of them in each seat."""
    won, lost = [(0, (0, 1), (1, 2)), (0, (1, 0), (2, 1))], [(1, (0, 1), (2, 1)), (1, (1, 0), (1, 2))]
    model = PlackettLuceModel.from_finishes([Finish(*game) for game in won + lost], 2, 2)
    return fit_model(model, np.array([wins / 2, defeats / 2, *[1.0] * 4])).terms[:2]


def test_difference_of_two_is_the_log_ratio_of_wins_to_defeats():
    """P(win) = 1 / (1 + exp -d), so the fit to 3 : 1 is log 3; with this many games the ghost has no influence."""
    theta = of_two(300_000, 100_000)

    assert theta[0] - theta[1] == pytest.approx(log(3), abs=1e-5)


def test_ghost_pulls_two_with_few_games_by_its_weight():
    """With theta = d/2 and -d/2: 6 - 8 / (1 + exp -d) + 0.1 * (1 - 2 / (1 + exp -d/2)) is 0."""
    theta = of_two(6, 2)

    d = theta[0] - theta[1]
    assert theta[0] == pytest.approx(-theta[1])
    assert 6 - 8 / (1 + exp(-d)) + 0.1 * (1 - 2 / (1 + exp(-d / 2))) == pytest.approx(0, abs=1e-6)


def test_fit_agrees_with_a_generic_optimiser():
    """The likelihood is written from its definition, order by order, and climbed without derivatives."""
    model = PlackettLuceModel.from_finishes(GAMES, 4, 3)
    weights = np.array([0.7, 1.9, 0.4, 1.0, *[1.0] * 8])

    terms = fit_model(model, weights).terms

    assert terms == pytest.approx(climb(lambda at: log_likelihood(GAMES, at, 4, weights), [0.0] * 7), abs=1e-4)


def test_slope_and_curvature_are_the_derivatives_of_the_likelihood():
    model, weights = PlackettLuceModel.from_finishes(GAMES, 4, 3), np.array([0.7, 1.9, 0.4, 1.0, *[1.0] * 8])
    at, step = np.array([0.3, -0.8, 1.1, 0.2, -0.1, 0.4, 0.0]), 1e-5 * np.eye(7)

    by_hand = [
        (log_likelihood(GAMES, at + one, 4, weights) - log_likelihood(GAMES, at - one, 4, weights)) / 2e-5
        for one in step
    ]
    bends = [(model.gradient(at - one, weights) - model.gradient(at + one, weights)) / 2e-5 for one in step]

    assert model.gradient(at, weights) == pytest.approx(by_hand, abs=1e-7)
    assert model.negative_hessian(at, weights) == pytest.approx(np.array(bends), abs=1e-7)


@pytest.mark.parametrize("halves_last_tie", [False, True])
@pytest.mark.parametrize("ties", [(1, 1, 1, 1), (2, 1), (1, 3), (4,), (2, 2)])
def test_choice_frequencies_equal_those_over_all_orders_that_ties_allow(ties, halves_last_tie):
    """The candidates left before each choice are counted order by order, up to the last decided place."""
    starts = [sum(ties[:number]) for number in range(len(ties))]
    groups = [range(start, start + tie) for start, tie in zip(starts, ties, strict=True)]
    orders = [sum(order, ()) for order in product(*(permutations(group) for group in groups))]
    counted: dict[frozenset[int], float] = {}
    for order in orders:
        for index in range(len(order) - (1 if halves_last_tie else ties[-1])):
            rest = frozenset(order[index:])
            counted[rest] = counted.get(rest, 0) + 1 / len(orders)

    choices = RankingChoices.from_ties(ties, halves_last_tie=halves_last_tie)

    left = [frozenset(np.flatnonzero(row).tolist()) for row in choices.left]
    found = dict(zip(left, choices.weight.tolist(), strict=True))
    assert found == pytest.approx(counted)
    assert len(orders) == np.prod([factorial(tie) for tie in ties])


def test_seats_have_terms_of_their_own():
    """All are equally strong, and seat 0 wins two times in three: log 2 apart."""
    games = [
        Finish(0, (a, b), places) for a, b in permutations(range(4), 2) for places in [(1, 2)] * 200 + [(2, 1)] * 100
    ]
    model = PlackettLuceModel.from_finishes(games, 4, 2)

    terms = fit_model(model, np.ones(model.weight_count)).terms

    assert terms[:4] == pytest.approx([0] * 4, abs=1e-6)
    assert terms[4] - terms[5] == pytest.approx(log(2), abs=1e-3)


def test_always_winning_or_losing_stays_finite_and_in_order():
    games = [Finish(0, (0, 1, 2), (1, 2, 3)), Finish(0, (1, 2, 0), (2, 3, 1)), Finish(0, (2, 0, 1), (3, 1, 2))] * 100
    model = PlackettLuceModel.from_finishes(games, 3, 3)

    theta = fit_model(model, np.ones(model.weight_count)).terms[:3]

    assert np.isfinite(theta).all()
    assert all(better > worse + 3 for better, worse in pairwise(theta.tolist()))


def test_warm_start_yields_the_same_fit():
    """It saves time and must not change the fit, however far the weights are from those of the start."""
    model = PlackettLuceModel.from_finishes(GAMES, 4, 3)
    start = fit_model(model, np.ones(model.weight_count))
    weights = np.array([5.0, 0.01, 3.0, 0.001, *[1.0] * 8])

    assert fit_model(model, weights, start).terms == pytest.approx(fit_model(model, weights).terms, abs=1e-7)
