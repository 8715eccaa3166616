"""The cost of a match, from its records: worked out by hand from the default pace of 2 s a turn and 1 s a window."""

from arena.author.trouble.costs import Cost, measure_cost, with_gaps
from arena.games.catalogue import games
from arena.match.referee.match_order import MatchReport
from arena.match.referee.match_record import derive_match_record, new_match_row
from arena.match.referee.ports import GameSummary, MatchId
from tests.support.recorded_matches import CREATED_AT, ManualMatch

S = 1_000_000


def cost_of(match: ManualMatch, patience_s: float = 5.0) -> Cost:
    """The cost to seat 0, which makes the first move."""
    row = new_match_row(match.table.match_id, 1, match.bench.terms, "j", CREATED_AT)
    record = derive_match_record(row, match.records, games())
    played = tuple(GameSummary(each.game, each.places, each.termination, each.turn_count) for each in record.games)
    report = MatchReport(MatchId("M"), "ended", played, record.match.termination, (), ())
    return measure_cost(report, record.match, match.records, games(), record.match.entrants[0], patience_s)


def test_a_punctual_bot_costs_nothing():
    cost = cost_of(ManualMatch("M").play_out())

    assert (cost.strike_count, cost.automatic_move_count, cost.lost_count, cost.away_s) == (0, 0, 0, 0)
    assert (cost.unplayed_count, len(cost.places), cost.is_gone) == (0, 1, False)


def test_decision_times_are_those_of_the_server():
    """The first move takes 0.3 s; all later answers come at once."""
    match = ManualMatch("M")
    match.answer(0, "1A AC", at=300_000)

    cost = cost_of(match.play_out())

    assert cost.decision_s[-1] == 0.3
    assert cost.decision_quantile_s(0.5) == 0
    assert cost.decision_quantile_s(1) == 0.3


def test_a_missed_move_of_a_connected_bot_is_its_own():
    match = ManualMatch("M")
    match.bench.run_until(2 * S)

    cost = cost_of(match.play_out())

    assert (cost.strike_count, cost.own_strike_count, cost.automatic_move_count) == (1, 1, 1)


def test_a_move_missed_in_a_short_absence_is_not_its_own():
    """The allowance of 1 s and the turn of 2 s are over at 3 s, and the bot is back at 4 s."""
    match = ManualMatch("M", reconnect_grace_ms=1_000)
    match.bench.disconnect(0, 0)
    match.bench.run_until(3 * S)
    match.bench.reconnect(0, 4 * S)

    cost = cost_of(match.play_out())

    assert cost.strike_count >= 1
    assert cost.own_strike_count == 0
    assert (cost.lost_count, cost.return_count, cost.away_s, cost.longest_away_s) == (1, 1, 4.0, 4.0)


def test_the_same_absence_is_its_own_if_it_lasted_too_long():
    match = ManualMatch("M", reconnect_grace_ms=1_000)
    match.bench.disconnect(0, 0)
    match.bench.run_until(3 * S)
    match.bench.reconnect(0, 4 * S)

    cost = cost_of(match.play_out(), patience_s=3.0)

    assert cost.own_strike_count == cost.strike_count >= 1


def test_a_bot_that_never_comes_back_loses_its_seat_by_its_own_fault():
    match = ManualMatch("M", reconnect_grace_ms=0)
    match.bench.disconnect(0, 0)
    match.bench.run_until(600 * S)

    cost = cost_of(match)

    assert cost.is_gone
    assert cost.own_strike_count == cost.strike_count > 1
    assert (cost.lost_count, cost.return_count) == (1, 0)
    assert cost.away_s == cost.longest_away_s > 3


def test_games_that_were_not_finished_are_counted():
    match = ManualMatch("M", games=3)
    match.bench.cancel(10)

    cost = cost_of(match)

    assert (cost.unplayed_count, cost.places, cost.mean_place) == (3, (), None)


def test_gaps_of_the_line_replace_what_the_records_do_not_have():
    cost = with_gaps(cost_of(ManualMatch("M").play_out()), [0.5, 1.5])

    assert (cost.lost_count, cost.return_count, cost.away_s, cost.longest_away_s) == (2, 2, 2.0, 1.5)
