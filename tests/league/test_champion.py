import numpy as np

from arena.league.champion import Champion
from arena.league.standings import compute_standings
from arena.league.tie_breaks import TieBreak
from tests.league.leagues import block, play_league

EIGHT = [f"bot{number}" for number in range(8)]


def test_clear_leader_is_champion():
    results = play_league(np.random.default_rng(1), [3.0, 0, 0, 0, 0, 0, 0, 0], 60)

    assert compute_standings(EIGHT, results, seed=b"seed").champion == Champion("bot0", "clear lead", ("bot0",))


def equals():
    """Ann has the best score by a hair, and bob was ahead of it where they met; cid is far behind."""
    lines = ["ann 2 | bob 1 | cid 3"] * 6 + ["ann 1 | bob 3 | cid 2"] * 4 + ["ann 2 | bob 1 | cid 3"] * 2
    return [block(number, line) for number, line in enumerate(lines)]


def test_tie_break_decides_among_those_inseparable_from_the_first():
    """Ann has 4 + 8/2 of 12 points, bob 8 of 12: so they are level, and head-to-head is 8 to 4 for bob."""
    table = compute_standings(["ann", "bob", "cid"], equals(), seed=b"seed")

    assert table.champion is not None
    assert (table.champion.name, table.champion.by) == ("bob", TieBreak.HEAD_TO_HEAD)
    assert set(table.champion.contenders) == {"ann", "bob"}


def test_champion_need_not_have_the_best_score_where_scores_prove_nothing():
    lead = block(99, "ann 1 | cid 2 | dan 3")

    table = compute_standings(["ann", "bob", "cid", "dan"], [*equals(), lead], seed=b"seed")

    assert table.rows[0].name == "ann"
    assert not table.rows[0].is_separable
    assert table.champion == Champion("bob", TieBreak.HEAD_TO_HEAD, ("ann", "bob"))


def test_play_off_decides_before_any_tie_break():
    play_off = [block(100 + number, "ann 1 | bob 2", label="play-off") for number in range(3)]

    table = compute_standings(["ann", "bob", "cid"], [*equals(), *play_off], seed=b"seed", contenders=["ann", "bob"])

    assert table.champion is not None
    assert (table.champion.name, table.champion.by) == ("ann", "play-off")
    assert {row.name: row.games for row in table.rows}["ann"] == 12, "it does not count in the table"


def test_level_play_off_leaves_it_to_the_tie_breaks():
    play_off = [block(100, "ann 1 | bob 2", label="play-off"), block(101, "bob 1 | ann 2", label="play-off")]

    table = compute_standings(["ann", "bob", "cid"], [*equals(), *play_off], seed=b"seed", contenders=["ann", "bob"])
    champion = table.champion

    assert champion is not None
    assert (champion.name, champion.by) == ("bob", TieBreak.HEAD_TO_HEAD)


def test_entrant_that_only_fills_a_play_off_table_cannot_win_it():
    play_off = [block(100, "cid 1 | ann 2 | bob 3", label="play-off")]

    table = compute_standings(["ann", "bob", "cid"], [*equals(), *play_off], seed=b"seed", contenders=["ann", "bob"])

    assert table.champion == Champion("ann", "play-off", ("bob", "ann"))


def test_entrant_with_few_games_is_no_rival():
    """One lucky game proves nothing: it cannot be separated from the others, but it does not earn a title."""
    results = [block(number, "ann 1 | bob 2 | cid 3") for number in range(30)]
    results += [block(30, "new 1 | ann 2 | bob 3")]

    table = compute_standings(["ann", "bob", "cid", "new"], results, seed=b"seed")

    assert table.rows[0].name == "new", "by its one score"
    assert table.champion is not None
    assert table.champion.name == "ann"


def test_disqualified_entrants_cannot_be_champions():
    results = play_league(np.random.default_rng(1), [3.0, 0, 0, 0, 0, 0, 0, 0], 60)

    champion = compute_standings(EIGHT, results, seed=b"seed", disqualified=["bot0"]).champion

    assert champion is not None
    assert "bot0" not in champion.contenders
