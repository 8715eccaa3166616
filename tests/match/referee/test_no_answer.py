"""A bot says that it has no answer: the automatic move follows at once, and the strike says why."""

import pytest

from arena.games.cheat.rules.events import Called
from arena.match.game import Seat
from arena.match.referee.facts import NoAnswerCause, NoAnswerGiven, StrikeIssued, StrikeKind
from arena.match.referee.inputs import NoAnswer
from arena.match.referee.orders import DecisionResult, Refusal, Withdraw
from arena.match.referee.scalars import EntrantIndex, Instant, PromptId
from tests.match.referee.driver import MS, RAID, DecisionStatus, MatchDriver, S, start_match
from tests.support.prepared_cheat import live_cheat, sealed_cheat

HANDS = ("KS 4D 5D 6D 7D", "QS 9D 3D 4C 5C", "2C 7C 8C 9C TC")
CRASHED = NoAnswerGiven(NoAnswerCause.CRASHED, words="turn() raised KeyError: 3")


def after_a_lie(**pace: bool) -> MatchDriver:
    """Return a game in which Ann has just claimed her 4D to be a king, and both others are asked."""
    game = start_match(sealed_cheat(*HANDS), **pace)
    game.send(0, "1K 4D", 0)
    return game


# ---- turns


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (CRASHED, StrikeKind.CRASHED),
        (NoAnswerGiven(NoAnswerCause.ILLEGAL, "not_in_hand"), StrikeKind.ILLEGAL),
        (NoAnswerGiven(NoAnswerCause.EMPTY), StrikeKind.NO_ANSWER),
        (NoAnswerGiven(NoAnswerCause.GAVE_UP), StrikeKind.NO_ANSWER),
    ],
)
def test_automatic_move_follows_at_once_and_the_strike_says_why(given, kind):
    game = start_match(RAID)
    automatic = game.game.automatic_action(game.state, Seat(0), game.prompt(0).kind)

    result = game.send_no_answer(0, given, 5 * MS)

    assert result.status is DecisionStatus.ACCEPTED
    (struck,) = game.announced_strikes(0)
    assert struck == StrikeIssued(EntrantIndex(0), kind, PromptId(1), given.reason, automatic)
    assert repr(struck.no_answer) == repr(given)
    assert game.asked_entrants() != [0]
    game.check_replay()


def test_others_see_only_the_move_and_that_it_came():
    """The cause and the words of the author belong to the bot alone, and an automatic move is no alibi (A11)."""
    chosen, crashed = start_match(RAID), start_match(RAID)

    chosen.send(0, "aim 1", 5 * MS)
    crashed.send_no_answer(0, CRASHED, 5 * MS)

    for other in (1, 2):
        assert chosen.orders_to(other) == crashed.orders_to(other)


def test_seat_is_gone_after_as_many_automatic_moves_in_a_row_as_for_silence():
    game = start_match(RAID, max_auto_moves=2)

    game.play_until(lambda: game.asked_entrants("turn") == [0])
    game.send_no_answer(0, CRASHED, game.clock)
    assert game.strikes(0) == {"crashed": 1}
    game.play_until(lambda: game.asked_entrants("turn") == [0])
    game.send_no_answer(0, CRASHED, game.clock)

    assert game.referee.entrant_records[0].gone
    assert game.strikes(0) == {"crashed": 2, "gone": 1}


def test_repeated_message_gets_the_same_result_and_no_second_strike():
    game = start_match(RAID)
    entry = NoAnswer(Instant(1), Instant(1), EntrantIndex(0), PromptId(1), 7, CRASHED)

    first, again = game.apply(entry), game.apply(entry)

    assert [order for order in first if isinstance(order, DecisionResult)] == again
    assert game.strikes(0) == {"crashed": 1}


@pytest.mark.parametrize(("prompt", "at", "reason"), [(1, 3 * S, Refusal.LATE), (99, 1, Refusal.UNKNOWN_PROMPT)])
def test_no_answer_to_a_prompt_that_is_not_open_changes_nothing_and_adds_no_strike(prompt, at, reason):
    """A bot that is too late has its strike for the missing answer already."""
    game = start_match(RAID)
    game.catch_up(at)
    strikes, state = game.strikes(0), game.state

    result = game.send_no_answer(0, CRASHED, at, prompt=prompt)

    assert (result.status, result.reason) == (DecisionStatus.REFUSED, reason)
    assert game.strikes(0) == strikes
    assert game.state is state


# ---- call windows


def test_window_does_not_wait_for_a_seat_without_answer_and_counts_it_as_declining():
    game = after_a_lie()

    game.send_no_answer(1, CRASHED, 10 * MS)
    assert game.asked_entrants() == [2]
    game.send(2, "decline", 20 * MS)

    assert game.asked_entrants("turn") == [1]
    assert not any(isinstance(event, Called) for event in game.events())
    assert game.strikes(1) == {"crashed": 1}
    assert game.announced_strikes(1)[0].automatic is None
    assert not any(isinstance(order, Withdraw) and order.entrant == 1 for order in game.orders)
    game.check_replay()


def test_fixed_window_lasts_its_full_time_and_adds_no_strike_for_silence():
    game = after_a_lie(fixed_window=True)

    game.send_no_answer(1, CRASHED, 10 * MS)
    game.send_no_answer(2, CRASHED, 20 * MS)
    game.run_until(S - 1)
    assert game.asked_entrants("turn") == []
    game.run_until(S)

    assert game.asked_entrants("turn") == [1]
    assert game.strikes(1) == game.strikes(2) == {"crashed": 1}


def test_answer_after_no_answer_is_refused_without_a_strike():
    game = after_a_lie()
    window = game.prompt(1).id
    game.send_no_answer(1, CRASHED, 10 * MS)

    again = game.send(1, "call", 20 * MS, prompt=window)

    assert again.reason == Refusal.ALREADY_ANSWERED
    assert game.strikes(1) == {"crashed": 1}


def test_refused_answer_may_be_followed_by_no_answer():
    game = start_match(sealed_cheat(*HANDS))
    game.send(0, "1K QS", 0)

    game.send_no_answer(0, NoAnswerGiven(NoAnswerCause.GAVE_UP), 1 * MS)

    assert game.strikes(0) == {"illegal": 1, "no_answer": 1}
    assert 0 not in game.asked_entrants()


# ---- live


def test_live_automatic_move_is_held_like_any_move():
    """Otherwise a seat without an answer would take from the others the time in which they may call."""
    game = start_match(live_cheat("4D KS 5S", "QS 9D 6H", "2C 7C 8H", "AC AD 3S"), 4, "live")
    game.send(0, "1K 4D", 0)

    result = game.send_no_answer(1, CRASHED, 1 * S, kind="turn")

    assert result.status is DecisionStatus.HELD
    assert game.asked_entrants("window") == [1, 2, 3]
    game.run_until(3 * S)
    assert [each.status for each in game.answers(1, DecisionStatus.LANDED)] == [DecisionStatus.LANDED]
    assert game.asked_entrants("turn") == [2]
    game.check_replay()


def test_call_of_another_seat_voids_a_held_automatic_move():
    game = start_match(live_cheat("4D KS 5S", "QS 9D 6H", "2C 7C 8H", "AC AD 3S"), 4, "live")
    game.send(0, "1K 4D", 0)
    game.send_no_answer(1, CRASHED, 1 * S, kind="turn")

    game.send(2, "call", 2 * S)

    assert any(isinstance(event, Called) for event in game.events())
    assert game.answers(1, DecisionStatus.HOLD_CANCELLED)
