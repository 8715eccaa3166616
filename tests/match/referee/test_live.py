"""The live pace (docs/rules/spec.md A11): earliest call times, held moves, final windows, equal instants.

Defaults: turn 20 s, call time 3 s, and no call within 750 ms of a move.
"""

import pytest

from arena.games.cheat.rules.events import Called
from arena.match.referee.inputs import Tick
from arena.match.referee.orders import DecisionResult, Withdraw
from arena.match.referee.scalars import EntrantIndex, Instant
from tests.match.referee.driver import MS, DecisionStatus, MatchDriver, S, start_match
from tests.support.prepared_cheat import live_cheat

HANDS = ("4D KS 5S", "QS 9D 6H", "2C 7C 8H", "AC AD 3S")


def after_a_lie(*hands: str, **pace: int) -> MatchDriver:
    """Ann claims her 4D to be a king in the first instant."""
    game = start_match(live_cheat(*(hands or HANDS)), len(hands or HANDS), "live", **pace)
    game.send(0, "1K 4D", 0)
    return game


def statuses(game: MatchDriver, entrant: int) -> list[DecisionStatus]:
    """Return the statuses of an entrant's decisions, in the order in which they were sent to it."""
    return [order.status for order in game.orders if isinstance(order, DecisionResult) and order.entrant == entrant]


# ---- prompts


def test_turn_and_call_are_prompted_together_with_their_times():
    game = after_a_lie()

    turn, window = game.prompt(1, "turn"), game.prompt(1, "window")

    assert (turn.deadline, turn.lands, turn.earliest) == (20 * S, 3 * S, None)
    assert (window.deadline, window.lands, window.earliest) == (None, None, 750 * MS)
    assert game.asked_entrants("window") == [1, 2, 3]


def test_first_move_does_not_wait():
    game = start_match(live_cheat(*HANDS), 4, "live")

    assert game.prompt(0).lands is None
    assert game.send(0, "1K 4D", 0).status is DecisionStatus.ACCEPTED


# ---- calls


@pytest.mark.parametrize(("at", "reason"), [(750 * MS - 1, "too_early"), (750 * MS, ""), (750 * MS + 1, "")])
def test_call_counts_from_its_earliest_time(at, reason):
    game = after_a_lie()

    given = game.send(2, "call", at)

    assert given.reason == reason
    assert game.state.sizes[0] == (2 if reason else 3)


def test_early_call_costs_nothing_and_counts_from_the_instant_that_its_refusal_names():
    game = after_a_lie()
    refused = game.send(2, "call", 749 * MS)

    assert refused.retry_at == 750 * MS
    assert game.send(2, "call", refused.retry_at).status is DecisionStatus.ACCEPTED
    assert game.strikes(2) == {}


def test_only_the_refusal_of_an_early_call_names_an_instant():
    refused = after_a_lie().send(1, "1A 2C", 1, kind="turn")

    assert (refused.reason, refused.retry_at) == ("not_in_hand", None)


def test_declining_is_never_too_early_and_closes_nothing():
    game = after_a_lie()

    assert [game.send(seat, "decline", 1, kind="window").status for seat in (1, 2)] == [DecisionStatus.ACCEPTED] * 2
    assert game.asked_entrants("window") == [3]
    assert game.send(3, "call", 10 * S).status is DecisionStatus.ACCEPTED


def test_calls_stay_open_until_the_next_move_lands_even_after_call_time():
    game = after_a_lie()

    assert game.send(3, "call", 20 * S - 1).status is DecisionStatus.ACCEPTED


# ---- disputes: where the nearest counts, calls are collected for 200 ms


def start_disputed_match(*hands: str, **pace: int) -> MatchDriver:
    """Start a match in which Ann lies and the caller nearest clockwise counts."""
    game = start_match(
        live_cheat(*(hands or HANDS), caller_priority="nearest_clockwise"), len(hands or HANDS), "live", **pace
    )
    game.send(0, "1K 4D", 0)
    return game


def verdicts(game: MatchDriver) -> list[tuple[int, bool]]:
    """Caller and verdict of each call that was judged."""
    return [(event.caller, event.right) for event in game.events() if isinstance(event, Called)]


@pytest.mark.parametrize(("at", "caller"), [(1 * S, 1), (1199 * MS, 1), (1200 * MS, 3), (1201 * MS, 3)])
def test_nearer_call_within_the_dispute_time_wins(at, caller):
    """The dispute ends before messages of the same instant are read."""
    game = start_disputed_match()
    game.send(3, "call", 1 * S)
    assert verdicts(game) == []

    if at < 1200 * MS:
        assert game.send(1, "call", at, kind="window").status is DecisionStatus.ACCEPTED
    game.run_until(at)
    game.run_until(1200 * MS)

    assert verdicts(game) == [(caller, True)]
    assert game.prompt(1, "turn").deadline == 21_200 * MS


def test_seat_calls_only_once_in_a_dispute():
    game = start_disputed_match()
    game.send(3, "call", 1 * S)

    assert game.send(3, "call", 1100 * MS, prompt=game.prompt(2).id).reason == "already_answered"
    assert game.send(2, "decline", 1100 * MS).status is DecisionStatus.ACCEPTED


def test_move_during_a_dispute_is_held_and_cancelled_when_it_ends():
    game = start_disputed_match()
    game.send(3, "call", 5 * S)

    assert game.send(1, "1Q QS", 5100 * MS, kind="turn").status is DecisionStatus.HELD
    assert game.due == 5200 * MS
    game.run_until(5200 * MS)

    assert statuses(game, 1) == [DecisionStatus.HELD, DecisionStatus.HOLD_CANCELLED]
    assert verdicts(game) == [(3, True)]


def test_neither_held_moves_nor_deadlines_fire_during_a_dispute():
    game = start_disputed_match()
    game.send(1, "1Q QS", 1 * S, kind="turn")
    game.send(3, "call", 2900 * MS)
    game.run_until(3 * S)
    assert verdicts(game) == []
    game.run_until(3100 * MS)
    assert statuses(game, 1) == [DecisionStatus.HELD, DecisionStatus.HOLD_CANCELLED]

    late = start_disputed_match()
    late.send(3, "call", 19_900 * MS)
    assert late.send(1, "1Q QS", 20_050 * MS, kind="turn").status is DecisionStatus.HELD
    late.run_until(20_100 * MS)
    assert verdicts(late) == [(3, True)]
    assert late.strikes(1) == {}


def test_call_of_a_leaving_seat_is_void():
    game = start_disputed_match()
    game.send(3, "call", 1 * S)

    game.leave(3, 1100 * MS)
    game.run_until(3 * S)

    assert verdicts(game) == []
    assert game.send(2, "call", 4 * S).status is DecisionStatus.ACCEPTED


def test_all_calls_are_void_when_the_mover_leaves():
    game = start_disputed_match()
    game.send(3, "call", 1 * S)

    game.leave(0, 1100 * MS)
    game.run_until(2 * S)

    assert verdicts(game) == []
    assert game.asked_entrants("turn") == [1]


def test_final_window_does_not_end_during_a_dispute():
    game = start_disputed_match("4D", "QS 9D")
    game.send(1, "call", 2900 * MS)

    game.run_until(3 * S)
    assert game.referee.current_game is not None
    assert verdicts(game) == []
    game.run_until(3100 * MS)

    assert verdicts(game) == [(1, True)]
    assert game.state.to_move == 1


def test_stall_delays_the_end_of_a_dispute():
    game = start_disputed_match()
    game.send(3, "call", 1 * S)

    game.stall(1100 * MS, 50 * MS)

    assert game.due == 1250 * MS


def test_without_dispute_time_only_one_instant_is_disputed():
    game = start_disputed_match(dispute_ms=0)

    game.send(3, "call", 1 * S, ends_instant=False)
    game.send(1, "call", 1 * S, kind="window")

    assert verdicts(game) == [(1, True)]


# ---- calls where only the seat to move may call


def test_call_prompt_moves_on_with_the_turn():
    game = start_match(live_cheat(*HANDS, any_caller=False, passing="pass_turn"), 4, "live")
    game.send(0, "1K 4D", 0)
    assert game.asked_entrants("window") == [1]
    first = game.prompt(1, "window").id

    game.send(1, "pass", 1 * S, kind="turn")
    game.run_until(3 * S)

    assert game.asked_entrants("window") == [2]
    assert game.prompt(2, "window").id != first
    assert game.prompt(2, "turn").lands == 3 * S
    assert Withdraw(EntrantIndex(1), first) in game.orders


# ---- calls as a choice of the turn


def test_where_the_turn_may_call_nothing_is_held_or_too_early():
    game = start_match(live_cheat(*HANDS, any_caller=False, call_mode="turn_action"), 4, "live")
    game.send(0, "1K 4D", 0)

    assert game.send(1, "call", 1).status is DecisionStatus.ACCEPTED
    assert game.state.sizes[0] == 3
    assert game.send(1, "1Q QS", 2).status is DecisionStatus.ACCEPTED


def test_turn_that_may_call_times_out_with_a_move_not_a_call():
    game = start_match(live_cheat(*HANDS, any_caller=False, call_mode="turn_action"), 4, "live")
    game.send(0, "1K 4D", 0)

    game.run_until(20 * S)

    assert game.state.prev.seat == 1
    assert verdicts(game) == []


# ---- held moves


@pytest.mark.parametrize(
    ("at", "status"),
    [
        (1, DecisionStatus.HELD),
        (3 * S - 1, DecisionStatus.HELD),
        (3 * S, DecisionStatus.ACCEPTED),
        (3 * S + 1, DecisionStatus.ACCEPTED),
    ],
)
def test_move_within_the_call_time_is_held_and_later_moves_land_at_once(at, status):
    game = after_a_lie()

    assert game.send(1, "1Q QS", at, kind="turn").status is status
    assert (len(game.narration()) == 2) is (status is DecisionStatus.ACCEPTED)


def test_held_move_lands_exactly_at_its_time():
    game = after_a_lie()
    given = game.send(1, "1Q QS", 1 * S, kind="turn")

    assert game.run_until(3 * S - 1) == []
    told = game.run_until(3 * S)

    assert told[0] == DecisionResult(EntrantIndex(1), given.prompt_id, given.action_id, DecisionStatus.LANDED)
    assert game.prompt(2, "turn").deadline == 23 * S
    assert game.due == 23 * S


def test_held_move_is_hidden_from_others():
    game = after_a_lie()
    before = {seat: game.orders_to(seat) for seat in (0, 2, 3)}

    game.send(1, "1Q QS", 1 * S, kind="turn")
    game.run_until(3 * S - 1)

    assert {seat: game.orders_to(seat) for seat in (0, 2, 3)} == before
    assert all(view.deadline is None for view in game.prompts(2)), "a shown end would betray it"


def test_held_move_may_be_replaced():
    game = after_a_lie()
    game.send(1, "1Q QS", 1 * S, kind="turn")
    game.send(1, "1A 9D", 2 * S, kind="turn")

    game.run_until(3 * S)

    assert statuses(game, 1) == [
        DecisionStatus.HELD,
        DecisionStatus.HELD,
        DecisionStatus.HOLD_CANCELLED,
        DecisionStatus.LANDED,
    ]
    assert [a.action_id for a in game.answers(1, DecisionStatus.HOLD_CANCELLED)] == [
        game.answers(1, DecisionStatus.HELD)[0].action_id
    ]
    assert game.state.prev.rank == 0, "an ace was claimed"


def test_illegal_replacement_keeps_the_held_move():
    game = after_a_lie()
    game.send(1, "1Q QS", 1 * S, kind="turn")

    assert game.send(1, "1Q KS", 2 * S, kind="turn").reason == "not_in_hand"
    game.run_until(3 * S)

    assert statuses(game, 1) == [DecisionStatus.HELD, DecisionStatus.REFUSED, DecisionStatus.LANDED]


def test_call_cancels_held_move_and_reprompts_its_sender():
    game = after_a_lie()
    held = game.send(1, "1Q QS", 1 * S, kind="turn")

    game.send(2, "call", 1500 * MS)

    assert statuses(game, 1) == [DecisionStatus.HELD, DecisionStatus.HOLD_CANCELLED]
    assert game.prompt(1, "turn").id != held.prompt_id
    assert (game.prompt(1, "turn").deadline, game.prompt(1, "turn").lands) == (21_500 * MS, None)
    assert game.send(1, "1Q QS", 1500 * MS, kind="turn").status is DecisionStatus.ACCEPTED


def test_own_call_cancels_own_held_move():
    game = after_a_lie()
    game.send(1, "1Q QS", 1 * S, kind="turn")

    game.send(1, "call", 2 * S, kind="window")

    assert statuses(game, 1) == [DecisionStatus.HELD, DecisionStatus.ACCEPTED, DecisionStatus.HOLD_CANCELLED]


def test_bystander_leaving_cancels_held_move_and_restarts_call_wait():
    game = after_a_lie()
    game.send(1, "1Q QS", 1 * S, kind="turn")

    game.leave(3, 1500 * MS)

    assert statuses(game, 1) == [DecisionStatus.HELD, DecisionStatus.HOLD_CANCELLED]
    assert game.prompt(2).earliest == 2250 * MS
    assert (game.prompt(1, "turn").deadline, game.prompt(1, "turn").lands) == (21_500 * MS, 3 * S)


def test_seat_with_a_held_move_may_leave():
    game = after_a_lie()
    game.send(1, "1Q QS", 1 * S, kind="turn")

    game.leave(1, 2 * S)

    assert statuses(game, 1) == [DecisionStatus.HELD, DecisionStatus.HOLD_CANCELLED]
    assert game.asked_entrants("turn") == [2]


def test_leave_of_an_eliminated_seat_changes_no_times():
    """Ann is out since Bob's move landed; her later leave must not move the waits that count from that landing."""
    game = start_match(live_cheat("KS", "QS 9D 6H", "2C 7C 8H", passing="pass_turn"), 3, "live")
    game.send(0, "1K KS", 0)
    game.send(1, "1Q QS", 4 * S, kind="turn")

    game.leave(0, 6 * S)
    game.send(2, "pass", 7 * S, kind="turn")

    assert game.prompt(1, "turn").lands == 7 * S
    assert game.prompt(2, "window").earliest == 4750 * MS


# ---- final windows


def test_final_window_shows_its_end_and_ends_there():
    game = after_a_lie("4D", "QS 9D")
    assert game.prompt(1).deadline == 3 * S
    assert game.asked_entrants("turn") == []

    game.run_until(3 * S - 1)
    assert game.referee.current_game is not None
    game.run_until(3 * S)

    assert game.referee.results[0].places == (1, 2)


def test_declining_does_not_end_a_final_window():
    """It lasts the call time in every mode (A10)."""
    game = after_a_lie("4D", "QS 9D")
    game.send(1, "decline", 1 * S)

    assert game.referee.current_game is not None
    assert game.due == 3 * S


@pytest.mark.parametrize(("start", "due"), [(after_a_lie, 3 * S), (start_disputed_match, 13 * S)])
def test_a_lost_connection_delays_a_final_window_only_if_the_nearest_call_counts(start, due):
    """The protocol guide says so in section 8. The allowance is 10 s."""
    game = start("4D", "QS 9D")

    game.disconnect(1, 1 * S)

    assert game.due == due


def test_missing_a_live_window_is_no_strike():
    game = after_a_lie("4D", "QS 9D")

    game.run_until(3 * S)

    assert game.strikes(1) == {}


# ---- equal instants


def test_landing_precedes_an_automatic_move_at_the_same_instant():
    """Call time and turn time are both 5 s here."""
    game = after_a_lie(turn_ms=5_000, call_ms=10_000)
    game.send(1, "1Q QS", 1 * S, kind="turn")

    game.run_until(5 * S)

    assert statuses(game, 1) == [DecisionStatus.HELD, DecisionStatus.LANDED]
    assert game.strikes(1) == {}


def test_call_at_the_instant_of_a_landing_concerns_the_landed_move():
    game = after_a_lie()
    window = game.prompt(3).id
    game.send(1, "1Q QS", 1 * S, kind="turn")

    given = game.send(3, "call", 3 * S)

    assert given.prompt_id != window
    assert given.reason == "too_early"
    assert game.state.sizes == (2, 2, 3, 3)


def test_call_at_the_instant_a_final_window_ends_is_late():
    game = after_a_lie("4D", "QS 9D")
    window = game.prompt(1).id

    given = game.send(1, "call", 3 * S, prompt=window)

    assert (given.reason, given.late_us) == ("late", 0)
    assert game.referee.results[0].places == (1, 2)


def test_move_at_the_instant_of_the_automatic_move_is_late():
    game = after_a_lie()
    turn = game.prompt(1, "turn").id

    given = game.send(1, "1Q QS", 20 * S, prompt=turn)

    assert given.reason == "late"
    assert Withdraw(EntrantIndex(1), turn) in game.orders
    assert game.strikes(1) == {"missing": 1, "late": 1}


@pytest.mark.parametrize("at", [3 * S, 3 * S + 1])
def test_landing_comes_first_even_if_the_node_reads_a_later_call_before_it(at):
    """The table makes sure of it: no call can cancel a move that has landed by then."""
    game = after_a_lie()
    game.send(1, "1Q QS", 1 * S, kind="turn")

    given = game.send(3, "call", at, kind="window", is_read_first=True)

    assert given.reason == "late"
    assert game.strikes(3) == {}
    assert statuses(game, 1) == [DecisionStatus.HELD, DecisionStatus.LANDED]
    game.check_replay()


def test_new_turn_runs_from_the_landing_however_late_the_node_processes_it():
    """`t_turn` is the instant at which the turn began (A11)."""
    game = after_a_lie()
    game.send(1, "1Q QS", 1 * S, kind="turn")

    game.table.apply(Tick(Instant(3 * S), Instant(3400 * MS)))

    assert game.prompt(2, "turn").deadline == 23 * S
    assert game.prompt(3).earliest == 3750 * MS


def test_move_just_before_the_automatic_move_counts():
    game = after_a_lie()

    assert game.send(1, "1Q QS", 20 * S - 1, kind="turn").status is DecisionStatus.ACCEPTED


@pytest.mark.parametrize("order", [(1, 3), (3, 1)], ids=["nearest read first", "nearest read last"])
def test_nearest_clockwise_call_wins_at_equal_instants(order):
    """The order of reading does not matter: on equal arrival only the seats decide (spec A2, caller_priority)."""
    game = after_a_lie()

    for seat in order:
        assert game.send(seat, "call", 1 * S, kind="window", ends_instant=False).status is DecisionStatus.ACCEPTED
    game.run_until(1 * S + 1)

    assert [event.caller for event in game.events() if isinstance(event, Called)] == [1]
    game.check_replay()


def test_move_read_after_a_call_of_the_same_instant_is_too_late():
    """The call counts first, because its resolution would cancel the move."""
    game = after_a_lie()
    turn = game.prompt(1, "turn")
    game.send(3, "call", 5 * S, kind="window", ends_instant=False)

    move = game.send(1, "1Q QS", 5 * S, prompt=turn.id)

    assert move.reason == "late"
    assert [event.caller for event in game.events() if isinstance(event, Called)] == [3]


def test_leaving_bystander_does_not_exclude_a_nearer_caller_from_a_dispute():
    """Calls are collected for the whole dispute time (spec A2), though a leave makes first callers wait again (A10)."""
    game = start_disputed_match(dispute_ms=1000)
    game.send(3, "call", 2 * S)

    game.leave(2, 2200 * MS)
    given = game.send(1, "call", 2500 * MS, kind="window")
    game.run_until(3 * S)

    assert given.status is DecisionStatus.ACCEPTED
    assert [event.caller for event in game.events() if isinstance(event, Called)] == [1]
