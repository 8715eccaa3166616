"""Events as sentences, and the statistics counted from them."""

from collections import Counter

from arena.games.cheater.rules.game import CHEATER
from tests.games.cheater.rules.game_driver import BLUE, RED, YELLOW, start_game


def test_game_is_narrated_in_the_words_of_the_table() -> None:
    """A viewer that may see everything gets this text."""
    game = start_game(RED, YELLOW, BLUE, roll=(3, 3), draw="PE PA PR PC PH YR YE BE", discard="RE")

    game.acts("0 top", "0 discard YT", "roll 1 2", "1 play BUST 0", "0 allow", "die 2", "1 bust RC RH")
    game.acts("roll 4 5", "2 play WILD 1 show", "1 hide HIDE", "roll 6 6", "roll 2 1", "leave 2", "leave 1")

    assert game.narration == [
        "seat 0 rolls 3 and 3: it is the CHEATER now",
        "seat 0 takes RE from the discard pile",
        "seat 0 discards YT",
        "seat 1 rolls 1 and 2",
        "seat 1 plays BUST at seat 0",
        "seat 0 shows RC RH RE RE RA TAKE SHOW",
        "the die shows 2",
        "seat 1 discards RC RH of seat 0",
        "seat 1 draws PE",
        "seat 0 draws PA PR",
        "seat 2 rolls 4 and 5",
        "seat 2 plays WILD as SHOW at seat 1",
        "seat 1 hides its hand with HIDE",
        "seat 1 draws PC",
        "seat 2 draws PH",
        "seat 0 rolls 6 and 6: it is the CHEATER no more, and its turn is lost",
        "seat 1 rolls 2 and 1",
        "seat 2 leaves with PH PT BC BH BE BA TAKE and takes place 3",
        "seat 1 leaves with RT YC YH YE YA PC PE and takes place 2",
        "seat 0 wins: all others have left",
    ]


def test_win_names_colour_and_titles() -> None:
    nearly = "RC RH RE RA RT RR"
    game = start_game(f"{nearly} YT", YELLOW, draw="RE", history=[(0, "R")]).acts("0 draw", "0 discard YT")

    assert game.narration[-1] == "seat 0 spells CHEATER in red and wins, excellent CHEATER, ultimate CHEATER"


def test_statistics_count_turns_attacks_and_their_results() -> None:
    game = start_game(roll=(3, 3)).acts(
        "0 demand 1", "1 allow", "0 take RT YT", "roll 1 2", "1 play BUST 0", "0 allow", "die 2"
    )
    game.acts("1 bust RC RH", "roll 1 2", "2 play TAKE 0", "0 allow", "2 take RE", "roll 2 2")

    counted = Counter(figure for event in game.events for figure in CHEATER.event_statistics(event))

    assert counted == {
        (0, "turns"): 2,
        (0, "markers"): 1,
        (0, "turns_lost"): 1,
        (0, "attacks"): 1,
        (0, "cards_taken"): 1,
        (1, "turns"): 1,
        (1, "attacks"): 1,
        (1, "cards_busted"): 2,
        (2, "turns"): 1,
        (2, "attacks"): 1,
        (2, "cards_taken"): 1,
    }
