import numpy as np
import pytest

from arena.competition.league.champion import Champion
from arena.competition.league.field import Departed
from arena.competition.league.standings import compute_standings
from arena.competition.league.standings_inputs import PlayOffTerms
from arena.competition.league.tie_breaks import TieBreak
from tests.competition.league.leagues import block, play_league, table

EIGHT = [f"bot{number}" for number in range(8)]


def test_clear_leader_is_champion():
    results = play_league(np.random.default_rng(1), [3.0, 0, 0, 0, 0, 0, 0, 0], 60)

    champion = compute_standings(EIGHT, results, seed=b"seed").champion

    assert champion is not None
    assert (champion.name, champion.by, champion.contenders) == ("bot0", "clear lead", ("bot0",))


def equals():
    """Ann has the best score by a hair, and bob was ahead of it where they met; cid is far behind."""
    lines = ["ann 2 | bob 1 | cid 3"] * 6 + ["ann 1 | bob 3 | cid 2"] * 4 + ["ann 2 | bob 1 | cid 3"] * 2
    return [block(number, line) for number, line in enumerate(lines)]


def test_tie_break_decides_between_equal_scores():
    """Ann has 4 + 8/2 of 12 points, bob 8 of 12: so they are level, and head-to-head is 8 to 4 for bob."""
    champion = compute_standings(["ann", "bob", "cid"], equals(), seed=b"seed").champion

    assert champion is not None
    assert (champion.name, champion.by) == ("bob", TieBreak.HEAD_TO_HEAD)
    assert set(champion.contenders) == {"ann", "bob"}


def test_higher_score_is_champion_whatever_the_tie_breaks_say():
    """Bob is ahead head-to-head, and the lead of ann may be luck: but tie-breaks are for equal scores only."""
    lead = block(99, "ann 1 | cid 2 | dan 3")

    standings = compute_standings(["ann", "bob", "cid", "dan"], [*equals(), lead], seed=b"seed")

    assert not standings.rows[0].is_separable
    assert standings.champion is not None
    assert (standings.rows[0].name, standings.champion.name, standings.champion.by) == ("ann", "ann", "score")
    assert standings.champion.contenders == ("ann", "bob")
    assert standings.champion.certainty is not None
    assert 0.4 < standings.champion.certainty < 0.8


def test_first_of_the_standings_is_champion():
    for number in range(20):
        results = play_league(np.random.default_rng(number), [0.3, 0.2, 0.1, 0, 0, 0, 0, 0], 15)
        standings = compute_standings(EIGHT, results, seed=b"seed", draw_count=50)

        assert standings.champion is not None
        assert standings.champion.name == standings.rows[0].name


def test_equals_with_symmetric_results_are_as_likely_best():
    lines = ["ann 1 | bob 2", "bob 1 | ann 2"] * 20

    champion = compute_standings(
        ["ann", "bob"], [block(number, line) for number, line in enumerate(lines)], seed=b"seed", draw_count=4000
    ).champion

    assert champion is not None
    assert champion.certainty == pytest.approx(0.5, abs=0.03)


def test_luck_of_the_leader_counts_as_luck():
    """The leader of twelve equal bots is the best with a probability of 1 in 12; no leader gets less."""
    found = []
    for number in range(40):
        results = play_league(np.random.default_rng(number), [0.0] * 12, 40, tables=1)
        names = [f"bot{number}" for number in range(12)]
        champion = compute_standings(names, results, seed=b"seed", draw_count=100).champion
        assert champion is not None
        found.append(champion.certainty or 0)

    assert np.mean(found) < 0.25, "the draws alone would say 0.40"
    assert min(found) > 1 / 12 - 0.01


def test_bot_clearly_behind_takes_nothing_from_level_ones():
    """Ann and bob are level; cid is far behind, and cannot be the best, although the halves of three are small."""
    champion = compute_standings(["ann", "bob", "cid"], equals(), seed=b"seed").champion

    assert champion is not None
    assert champion.certainty == pytest.approx(0.5, abs=0.05)


def test_clear_leader_is_nearly_certain():
    results = play_league(np.random.default_rng(1), [3.0, 0, 0, 0, 0, 0, 0, 0], 60)
    champion = compute_standings(EIGHT, results, seed=b"seed").champion

    assert champion is not None
    assert champion.certainty is not None
    assert champion.certainty > 0.99


@pytest.mark.parametrize(("games", "most"), [(1, 0.7), (2, 0.82), (6, 0.975), (30, 1.0)])
def test_few_games_prove_little_even_if_one_always_wins(games, most):
    results = [block(number, "ann 1 | bob 2") for number in range(games)]
    champion = compute_standings(["ann", "bob"], results, seed=b"seed").champion

    assert champion is not None
    assert champion.certainty == pytest.approx(most, abs=0.01)
    assert (champion.by == "clear lead") == (games > 6), "so says the interval"


def test_all_alike_are_equally_likely_the_best():
    results = [block(number, "ann 1 | bob 1 | cid 1 | dan 1") for number in range(30)]
    champion = compute_standings(["ann", "bob", "cid", "dan"], results, seed=b"seed").champion

    assert champion is not None
    assert champion.by == TieBreak.LOTS
    assert champion.certainty == pytest.approx(0.25)


def test_bot_that_always_forfeits_changes_nothing_at_the_top():
    results = [
        block(number, table(f"{one} 1 | {two} 2 | gone 3", forfeits="gone"))
        for number, (one, two) in enumerate([("ann", "bob"), ("bob", "ann"), ("ann", "bob")] * 5)
    ]
    champion = compute_standings(["ann", "bob", "gone"], results, seed=b"seed").champion

    assert champion is not None
    assert (champion.name, champion.by, champion.contenders) == ("ann", "score", ("ann", "bob"))


def test_two_hundred_entrants_in_a_hundred_games_prove_nothing():
    results = play_league(np.random.default_rng(1), [0.0] * 200, 50)
    standings = compute_standings([f"bot{number}" for number in range(200)], results, seed=b"seed", draw_count=200)

    assert standings.champion is not None
    assert standings.champion.name == standings.rows[0].name
    assert len(standings.champion.contenders) > 50
    assert standings.champion.certainty is not None
    assert standings.champion.certainty < 0.6


def test_only_entrant_left_is_certain():
    results = [block(number, "ann 1 | bob 2") for number in range(3)]
    champion = compute_standings(["ann", "bob"], results, seed=b"seed", departed=Departed(frozenset({"ann"}))).champion

    assert champion == Champion("bob", "clear lead", ("bob",), 1.0)


def test_play_off_decides_before_any_tie_break():
    play_off = [block(100 + number, "ann 1 | bob 2", label="play-off") for number in range(3)]

    standings = compute_standings(
        ["ann", "bob", "cid"], [*equals(), *play_off], seed=b"seed", play_off=PlayOffTerms(["ann", "bob"])
    )

    assert standings.champion is not None
    assert (standings.champion.name, standings.champion.by) == ("ann", "play-off")
    assert {row.name: row.games for row in standings.rows}["ann"] == 12, "it does not count in the table"


def test_level_play_off_leaves_it_to_the_tie_breaks():
    play_off = [block(100, "ann 1 | bob 2", label="play-off"), block(101, "bob 1 | ann 2", label="play-off")]

    standings = compute_standings(
        ["ann", "bob", "cid"], [*equals(), *play_off], seed=b"seed", play_off=PlayOffTerms(["ann", "bob"])
    )
    champion = standings.champion

    assert champion is not None
    assert (champion.name, champion.by) == ("bob", TieBreak.HEAD_TO_HEAD)


def test_entrant_that_only_fills_a_play_off_table_cannot_win_it():
    play_off = [block(100, "cid 1 | ann 2 | bob 3", label="play-off")]

    standings = compute_standings(
        ["ann", "bob", "cid"], [*equals(), *play_off], seed=b"seed", play_off=PlayOffTerms(["ann", "bob"])
    )

    assert standings.champion == Champion("ann", "play-off", ("bob", "ann"))


def test_entrant_with_few_games_is_no_rival():
    """One lucky game proves nothing: it cannot be separated from the others, but it does not earn a title."""
    results = [block(number, "ann 1 | bob 2 | cid 3") for number in range(30)]
    results += [block(30, "new 1 | ann 2 | bob 3")]

    standings = compute_standings(["ann", "bob", "cid", "new"], results, seed=b"seed")

    assert standings.rows[0].name == "new", "by its one score"
    assert standings.champion is not None
    assert standings.champion.name == "ann"


def test_withdrawn_entrant_keeps_its_place_and_is_no_champion():
    results = play_league(np.random.default_rng(1), [3.0, 2.0, 0, 0, 0, 0, 0, 0], 60)

    standings = compute_standings(EIGHT, results, seed=b"seed", departed=Departed(withdrawn=frozenset({"bot0"})))

    assert [(row.place, row.name) for row in standings.rows[:2]] == [(1, "bot0"), (2, "bot1")]
    assert standings.champion is not None
    assert (standings.champion.name, standings.champion.contenders) == ("bot1", ("bot1",))
    assert standings.champion.withdrawn == ("bot0",)


def test_league_that_all_have_left_has_no_champion():
    gone = Departed(withdrawn=frozenset({"ann", "bob"}))

    assert compute_standings(["ann", "bob"], [block(1, "ann 1 | bob 2")], seed=b"", departed=gone).champion is None


def test_disqualified_entrants_cannot_be_champions():
    results = play_league(np.random.default_rng(1), [3.0, 0, 0, 0, 0, 0, 0, 0], 60)

    champion = compute_standings(EIGHT, results, seed=b"seed", departed=Departed(frozenset({"bot0"}))).champion

    assert champion is not None
    assert "bot0" not in champion.contenders
