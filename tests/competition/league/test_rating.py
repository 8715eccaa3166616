from itertools import pairwise

import numpy as np
import pytest

from arena.competition.league.elo_scale import POINTS_PER_THETA
from arena.competition.league.estimates import Interval
from arena.competition.league.judgement import Judgement
from arena.competition.league.rating import Rating, compute_ratings, compute_ratings_over_time
from tests.competition.league.leagues import block, play_league, where_only_the_winner_is_found


def by_name(results, **options):
    """Return the rows by name."""
    return {row.name: row for row in compute_ratings(results, seed=b"seed", **options).rows}


def test_four_hundred_points_are_odds_of_ten_to_one():
    """Elo's scale: ann came in ahead of bob ten times as often as behind."""
    wins = [block(2 * number, "ann 1 | bob 2", "cid 1 | dan 2") for number in range(1, 1001)]
    turned = [block(2 * number + 1, "bob 2 | ann 1", "dan 2 | cid 1") for number in range(1, 1001)]
    upsets = [block(2 * number, "ann 2 | bob 1", "cid 2 | dan 1") for number in range(1001, 1101)]
    turned_upsets = [block(2 * number + 1, "bob 1 | ann 2", "dan 1 | cid 2") for number in range(1001, 1101)]

    rows = by_name(wins + turned + upsets + turned_upsets, draw_count=20)

    assert rows["ann"].rating - rows["bob"].rating == pytest.approx(400, abs=1)
    assert rows["ann"].rating + rows["bob"].rating == pytest.approx(3000)


@pytest.mark.parametrize(("seats", "old_share"), [(3, 0.57), (4, 0.38), (5, 0.29)])
def test_points_mean_the_same_where_only_the_winner_is_found(seats, old_share):
    """Leagues with the old judgement draw the ratings together."""
    theta = [0.8, 0.4, 0, -0.4, -0.8]
    results = where_only_the_winner_is_found(
        play_league(np.random.default_rng(seats), theta, 4000, tables=1, seats=seats)
    )
    spread = 1.6 * POINTS_PER_THETA

    new, old = (by_name(results, draw_count=2, judgement=each) for each in (Judgement.NEW, Judgement.OLD))

    assert new["bot0"].rating - new["bot4"].rating == pytest.approx(spread, rel=0.15)
    assert old["bot0"].rating - old["bot4"].rating == pytest.approx(old_share * spread, rel=0.15)


def test_known_strengths_are_recovered():
    """Five bots, 150 points from one to the next, in 2 000 blocks."""
    theta = np.array([2, 1, 0, -1, -2]) * 150 * np.log(10) / 400

    found = compute_ratings(
        play_league(np.random.default_rng(1), theta.tolist(), 2000, tables=1), seed=b"", draw_count=20
    )

    assert [row.name for row in found.rows] == ["bot0", "bot1", "bot2", "bot3", "bot4"]
    assert [row.rating for row in found.rows] == pytest.approx([1800, 1650, 1500, 1350, 1200], abs=25)
    assert found.win_probability("bot1", "bot2") == pytest.approx(1 / (1 + 10 ** (-150 / 400)), abs=0.03)
    assert found.win_probability("bot2", "bot1") == pytest.approx(1 / (1 + 10 ** (150 / 400)), abs=0.03)


def test_seat_terms_are_estimated_apart_from_strengths():
    source = np.random.default_rng(2)
    results = play_league(source, [0.5, 0, 0, 0, 0, -0.5, 0.2, -0.2], 1500, seat_terms=[0.3, 0.1, -0.1, -0.3])

    terms = compute_ratings(results, seed=b"", draw_count=2).seat_terms

    assert sum(terms) == pytest.approx(0, abs=1e-6)
    assert terms == pytest.approx([52, 17, -17, -52], abs=15)


def test_entrants_not_linked_by_tables_are_not_rated_against_each_other():
    """Bob links ann and cid, who never met; dan and eve have no link to them."""
    results = [
        block(1, "ann 1 | bob 2"),
        block(2, "cid 2 | bob 1"),
        block(3, "dan 1 | eve 2"),
        block(4, "eve 2 | dan 1"),
    ]

    found = compute_ratings(results, seed=b"seed", draw_count=100)

    assert [(row.name, row.group) for row in found.rows] == [("ann", 0), ("bob", 0), ("cid", 0), ("dan", 1), ("eve", 1)]
    assert found.win_probability("ann", "cid") is not None
    assert found.win_probability("ann", "dan") is None
    assert not found.are_separable("ann", "eve")
    assert sum(row.rating for row in found.rows[3:]) == pytest.approx(3000), "each group has the mean of the scale"


def test_entrant_that_was_never_ahead_has_no_lower_bound():
    """One that was never behind has no upper bound; where both happened there are two bounds."""
    results = [block(number, "ann 1 | bob 2 | cid 3", "dan 2 | eve 1 | bea 3") for number in (1, 2, 3)]
    results += [block(number, "bob 2 | ann 1 | cid 3", "dan 1 | eve 2 | bea 3") for number in (4, 5, 6)]

    rows = by_name(results, draw_count=100)

    assert (rows["ann"].interval.low is None, rows["ann"].interval.high is None) == (False, True)
    assert (rows["bob"].interval.low is None, rows["bob"].interval.high is None) == (False, False)
    assert (rows["cid"].interval.low is None, rows["cid"].interval.high is None) == (True, False)


def test_sharing_the_last_place_tells_nothing_of_each_other():
    """Cid and dan were never ahead of anybody, so no game says how weak they are; eve and fay only drew."""
    results = [
        block(number, f"{one} 1 | {two} 2 | cid 2 | dan 2")
        for one, two in (("ann", "bob"), ("bob", "ann"))
        for number in range(10)
    ]
    results += [block(number, "eve 1 | fay 1 | gus 1 | hal 1") for number in range(9)]

    rows = by_name(results, draw_count=50)

    assert rows["cid"].interval.low is None
    assert rows["ann"].interval.low is not None
    assert rows["eve"] == Rating("eve", 1500, Interval(None, None), rows["eve"].group)
    assert len({rows[name].group for name in ("ann", "eve", "fay", "gus", "hal")}) == 5


def test_losing_the_only_two_games_does_not_prove_weakness():
    """Among four equals that happens to one in sixteen."""
    results = play_league(np.random.default_rng(3), [0.0] * 7, 60, tables=1)
    results += [block(61, "bot0 1 | bot1 2 | bot2 3 | new 4"), block(62, "bot3 1 | new 4 | bot4 2 | bot5 3")]

    found = compute_ratings(results, seed=b"seed", draw_count=100)

    assert not found.are_separable("new", "bot3")
    assert found.rows[-1].name == "new"
    assert found.rows[-1].interval == Interval(None, None)


@pytest.mark.parametrize(("games", "is_weaker"), [(6, False), (48, True)])
def test_never_winning_proves_as_much_as_chance_allows(games, is_weaker):
    """Of equals at tables of four, one wins none of 6 games in 18 %, and none of 48 in one of a million."""
    results = []
    for number in range(games):
        winner, shift = ("ann", "bob", "cid")[number % 3], number // 3 % 4
        names = ["ann", "bob", "cid", "eve"]
        seats = names[shift:] + names[:shift]
        results.append(block(number, " | ".join(f"{name} {1 if name == winner else 2}" for name in seats)))

    rated = compute_ratings(results, seed=b"seed", draw_count=200)

    assert rated.rows[-1].name == "eve"
    assert [rated.are_separable(name, "eve") for name in ("ann", "bob", "cid")] == [is_weaker] * 3


def test_ratings_do_not_depend_on_the_order_in_which_blocks_ended():
    results = play_league(np.random.default_rng(4), [0.4, 0.1, 0, 0, -0.1, -0.2, -0.2, 0], 30)

    found, turned = (compute_ratings(order, seed=b"seed", draw_count=50) for order in (results, results[::-1]))

    assert found.rows == turned.rows


def test_another_seed_yields_other_intervals_of_the_same_ratings():
    results = play_league(np.random.default_rng(4), [0.4, 0.1, 0, 0, -0.1, -0.2, -0.2, 0], 30)

    one, other = (compute_ratings(results, seed=seed, draw_count=50) for seed in (b"one", b"other"))

    assert [row.rating for row in one.rows] == [row.rating for row in other.rows]
    assert [row.interval for row in one.rows] != [row.interval for row in other.rows]


def test_separability_is_stated_for_neighbours():
    """bot0 is far ahead, the others are equal."""
    found = compute_ratings(
        play_league(np.random.default_rng(5), [2.0, 0, 0, 0, 0, 0, 0, 0], 100), seed=b"seed", draw_count=200
    )

    assert found.rows[0].is_separable
    assert [row.is_separable for row in found.rows[1:]].count(True) <= 2, "the last row, and perhaps one by chance"
    assert all(row.rating >= following.rating for row, following in pairwise(found.rows))


def test_intervals_narrow_with_the_root_of_the_number_of_games():
    strengths = [0.5, 0.2, 0, 0, 0, -0.1, -0.2, -0.4]
    widths = []
    for count in (100, 400):
        rows = compute_ratings(
            play_league(np.random.default_rng(6), strengths, count), seed=b"seed", draw_count=200
        ).rows
        widths.append(np.mean([(row.interval.high or 0) - (row.interval.low or 0) for row in rows]))

    assert widths[0] / widths[1] == pytest.approx(2, rel=0.15)


def test_ratings_over_time_use_the_blocks_up_to_then():
    late = [block(number, "ann 1 | bob 2 | cid 3", "dan 1 | eve 2 | fay 3") for number in range(21, 41)]
    results = [*play_league(np.random.default_rng(2), [0.5, 0.2, -0.7], 20, tables=1, seats=3), *late]

    early, whole = compute_ratings_over_time(results, {20: 50, 40: 50}, seed=b"seed")

    alone = compute_ratings(results[:20], seed=b"seed", draw_count=50)
    assert [row.name for row in early.rows] == [row.name for row in alone.rows]
    assert {row.name for row in early.rows} == {"bot0", "bot1", "bot2"}
    assert [row.rating for row in early.rows] == pytest.approx([row.rating for row in alone.rows], abs=0.01)
    assert whole.rows == compute_ratings(results, seed=b"seed", draw_count=50).rows
