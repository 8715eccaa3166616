"""Several games in a match: seats, intermissions, leaving, forfeits, cancellation, no-shows."""

import pytest

from arena.errors import OptionsError
from arena.games.cheat.rules.events import Dealt
from arena.games.cheat.rules.game import CHEAT
from arena.match.referee.facts import GameEnded, GameStarted, IntermissionStarted, MatchEnded, MatchStarted
from arena.match.referee.orders import AnnounceFact, DrawChance, Order
from arena.match.referee.scalars import EntrantIndex, Instant
from arena.match.referee.terms import Seating
from tests.match.referee.driver import RAID, MatchDriver, S, make_driver, start_match
from tests.support.toy_game import CupsLifted


def series(games: int = 3, entrants: int = 3, **rest: object) -> MatchDriver:
    """Start a match of short raids."""
    return start_match(RAID, entrants, preset="short", games=games, **rest)


def places(game: MatchDriver) -> list[tuple[int, ...]]:
    """Places by seat of the games so far."""
    return [ended.places for ended in game.facts(GameEnded)]


def announced(orders: list[Order]) -> list[type]:
    return [type(order.fact) for order in orders if isinstance(order, AnnounceFact)]


# ---- the course of a match


def test_match_of_one_game_starts_plays_and_ends():
    game = series(games=1, entrants=2)
    game.play_game_out()

    assert announced(game.orders) == [MatchStarted, GameStarted, GameEnded, MatchEnded]
    assert game.referee.ended == MatchEnded("finished", game.referee.results[0].places)
    assert game.due is None


def test_without_intermission_the_next_game_starts_at_once():
    game = series(games=2, entrants=2)
    game.play_game_out()

    assert announced(game.orders) == [MatchStarted, GameStarted, GameEnded, GameStarted]
    assert game.asked_entrants() != []


def test_with_fixed_seats_every_entrant_keeps_its_seat():
    game = series(seating=Seating.FIXED)
    for _ in range(3):
        game.play_game_out()

    assert [started.entrants for started in game.facts(GameStarted)] == [(0, 1, 2)] * 3


def test_with_rotated_seats_every_entrant_moves_one_seat_per_game():
    """Entrant 0 sits at seat 0, then 1, then 2."""
    game = series(seating=Seating.ROTATED)
    for _ in range(3):
        game.play_game_out()

    assert [started.entrants for started in game.facts(GameStarted)] == [(0, 1, 2), (2, 0, 1), (1, 2, 0)]


def test_answers_come_from_entrants_and_count_for_their_seats():
    """In the second game of rotated seats entrant 2 sits at seat 0, where the first game's loser may not sit."""
    game = series(games=2, seating=Seating.ROTATED)
    game.play_game_out()
    [first] = game.asked_entrants()
    seat = game.referee.seat_of(EntrantIndex(first))

    game.send(first, f"aim {(seat + 1) % 3 if seat is not None else 0}")

    assert game.narration()[-1] == f"seat {seat} raids seat {((seat or 0) + 1) % 3}"
    assert game.referee.terms.seat_of(EntrantIndex(first), 1) == seat


def test_game_knows_earlier_results_in_the_order_of_its_own_seats():
    """In raid the last of the previous game starts. Dice make entrant 1 the last: cups 6, 1, 6 and nothing is taken."""
    game = series(games=2, seating=Seating.ROTATED, dice=[5, 0, 5])
    while not game.facts(GameEnded):
        for entrant in game.asked_entrants():
            game.answer(entrant, game.prompt(entrant))

    assert places(game) == [(1, 3, 1)]
    assert game.asked_entrants() == [1]
    assert game.referee.seat_of(EntrantIndex(1)) == 2


def test_prompt_numbers_continue_across_games_and_old_ones_stay_known():
    game = series(games=2, entrants=2)
    last = 0
    while not game.facts(GameEnded):
        entrant = game.asked_entrants()[0]
        last = max(last, game.prompt(entrant).id)
        game.answer(entrant, game.prompt(entrant))

    assert game.prompt(game.asked_entrants()[0]).id == last + 1


def test_places_are_summed_by_entrant_not_by_seat():
    game = series(games=3, seating=Seating.ROTATED)
    for _ in range(3):
        game.play_game_out()

    sums = [0, 0, 0]
    for ended in game.facts(GameEnded):
        for seat, entrant in enumerate(ended.entrants):
            sums[entrant] += ended.places[seat]
    assert game.referee.ended == MatchEnded("finished", tuple(sums))


# ---- intermissions


def match_in_intermission(games: int = 2, entrants: int = 3) -> MatchDriver:
    """Return a match in its first intermission, which began at 1 s and lasts at most 30 s."""
    game = series(games, entrants, intermission_ms=30_000)
    game.play_game_out(1 * S)
    return game


def test_intermission_announces_its_latest_end_and_ends_there():
    game = match_in_intermission()

    assert game.facts(IntermissionStarted) == [IntermissionStarted(Instant(31 * S))]
    assert game.run_until(31 * S - 1) == []
    assert announced(game.run_until(31 * S)) == [GameStarted]


def test_intermission_ends_when_the_last_entrant_is_ready():
    game = match_in_intermission()

    assert game.mark_ready(0, 2 * S) == game.mark_ready(2, 3 * S) == game.mark_ready(2, 4 * S) == []
    assert announced(game.mark_ready(1, 5 * S)) == [GameStarted]


def test_ready_counts_for_one_intermission_only():
    game = match_in_intermission(games=3)
    for entrant in range(3):
        game.mark_ready(entrant, 2 * S)
    game.play_game_out(3 * S)

    assert game.mark_ready(0, 4 * S) == game.mark_ready(1, 4 * S) == []
    assert game.due == 33 * S


def test_ready_outside_an_intermission_has_no_effect():
    game = series(games=2, entrants=2, intermission_ms=30_000)
    game.mark_ready(0, 0)
    game.play_game_out(1 * S)

    assert game.mark_ready(1, 2 * S) == []


def test_intermission_does_not_wait_for_an_entrant_that_leaves():
    game = match_in_intermission()
    game.mark_ready(0, 2 * S)
    game.mark_ready(1, 3 * S)

    assert announced(game.leave(2, 4 * S)) == [GameStarted]


def test_match_ends_at_once_when_all_but_one_leave_during_an_intermission():
    game = match_in_intermission(games=3, entrants=2)

    told = game.leave(1, 2 * S)

    assert announced(told) == [GameEnded, GameEnded, MatchEnded]
    assert [ended.places for ended in game.facts(GameEnded)[1:]] == [(1, 2), (1, 2)]
    assert game.due is None


def test_decisions_during_an_intermission_are_refused():
    game = match_in_intermission()

    assert game.send(0, "aim 1", 2 * S, prompt=1).reason == "already_answered"
    assert game.send(0, "aim 1", 2 * S, prompt=99).reason == "unknown_prompt"
    assert game.referee.prompts_of(EntrantIndex(0)) == []


def test_no_intermission_follows_the_last_game():
    game = series(games=1, entrants=2, intermission_ms=30_000)
    game.play_game_out()

    assert game.facts(IntermissionStarted) == []


# ---- leaving


def test_entrant_that_left_is_dealt_into_later_games_and_leaves_before_the_first_prompt():
    game = series(games=2)
    game.leave(2, 1 * S)
    game.play_game_out()

    game.play_game_out()

    story = game.narration()
    begin = max(index for index, line in enumerate(story) if line.startswith("dice under"))
    assert story[begin + 1] == "seat 2 leaves, place 3"
    assert [ended.places[2] for ended in game.facts(GameEnded)] == [3, 3]
    assert game.strikes(2) == {"gone": 1}


def test_second_leave_has_no_effect():
    game = series(games=2)
    game.leave(2, 1 * S)

    assert game.leave(2, 2 * S) == []


def test_first_to_leave_gets_the_worst_place_in_every_later_game():
    """Four sit down; 3 leaves, then 0: fourth and third in the second game, though 0 has the lower number."""
    game = series(games=2, entrants=4)
    game.leave(3, 1 * S)
    game.leave(0, 1 * S)
    game.play_game_out()
    game.play_game_out()

    assert [(ended.places[0], ended.places[3]) for ended in game.facts(GameEnded)] == [(3, 4), (3, 4)]


def test_entrant_removed_for_absence_ranks_below_one_that_leaves_later():
    """Bob misses his one turn and is removed; then Ann leaves: in the second game he is fourth and she is third."""
    game = series(games=2, entrants=4, max_auto_moves=1)
    game.play_until(lambda: game.asked_entrants("turn") == [1])
    game.run_until(game.due or 0)
    game.leave(0, game.clock)
    game.play_game_out()
    game.play_game_out()

    assert [ended.places[:2] for ended in game.facts(GameEnded)] == [(3, 4), (3, 4)]


def test_unplayed_games_are_forfeits_with_places_in_the_order_of_leaving():
    """2 leaves, then 0: that ends one game of three, and two are forfeits."""
    game = series(games=3, seating=Seating.ROTATED)
    game.leave(2, 1 * S)
    game.leave(0, 2 * S)

    ended = game.facts(GameEnded)
    assert [result.termination for result in ended] == ["cups_lifted", "forfeit", "forfeit"]
    assert [result.entrants for result in ended] == [(0, 1, 2), (2, 0, 1), (1, 2, 0)]
    assert [result.places for result in ended] == [(2, 1, 3), (3, 2, 1), (1, 3, 2)]
    assert game.referee.ended == MatchEnded("forfeited", (6, 3, 9))


def test_match_that_loses_all_but_one_in_its_last_game_is_finished_not_forfeited():
    game = series(games=1, entrants=2)

    game.leave(0, 1 * S)

    assert game.referee.ended == MatchEnded("finished", (2, 1))


# ---- no-shows


def test_no_show_forfeits_and_the_others_play():
    game = make_driver(RAID, 3, preset="short", games=2)
    game.begin(absent=[1])

    assert game.narration()[1:] == ["seat 1 leaves, place 3"]
    assert game.strikes(1) == {"gone": 1}
    assert game.asked_entrants() == [0]
    game.play_game_out()
    game.play_game_out()
    assert [ended.places[1] for ended in game.facts(GameEnded)] == [3, 3]


def test_with_one_entrant_present_nothing_is_dealt():
    game = make_driver(RAID, 3, games=2)

    told = game.begin(absent=[2, 0])

    assert not any(isinstance(order, DrawChance) for order in told)
    assert [ended.places for ended in game.facts(GameEnded)] == [(2, 1, 3)] * 2
    assert game.referee.ended == MatchEnded("forfeited", (4, 2, 6))


def test_with_no_entrant_present_the_match_ends_too():
    game = make_driver(RAID, 2)

    game.begin(absent=[0, 1])

    assert game.referee.ended is not None


# ---- the end by order


@pytest.mark.parametrize("termination", ["cancelled", "interrupted"])
def test_cancelled_match_ends_at_once_without_a_result_for_the_running_game(termination):
    game = series(games=3, entrants=2)
    game.play_game_out()

    told = game.cancel(1 * S, termination)

    assert announced(told) == [MatchEnded]
    assert game.referee.ended == MatchEnded(termination, game.referee.results[0].places)
    assert len(game.referee.results) == 1
    assert game.due is None
    assert game.cancel(2 * S) == []


def test_intermission_can_be_cancelled():
    game = match_in_intermission()

    game.cancel(2 * S)

    assert game.due is None
    assert game.mark_ready(0, 3 * S) == []


def test_cups_are_lifted_once_per_game():
    game = series(games=3)
    for _ in range(3):
        game.play_game_out()

    assert len([event for event in game.events() if isinstance(event, CupsLifted)]) == 3


# ---- terms


@pytest.mark.parametrize("count", [0, 10_001])
def test_number_of_games_is_bounded(count):
    with pytest.raises(OptionsError, match="game_count"):
        make_driver(RAID, 2, games=count)


@pytest.mark.parametrize(
    ("seating", "entrants"), [(Seating.FIXED, [3, 0, 1, 2]), (Seating.ROTATED, [3, 2, 1, 0])], ids=["fixed", "rotated"]
)
def test_deal_rotates_through_all_entrants(seating, entrants):
    """With fixed seats the deal moves on by a seat each game; where entrants change seats it moves with them."""
    game = start_match(CHEAT, 4, preset="folk", games=4, seating=seating, options={"max_turns": 1})
    for _ in range(4):
        game.play_game_out()

    dealt = [event for event in game.events() if isinstance(event, Dealt)]
    assert [ended.entrants[event.dealer] for event, ended in zip(dealt, game.referee.results, strict=True)] == entrants
