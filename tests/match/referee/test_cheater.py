"""CHEATER under a real referee: prompts of several lengths, leaving with a shuffle, titles across rotated games."""

from typing import Any

import pytest

from arena.games.cheater.rules.actions import IDLE, Attack, Play
from arena.games.cheater.rules.cards import WILD, read_cards
from arena.games.cheater.rules.events import HandShown, Hidden, SeatLeft, Won
from arena.games.cheater.rules.game import CHEATER
from arena.games.cheater.rules.scenario_adapter import position_from_text
from arena.games.cheater.rules.state import Win
from arena.match.deal.stream import SeededChance
from arena.match.game import Seat
from arena.match.referee.orders import Ask, DecisionStatus, Withdraw
from arena.match.referee.terms import Seating
from tests.match.referee.driver import MS, MatchDriver, make_driver, start_match

PACE: dict[str, Any] = {"turn_ms": 2000, "call_ms": 500}


def at_table(style: str = "sealed", **pace: Any) -> MatchDriver:
    """Three seats, seat 0 in turn with a TAKE and a SHOW, seat 1 with a HIDE."""
    game = start_match(CHEATER, 3, style, dice=[0, 1, 0, 0, 0, 0, 0, 1], **{**PACE, **pace})
    assert game.referee.current_game is not None
    held = ("RC RH RE RA YT TAKE SHOW", "YC YH YE YA RT BUST HIDE", "BC BH BE BA PT WILD TAKE")
    game.state.hands = position_from_text(*held).hands
    game.state.discards = read_cards(["BT"])
    game.state.draw_pile = bytes(range(20))
    return game


@pytest.fixture(params=["sealed", "live"])
def style(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def start_with_style(style: str, **pace: Any) -> MatchDriver:
    lengths = {"live": {"turn_ms": 20_000, "call_ms": 3000}, "sealed": PACE}[style]
    return at_table(style, **{**lengths, **pace})


def test_each_prompt_has_its_own_time_limit(style: str) -> None:
    """Acting and picking take the turn length, the victim's prompt the reaction length, each from its own start."""
    game = start_with_style(style)
    turn, reaction = game.terms.pace.turn_ms * MS, game.terms.pace.call_ms * MS
    assert game.prompt(0, "act").deadline == turn

    game.send(0, "play TAKE 1", at=100 * MS)
    assert game.prompt(1, "reaction").deadline == 100 * MS + reaction
    game.send(1, "allow", at=200 * MS)
    assert game.prompt(0, "pick").deadline == 200 * MS + turn


def test_silent_victim_shows_its_hand_without_automatic_move(style: str) -> None:
    game = start_with_style(style, max_auto_moves=1)
    game.send(0, "play TAKE 1", at=0)

    game.run_until(game.prompt(1, "reaction").deadline or 0)

    assert [type(event) for event in game.events()][-1] is HandShown
    assert game.strikes(1)["missing"] == 1
    assert not game.referee.entrant_records[1].gone


def test_answer_is_announced_at_the_end_of_a_fixed_window() -> None:
    game = start_with_style("sealed", fixed_window=True)
    game.send(0, "play TAKE 1", at=0)

    game.send(1, "hide HIDE", at=100 * MS)
    assert not any(isinstance(event, Hidden) for event in game.events())
    game.run_until(500 * MS)

    assert isinstance(next(event for event in game.events() if isinstance(event, Hidden)), Hidden)


def test_seat_that_does_not_act_draws_and_discards_at_once(style: str) -> None:
    """One missing answer makes one automatic move, not two."""
    game = start_with_style(style)

    game.run_until(game.prompt(0, "act").deadline or 0)

    assert game.referee.entrant_records[0].auto_in_row == 1
    assert game.announced_strikes(0)[-1].automatic == IDLE
    assert game.asked_entrants("act") == [1]


@pytest.mark.parametrize("kind", ["act", "discard", "pick"])
def test_bystander_leaving_restarts_turn_time_under_same_prompt_id(style: str, kind: str) -> None:
    """The shuffle of the leaver's cards does not close the prompt (spec A12.9)."""
    game = start_with_style(style)
    for seat, action in {"discard": [(0, "draw")], "pick": [(0, "play TAKE 1"), (1, "allow")]}.get(kind, []):
        game.send(seat, action, at=0)
    before = game.prompt(0, kind)

    told = game.leave(2, at=300 * MS)

    after = game.prompt(0, kind)
    assert after.id == before.id
    assert after.deadline == (before.deadline or 0) + 300 * MS
    assert not any(isinstance(order, Withdraw) for order in told)
    assert [order.prompt.id for order in told if isinstance(order, Ask)] == [before.id]
    assert (
        game.send(0, game.game.automatic_action(game.state, Seat(0), kind), at=400 * MS).status
        is DecisionStatus.ACCEPTED
    )


def test_bystander_leaving_keeps_reaction_deadline(style: str) -> None:
    game = start_with_style(style)
    game.send(0, "play TAKE 1", at=0)
    before = game.prompt(1, "reaction")

    told = game.leave(2, at=300 * MS)

    assert game.prompt(1, "reaction") == before
    assert not any(isinstance(order, Ask | Withdraw) for order in told)


def test_victims_prompt_is_withdrawn_when_attacker_leaves(style: str) -> None:
    game = start_with_style(style)
    game.send(0, "play TAKE 1", at=0)
    prompt = game.prompt(1, "reaction").id

    told = game.leave(0, at=100 * MS)

    assert [order.prompt_id for order in told if isinstance(order, Withdraw)] == [prompt]
    assert game.asked_entrants("act") == [1]


def test_refused_answer_is_a_strike_and_may_be_corrected(style: str) -> None:
    game = start_with_style(style)

    given = game.send(0, Play(WILD, Seat(1), Attack.TAKE), at=0)

    assert (given.status, given.reason) == (DecisionStatus.REFUSED, "not_in_hand")
    assert game.strikes(0)["illegal"] == 1
    assert game.send(0, "draw", at=1).status is DecisionStatus.ACCEPTED


class StackedChance:
    """Deals red C H E E A T R to the entrant 0 wherever it sits, whose seat then rolls highest."""

    def __init__(self, seats: int) -> None:
        self.seats = seats

    def draw(self, game: int, chance: Any) -> Any:
        if chance.purpose == "deck":
            word = [0, 2, 4, 5, 8, 10, 12]
            rest = [index for index in range(chance.count) if index not in word]
            mine = game % self.seats
            hands = [word[row] if seat == mine else rest.pop() for row in range(7) for seat in range(self.seats)]
            return hands + rest
        return [seat == game % self.seats for seat in range(self.seats) for _ in range(2)]


def test_titles_belong_to_the_entrant_when_seats_rotate() -> None:
    """The same entrant wins every game on the deal, from a different seat each time."""
    game = start_match(CHEATER, 3, games=4, seating=Seating.ROTATED, chance=StackedChance(3), intermission_ms=0)

    won = [event for event in game.events() if isinstance(event, Won)]

    assert [len(event.titles) for event in won] == [0, 2, 3, 3]
    assert len({event.seat for event in won}) == 3
    assert {type(outcome.detail) for outcome in game.referee._outcomes} == {Win}
    game.check_replay()


def test_no_show_is_dealt_in_and_leaves_before_the_first_prompt() -> None:
    game = make_driver(CHEATER, 4, chance=SeededChance(bytes(32), "M"), **PACE)

    told = game.begin(absent=[1])

    assert [event.seat for event in game.events() if isinstance(event, SeatLeft)] == [1]
    assert len([order for order in told if isinstance(order, Ask)]) == 1
    game.check_replay()
