"""Lessons are the decisions that cost most: a planted blunder is the first, and a good bot has no such lesson."""

from dataclasses import replace
from statistics import fmean

import pytest

from arena.games.cheat.lessons.knowledge import HiddenCards
from arena.games.cheat.lessons.model import CHEAT_LESSONS, CheatLessons
from arena.games.cheat.rules.actions import Call, Decline, Play
from arena.games.cheat.rules.cards import read_cards
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheat.rules.legality import turn_options
from arena.games.cheat.rules.scenario_adapter import position_from_text
from arena.match.game import Seat, Style
from arena.match.referee.orders import PromptView
from arena.match.referee.scalars import PromptId
from arena.replays.lessons.positions import Position
from arena.replays.lessons.search import Lesson, SearchPlan, find_lessons, measure
from tests.replays.lessons.recorded_bots import CallerOfNothing, LateLiar, Waiter, play_game

SEED = 4
PLAN = SearchPlan(measured_turns=80_000)


@pytest.mark.slow
@pytest.mark.parametrize(("bot", "seed"), [(CallerOfNothing, SEED), pytest.param(LateLiar, 1, marks=pytest.mark.long)])
def test_planted_blunder_is_the_first_lesson(bot, seed):
    """The bot makes one decision that no other bot here makes. It leads the report, beyond its error."""
    game, player = play_game(bot, seed)

    result = find_lessons(game, CHEAT_LESSONS, PLAN)

    worst = result.lessons[0]
    assert (worst.position.turn, worst.position.prompt.kind) == player.blunder
    assert worst.cost > PLAN.required_errors * worst.standard_error
    assert [each.cost for each in result.lessons] == sorted((each.cost for each in result.lessons), reverse=True)


@pytest.mark.slow
@pytest.mark.long
def test_good_bot_has_no_such_lesson():
    """The same bot without the blunder, with the same cards: no call of nothing, and nothing that costs as much."""
    bad, _ = play_game(CallerOfNothing, SEED)
    good, _ = play_game(Waiter, SEED)

    blunder = find_lessons(bad, CHEAT_LESSONS, PLAN).lessons[0]
    lessons = find_lessons(good, CHEAT_LESSONS, PLAN).lessons

    assert [each for each in lessons if each.position.action == Call()] == []
    assert all(each.cost < blunder.cost for each in lessons)


@pytest.mark.slow
def test_same_seed_finds_the_same_lessons():
    game, _ = play_game(CallerOfNothing, SEED)
    few = replace(PLAN, measured_turns=4000)

    first, again = find_lessons(game, CHEAT_LESSONS, few), find_lessons(game, CHEAT_LESSONS, few)
    other = find_lessons(game, CHEAT_LESSONS, replace(few, seed=1))

    def figures(result):
        return [(each.position.prompt.id, each.better, each.differences) for each in result.lessons + result.others]

    assert figures(first) == figures(again)
    assert figures(first) != figures(other)


# ---- a position whose truth is known


@pytest.mark.slow
def test_estimates_are_calibrated():
    """Two seats, no jokers, and the game ends after two moves: then the seat with fewer cards is first.

    This seat has five cards and leads; the other has one of 7 7 6 5 9 T. To lay four cards as sevens leaves one card
    each. With a seven or the six, the other seat then lays a true last card and wins, whether or not it calls before.
    With the five, nine or ten it calls with (4 / 5)^2 / (1 + 50 / 20), as 50 of the 52 cards are in no hand, and this
    seat is second. Otherwise its last card is a lie that is called, and this seat is first. To lay one king is true,
    and leaves this seat second whatever the other has.
    """
    truth = 3 / 6 * (1 - (4 / 5) ** 2 / (1 + 50 / 20))
    state = position_from_text("AC 2C 3C 4C KC", "5C", style=Style.SEALED, jokers_per_deck=0, max_turns=2)
    hidden = HiddenCards((0, 1, 5), (), read_cards(["7C", "7D", "6D", "5D", "9D", "TD"]))
    prompt = PromptView(PromptId(1), "turn", turn_options(state), None, None, None)
    position = Position(0, Seat(0), prompt, state, None, hidden, 0, Play(read_cards(["KC"]), 1, 12))
    better = Play(read_cards(["AC", "2C", "3C", "4C"]), 4, 6)

    lessons = [Lesson(position, better) for _ in range(150)]
    for seed, lesson in enumerate(lessons):
        measure([lesson], CHEAT_LESSONS, SearchPlan(seed=seed, max_deals=48))

    assert fmean(lesson.cost for lesson in lessons) == pytest.approx(truth, abs=4 * (0.25 / (150 * 48)) ** 0.5)
    held = [abs(lesson.cost - truth) < 1.96 * lesson.standard_error for lesson in lessons]
    assert fmean(held) > 0.88  # 0.95, less four standard errors of 150 trials


def test_call_costs_nothing_if_no_deal_makes_a_difference():
    """A final window: if the last card is a lie, calling saves the game; if it is true, the game is lost anyhow.

    Half of the deals are of each kind, so to decline costs half a place.
    """
    start = position_from_text("KC", "QC", style=Style.SEALED, start=1)
    state = CHEAT.resolve(start, "turn", {Seat(1): Play(read_cards(["QC"]), 1, 11)}).state
    hidden = HiddenCards((0, 0, 1, 1), (), read_cards(["QC", "2C"]))
    prompt = PromptView(PromptId(1), "window", None, None, None, None)
    lesson = Lesson(Position(1, Seat(0), prompt, state, None, hidden, 0, Decline()), Call())

    measure([lesson], CHEAT_LESSONS, SearchPlan(max_deals=96))

    assert lesson.cost == pytest.approx(0.5)
    assert lesson.lie_share == pytest.approx(0.5)


def test_decision_without_a_fitting_deal_is_left_out():
    """If the bookkeeping of a seat does not add up, its decision is counted as left out, and nothing is made up."""
    game, _ = play_game(CallerOfNothing, SEED)
    position = replace(game.positions[0], hidden=None)

    result = find_lessons(replace(game, positions=[position]), CHEAT_LESSONS, PLAN)

    assert (result.decision_count, result.screened_count, result.skipped_count) == (1, 1, 1)
    assert result.lessons == []


# ---- how much a search plays


class CountingLessons(CheatLessons):
    """Counts the decisions that are tried, and the moves that are played."""

    def __init__(self):
        self.work = 0
        self.tried = set()

    def deal(self, state, seat, hidden, rng, number):
        self.tried.add(id(state))
        return super().deal(state, seat, hidden, rng, number)

    def play_out(self, *arguments):
        played = super().play_out(*arguments)
        self.work += played.work
        return played


def test_work_is_bounded_however_long_the_game_is():
    """In a long game, only the decisions with the highest stakes are screened; a stage ends when its moves are played.

    The last decision or the last batch of deals may exceed the number.
    """
    game, _ = play_game(CallerOfNothing, SEED)
    long_game = replace(game, positions=game.positions * 20)
    plan = SearchPlan(screening_turns=6000, measured_turns=4000)
    model = CountingLessons()

    result = find_lessons(long_game, model, plan)

    assert result.decision_count > 20 * 20
    assert 0 < result.screened_count < result.decision_count / 5
    assert len(model.tried) < result.decision_count / 5
    a_batch = plan.measured_count * plan.batch * 2 * plan.longest
    a_decision = plan.screening_deals * 40 * 8
    assert model.work < plan.screening_turns + plan.measured_turns + a_batch + a_decision


def test_short_game_is_screened_as_a_whole():
    game, _ = play_game(CallerOfNothing, SEED)

    result = find_lessons(game, CHEAT_LESSONS, replace(PLAN, measured_turns=100))

    assert result.screened_count == result.decision_count


@pytest.mark.slow
@pytest.mark.long
def test_decisions_with_the_highest_stakes_are_screened():
    """The planted blunder is a call on a large pile."""
    game, player = play_game(CallerOfNothing, SEED)

    result = find_lessons(game, CHEAT_LESSONS, replace(PLAN, screening_turns=4000))

    assert result.screened_count < result.decision_count
    assert (result.lessons[0].position.turn, result.lessons[0].position.prompt.kind) == player.blunder
