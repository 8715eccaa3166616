"""The standings of a pool: one row a bot, those with a certain rating first."""

from dataclasses import replace

import pytest

from arena.competition.pools.live_ratings import LiveRatings
from arena.competition.pools.ports import RATED_GAMES, PlayedGame, RatingRow
from arena.competition.pools.standings import count_versions, order_standings
from arena.match.referee.ports import MatchId

CERTAIN = RatingRow("ann", "1", 1600.0, 25.0, 100, MatchId("M1"), 1550.0, 1650.0)


def row(bot: str, rating: float = 1500.0, **changes: object) -> RatingRow:
    """Return a certain rating with an interval of 50 points to either side."""
    return replace(CERTAIN, bot=bot, rating=rating, low=rating - 50, high=rating + 50, **changes)  # type: ignore[arg-type]  # each test names fields


def names(standings: list[RatingRow]) -> list[str]:
    return [each.bot for each in standings]


def test_ranked_bots_come_first_each_group_by_rating():
    fitted = [row("low", 1400), row("new", 1900, games=5), row("top", 1700), row("newer", 1300, games=1)]

    standings = order_standings(fitted)

    assert names(standings) == ["top", "low", "new", "newer"]
    assert [each.is_provisional for each in standings] == [False, False, True, True]


@pytest.mark.parametrize(
    ("low", "high", "games", "is_provisional"),
    [
        (1400.0, 1600.0, 30, False),
        (1400.0, 1600.0, 29, True),
        (1399.9, 1600.0, 30, True),
        (1400.0, 1600.1, 30, True),
        (None, 1600.0, 1000, True),
        (1400.0, None, 1000, True),
    ],
)
def test_provisional_is_a_wide_or_unknown_interval_or_few_games(
    low: float | None, high: float | None, games: int, is_provisional: bool
):
    (standing,) = order_standings([replace(CERTAIN, rating=1500.0, low=low, high=high, games=games)])

    assert standing.is_provisional is is_provisional
    assert (standing.low, standing.high, standing.games) == (low, high, games)


def test_bot_has_one_row_for_the_version_that_played_last():
    fitted = [
        row("ann", 1700, version="1", last_match=MatchId("M1")),
        row("ann", 1400, version="3", last_match=MatchId("M3")),
        row("ann", 1900, version="2", last_match=MatchId("M2")),
    ]

    (standing,) = order_standings(fitted)

    assert (standing.version, standing.rating) == ("3", 1400)


def test_bot_without_a_game_in_the_season_is_left_out():
    """Before its first fit, a season begins at the ratings of the season before."""
    live = LiveRatings(2)
    live.start_from([row("ann", games=0), row("bob", games=0), row("cid", games=0)], [])
    live.add_game([("ann", "1"), ("bob", "1")], [1, 2])

    standings = order_standings([], live)

    assert names(standings) == ["ann", "bob"]
    assert [each.games for each in standings] == [1, 1]
    assert all(each.is_provisional for each in standings)


def test_live_estimate_counts_where_it_is_newer_than_the_fit():
    fitted = [row("ann", 1600), row("bob", 1500), row("cid", 1400)]
    game = PlayedGame(MatchId("M9"), 0, (("ann", "1"), ("bob", "1")), (2, 1))
    live = LiveRatings(2)
    live.start_from(fitted, [game])

    standings = {each.bot: each for each in order_standings(fitted, live)}

    assert standings["ann"].rating < 1600
    assert standings["bob"].rating > 1500
    assert standings["ann"].games == standings["bob"].games == 101
    assert standings["cid"] == order_standings([fitted[2]])[0]
    low, high = standings["ann"].low, standings["ann"].high
    assert low is not None
    assert high is not None
    assert low < standings["ann"].rating < high


def test_live_estimate_has_no_more_games_that_count_than_the_fit_and_the_games_since():
    fitted = [row("ann", games=40, figures={RATED_GAMES: 5.0}), row("bob")]
    live = LiveRatings(2)
    live.start_from(fitted, [PlayedGame(MatchId("M9"), 0, (("ann", "1"), ("bob", "1")), (1, 2))])

    standings = {each.bot: each for each in order_standings(fitted, live)}

    assert (standings["ann"].games, standings["ann"].rated_games) == (41, 6)
    assert standings["ann"].is_provisional


def test_versions_that_played_are_counted_in_the_fit_and_since():
    fitted = [row("ann", version="1"), row("ann", version="2"), row("bob", games=0)]
    live = LiveRatings(2)
    live.start_from(fitted, [PlayedGame(MatchId("M9"), 0, (("ann", "3"), ("bob", "1")), (1, 2))])

    assert count_versions(fitted, live) == {"ann": 3, "bob": 1}


def test_new_version_takes_the_row_of_its_bot_with_its_first_game():
    fitted = [row("ann", 1600), row("bob", 1500)]
    live = LiveRatings(2)
    live.start_from(fitted, [])
    live.add_game([("ann", "2"), ("bob", "1")], [1, 2])

    standings = {each.bot: each for each in order_standings(fitted, live)}

    assert (standings["ann"].version, standings["ann"].games) == ("2", 1)
    assert standings["ann"].is_provisional


def test_bot_of_whose_strength_nothing_is_known_stands_last():
    unknown = replace(CERTAIN, bot="zoe", rating=1900.0, low=None, high=None, games=1)
    guessed = replace(CERTAIN, bot="bob", rating=1400.0, low=1200.0, high=1600.0, games=9)

    assert [each.bot for each in order_standings([unknown, guessed, CERTAIN])] == ["ann", "bob", "zoe"]
