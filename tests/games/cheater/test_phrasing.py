"""CHEATER in words: what a seat does, and why the rules refuse it."""

import pytest

from arena.games.cheater.phrasing import REASONS, CheaterPhrasing
from arena.games.cheater.rules.game import CHEATER
from arena.games.cheater.rules.legality import why_illegal
from arena.match.game import Seat
from tests.games.cheater.rules.game_driver import start_game
from tests.games.cheater.rules.test_refusals import REFUSED

VOICE = CheaterPhrasing()


@pytest.mark.parametrize(
    ("action", "told"),
    [
        ("draw", "draws"),
        ("draw2", "draws two"),
        ("top", "takes the top discard"),
        ("demand 2", "demands the hand of seat 2"),
        ("play TAKE 1", "plays TAKE at seat 1"),
        ("play WILD 1 bust", "plays WILD as BUST at seat 1"),
        ("idle", "draws a card and discards it"),
        ("discard RC YT", "discards RC YT"),
        ("allow", "allows"),
        ("hide WILD", "hides by WILD"),
        ("take RC", "takes RC"),
        ("take RC YT", "takes RC and discards YT"),
        ("bust", "discards no cards"),
        ("take ??", "takes no card"),
    ],
)
def test_action_is_described_as_what_a_seat_does(action, told):
    assert VOICE.describe_action(CHEATER.read_action(action)) == told


@pytest.mark.parametrize(
    ("moves", "told"),
    [
        ("", "draw, play TAKE or play SHOW; targets: seat 1, seat 2"),
        ("0 draw", "discard 1 card"),
        ("0 play TAKE 1", "TAKE by seat 0: allow or hide by HIDE"),
        ("0 play TAKE 1, 1 allow", "take a card; seat 1 shows RT YC YH YE YA HIDE BUST"),
    ],
)
def test_prompt_is_described_as_what_it_offers(moves, told):
    game = start_game().acts(*(move for move in moves.split(", ") if move))

    assert VOICE.describe_options(game.kind, game.options) == told


def test_snapshot_is_described_line_by_line():
    game = start_game(cheater=2).acts("0 play SHOW 1", "1 allow", "roll 1 2", "leave 2", "1 play BUST 0")

    assert dict(VOICE.snapshot_rows(CHEATER.snapshot(game.state, Seat(0)), Seat(0))) == {
        "hand": "RC RH RE RA YT PE TAKE",
        "others": "seat 1: 6 with RT YC YH YE YA HIDE, seat 2: 0",
        "discards": "BT SHOW BUST",
        "to draw": "16",
        "CHEATER": "nobody",
        "turn": "seat 1, rolled 1 and 2, BUST at seat 0",
        "places": "seat 2: 3",
    }


def test_every_refusal_code_has_its_wording():
    assert {code for *_, code in REFUSED} == REASONS.keys()
    assert why_illegal(start_game().state, Seat(1), CHEATER.read_action("draw")) in REASONS
    assert VOICE.describe_reason("weather") is None
