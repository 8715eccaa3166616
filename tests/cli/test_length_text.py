"""How long games were, in words."""

import pytest

from arena.cli.match.standings import length_text, lengths_as_dict
from arena.match.referee.game_lengths import GameLengths


@pytest.mark.parametrize(
    ("lengths", "text"),
    [
        (GameLengths(), ""),
        (GameLengths(10, 0, None, 2000), ""),
        (GameLengths(10, 0, 54.5, 2000), "54 a game (median)"),
        (GameLengths(10, 3, 1450, 2000), "1450 a game (median); 3 of 10 games ended at the limit of 2000 turns"),
        (GameLengths(1, 0, 54, 2000), "54"),
        (GameLengths(1, 1, 2000, 2000), "2000; the game ended at the limit of 2000 turns"),
        (GameLengths(2, 1, None, None), "1 of 2 games ended at the turn limit"),
    ],
)
def test_line_says_what_is_known(lengths, text):
    assert length_text(lengths) == text


def test_json_has_the_same_numbers():
    values = lengths_as_dict(GameLengths(10, 3, 1450, 2000))

    assert values == {"turn_limit": 2000, "games_at_turn_limit": 3, "median_turns": 1450}
