"""How long games were, and which of them ended at the turn limit."""

from arena.games.catalogue import games
from arena.match.referee.game_lengths import GameLengths, measure_games, turn_limit_of
from arena.match.referee.match_order import MatchOrder, terms_from_order


def test_games_at_the_limit_are_counted_and_the_median_is_of_all():
    measured = measure_games([("max_turns", 2000), ("finished", 40), ("max_turns", 2000), ("finished", 60)], 2000)

    assert measured == GameLengths(game_count=4, stopped_count=2, median_turns=1030, turn_limit=2000)


def test_unknown_numbers_of_turns_are_left_out():
    assert measure_games([("finished", 0), ("finished", 40)]) == GameLengths(2, 0, 40)
    assert measure_games([("finished", 0)]) == GameLengths(1, 0, None)
    assert measure_games([]) == GameLengths(0, 0, None)


def test_limit_is_an_option_of_the_rules():
    """The default of both games is 2000."""
    pair = ("a", "b")

    assert turn_limit_of(terms_from_order(MatchOrder(pair, options={"max_turns": "70"}), games())) == 70
    assert turn_limit_of(terms_from_order(MatchOrder(pair, "cheater", "cheater"), games())) == 2000
