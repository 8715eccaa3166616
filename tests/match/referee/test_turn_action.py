"""A call as one of the choices of the seat in turn (spec A7, A11)."""

import pytest

from arena.games.cheat.rules.events import SeatLeft
from arena.games.cheat.rules.game import CHEAT
from tests.match.referee.driver import S, start_match


@pytest.mark.parametrize("style", ["sealed", "live"])
def test_call_does_not_reset_the_automatic_move_count(style):
    """An own play or pass does; a seat that only ever calls counts as absent."""
    options = {
        "failure_new_trick": False,
        "success_new_trick": False,
        "success_next": "no_change",
        "failure_next": "no_change",
    }
    game = start_match(
        CHEAT, 2, style, preset="rank_lock", options=options, max_auto_moves=2, turn_ms=20_000, call_ms=10_000
    )
    game.run_until(game.due or 0)
    mover = game.asked_entrants("turn")[0]
    game.answer(mover, game.prompts(mover)[0])

    away = game.asked_entrants("turn")[0]
    game.send(away, "call", game.clock + S)
    assert game.referee.entrant_records[away].auto_in_row == 1
    game.run_until(game.due or 0)

    assert [event.seat for event in game.events() if isinstance(event, SeatLeft)] == [away]
