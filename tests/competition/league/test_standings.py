import numpy as np
import pytest

from arena.competition.league.estimates import Interval
from arena.competition.league.field import Departed
from arena.competition.league.rating import compute_ratings
from arena.competition.league.standings import compute_standings
from arena.competition.league.tie_breaks import TieBreak
from arena.errors import UnknownNameError
from tests.competition.league.leagues import block, play_league, table

EIGHT = [f"bot{number}" for number in range(8)]


def rows_of(names, results, **options):
    """Return the rows of a table by name."""
    return {row.name: row for row in compute_standings(names.split(), results, seed=b"seed", **options).rows}


def test_row_summarises_an_entrants_games():
    """Ann has 1 in block 1 and 1/2 in block 2."""
    strikes = {"ann": {"late": 2}, "eve": {"late": 1, "illegal": 3}}
    results = [
        block(1, table("ann 1 | bob 2", strikes=strikes), table("cid 2 | eve 1", forfeits="cid", strikes=strikes)),
        block(2, table("bob 1 | ann 1", strikes=strikes), "eve 1 | cid 2"),
    ]

    rows = rows_of("ann bob cid eve", results)

    ann = rows["ann"]
    assert (ann.games, ann.first_places, ann.forfeits, ann.strikes) == (2, 2, 0, {"late": 4})
    assert ann.mean_place == 1.25, "first, and one of two who share places 1 and 2"
    assert ann.score == pytest.approx((1 + 1 / 2) / 2)
    assert (rows["cid"].forfeits, rows["cid"].marked_games, rows["eve"].marked_games) == (1, 0, 1)
    assert rows["eve"].strikes == {"late": 1, "illegal": 3}
    assert rows["bob"].score == pytest.approx((0 + 1 / 2) / 2)


def test_play_off_does_not_count():
    pairs = [block(number, "ann 1 | bob 2", "cid 1 | eve 2") for number in (1, 2)]
    play_off = block(4, "cid 1 | ann 2", label="play-off")
    names = "ann bob cid eve"

    assert rows_of(names, [*pairs, block(3, "cid 1 | ann 2")])["ann"].score == pytest.approx(2 / 3)
    assert rows_of(names, [*pairs, play_off])["ann"].score == 1
    assert rows_of(names, [*pairs, play_off])["ann"].games == 2


def test_best_score_is_first_and_unplayed_entrants_are_last():
    results = [block(1, "ann 3 | bob 1 | cid 2")]

    rows = compute_standings(["new", "ann", "bob", "cid"], results, seed=b"seed").rows

    assert [(row.name, row.place, row.score) for row in rows] == [
        ("bob", 1, 1),
        ("cid", 2, 0.5),
        ("ann", 3, 0),
        ("new", None, None),
    ]
    assert rows[3].interval == Interval(None, None)


def test_head_to_head_is_the_first_tie_break():
    """Both have 1/2; ann was ahead where they met."""
    results = [block(number, line) for number, line in enumerate(["ann 1 | bob 2", "bob 1 | cid 2", "cid 1 | ann 2"])]

    rows = compute_standings(["ann", "bob", "cid"], results, seed=b"", departed=Departed(frozenset({"cid"}))).rows

    assert [row.name for row in rows] == ["ann", "bob", "cid"]
    assert [row.tie_break for row in rows] == [TieBreak.HEAD_TO_HEAD, None, None]


def test_first_places_are_the_second_tie_break():
    """Both have 1/2 and never met: ann by a first and a last place of three, bob by two second places."""
    results = [block(1, "ann 1 | cid 2 | dan 3"), block(2, "cid 1 | dan 2 | ann 3")]
    results += [block(number, "cid 1 | bob 2 | dan 3") for number in (3, 4)]

    rows = [row for row in compute_standings(["bob", "dan", "ann", "cid"], results, seed=b"").rows if row.score == 0.5]

    assert [(row.name, row.tie_break) for row in rows] == [("ann", TieBreak.FIRST_PLACES), ("bob", None)]


def test_fewer_strikes_then_lots_are_the_last_tie_breaks():
    late = {"ann": {"late": 1}}
    results = [block(1, table("ann 1 | bob 1 | cid 1", strikes=late))]

    rows = compute_standings(["ann", "bob", "cid"], results, seed=b"seed").rows
    tables = [compute_standings(["ann", "bob", "cid"], results, seed=bytes([seed]), draw_count=2) for seed in range(20)]
    orders = {tuple(row.name for row in table.rows) for table in tables}

    assert [row.tie_break for row in rows] == [TieBreak.LOTS, TieBreak.STRIKES, None]
    assert orders == {("bob", "cid", "ann"), ("cid", "bob", "ann")}


def test_disqualified_entrants_come_last_without_a_place_and_their_games_count():
    results = [block(number, "ann 1 | bob 2 | cid 3") for number in (1, 2)]

    rows = compute_standings(["ann", "bob", "cid"], results, seed=b"", departed=Departed(frozenset({"ann"}))).rows

    assert [(row.name, row.place, row.is_disqualified) for row in rows] == [
        ("bob", 1, False),
        ("cid", 2, False),
        ("ann", None, True),
    ]
    assert rows[0].score == 0.5


def test_unknown_entrant_in_a_result_is_refused():
    with pytest.raises(UnknownNameError, match="unknown entrant 'eve'"):
        compute_standings(["ann"], [block(1, "ann 1 | eve 2")], seed=b"")


def test_before_the_first_game_no_entrant_has_a_place_or_leads():
    table = compute_standings(["ann", "bob"], [], seed=b"")

    assert [(row.place, row.score, row.mean_place) for row in table.rows] == [(None, None, None)] * 2
    assert table.champion is None


def test_order_of_names_and_results_does_not_matter():
    results = play_league(np.random.default_rng(1), [0.3, 0.2, 0, 0, 0, 0, -0.1, -0.4], 20)

    assert compute_standings(EIGHT, results, seed=b"seed") == compute_standings(
        EIGHT[::-1], results[::-1], seed=b"seed"
    )


def test_ratings_decide_the_order_where_configured():
    """They decide the order, the intervals, and which entrants are separable."""
    results = play_league(np.random.default_rng(2), [1.5, 0.4, 0, 0, 0, 0, -0.1, -0.4], 60)
    rated = compute_ratings(results, seed=b"seed", draw_count=50)

    table = compute_standings(EIGHT, results, seed=b"seed", ratings=rated)

    assert table.decided_by == "rating"
    assert [(row.name, row.score) for row in table.rows] == [(row.name, row.rating) for row in rated.rows]
    assert [row.is_separable for row in table.rows] == [row.is_separable for row in rated.rows]
    assert table.rows[0].interval == rated.rows[0].interval


def test_table_decided_by_ratings_leaves_unbounded_ends_open():
    """An entrant that lost every game has no lower bound."""
    turns = ("a 1 | b 2 | c 3 | d 4", "a 3 | b 1 | c 2 | d 4", "a 2 | b 3 | c 1 | d 4")
    results = [block(number, turns[number % 3]) for number in range(30)]
    rated = compute_ratings(results, seed=b"seed", draw_count=50)

    rows = compute_standings("abcd", results, seed=b"seed", ratings=rated).rows

    assert {row.name: row.interval for row in rows} == {row.name: row.interval for row in rated.rows}
    assert rows[-1].name == "d"
    assert rows[-1].interval.low is None


def test_much_better_entrant_is_separable_and_equals_are_not():
    table = compute_standings(
        EIGHT, play_league(np.random.default_rng(3), [3.0, 0, 0, 0, 0, 0, 0, -3.0], 60), seed=b"seed"
    )

    assert [table.rows[0].name, table.rows[-1].name] == ["bot0", "bot7"]
    assert [row.is_separable for row in table.rows] == [True, False, False, False, False, False, True, True]
