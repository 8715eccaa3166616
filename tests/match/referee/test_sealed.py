"""The sealed pace hides who has answered, and what, until the window closes (A12.4)."""

import itertools

import pytest

from tests.match.referee.driver import MS, MatchDriver, S, start_match
from tests.support.prepared_cheat import sealed_cheat

HANDS = ("4D KS 5S", "QS 9D 6H", "2C 7C 8H", "AC AD 3S")


def window(*answers: tuple[int, str], **pace: object) -> MatchDriver:
    """Ann has lied; these answers arrive one millisecond after the other."""
    game = start_match(sealed_cheat(*HANDS), 4, **pace)
    game.send(0, "1K 4D", 0)
    for number, (entrant, text) in enumerate(answers):
        game.send(entrant, text, 10 * MS + number * MS)
    return game


@pytest.mark.parametrize("fixed_window", [False, True])
@pytest.mark.parametrize("text", ["decline", "call", "pass"])
def test_answers_are_hidden_from_others_until_the_window_closes(text, fixed_window):
    """`pass` is refused here: refusals and strikes are hidden as well."""
    silent, spoken = window(fixed_window=fixed_window), window((2, text), fixed_window=fixed_window)

    for game in (silent, spoken):
        game.run_until(S - 1)

    for other in (0, 1, 3):
        assert spoken.orders_to(other) == silent.orders_to(other)
        assert spoken.prompts(other) == silent.prompts(other)
    assert spoken.due == silent.due == S


@pytest.mark.parametrize("others", list(itertools.product(["decline", "call"], repeat=2)))
def test_order_of_answers_does_not_matter(others):
    """All orders of the same three answers lead to the same game."""
    answers = [(1, "decline"), (2, others[0]), (3, others[1])]

    told = {repr([window(*order).narration(), window(*order).state.sizes]) for order in itertools.permutations(answers)}

    assert len(told) == 1


def test_nearest_call_wins_and_only_the_losing_caller_learns_of_its_own():
    game = window((3, "call"), (1, "decline"))
    before = {seat: len(game.orders_to(seat)) for seat in range(4)}

    game.send(2, "call", 20 * MS)

    heard = {seat: repr(game.orders_to(seat)[before[seat] :]) for seat in range(4)}
    assert game.events()[1].caller == 2
    assert "Overruled" in heard[3]
    assert not any("Overruled" in heard[seat] for seat in (0, 1, 2))


def test_declined_answers_are_never_announced():
    """A window that everybody declined and one that everybody missed look alike, apart from their length."""
    declined = window((1, "decline"), (2, "decline"), (3, "decline"), fixed_window=True)
    slept = window(fixed_window=True)

    for game in (declined, slept):
        game.run_until(S)

    assert declined.orders_to(0) == slept.orders_to(0)


def test_table_does_not_change_before_all_have_answered():
    game = window((1, "call"), (2, "decline"))

    assert game.state.sizes == (2, 3, 3, 3)
    assert len(game.narration()) == 1
    assert game.asked_entrants() == [3]


def test_leave_of_a_prompted_seat_keeps_the_deadline_of_the_others():
    game = window((3, "call"))
    prompt = game.prompt(1)

    game.leave(3, 500 * MS)

    assert game.prompt(1) == prompt
    assert game.asked_entrants() == [1, 2]


def test_call_of_a_leaving_seat_is_void():
    game = window((3, "call"))
    game.leave(3, 500 * MS)

    game.send(1, "decline", 600 * MS)
    game.send(2, "decline", 600 * MS)

    assert game.state.sizes == (2, 3, 3, 0), "nobody has taken the pile"
    assert game.asked_entrants("turn") == [1]


def test_window_closes_when_the_last_seat_without_an_answer_leaves():
    game = window((1, "decline"), (2, "decline"))

    game.leave(3, 500 * MS)

    assert game.asked_entrants("turn") == [1]
    assert game.state.sizes == (2, 3, 3, 0)


def test_leave_that_makes_a_window_final_is_announced_to_seats_still_prompted():
    """Ann is out with her lie and Cid leaves: Bob's answer decides the game, under the same prompt and deadline."""
    game = start_match(sealed_cheat("4D", "QS 9D", "2C 7C"))
    game.send(0, "1K 4D", 0)
    before = game.prompt(1)

    game.leave(2, 500 * MS)

    after = game.prompt(1)
    assert (after.id, after.deadline) == (before.id, before.deadline)
    assert (before.options.final, after.options.final) == (False, True)
    assert repr(after) in repr(game.orders_to(1)[-3:])


def test_turn_keeps_its_prompt_with_fresh_time_when_a_bystander_leaves():
    game = window((1, "decline"), (2, "decline"), (3, "decline"))
    before = game.prompt(1)

    game.leave(3, 1500 * MS)

    assert game.prompt(1).id == before.id
    assert game.prompt(1).deadline == 3500 * MS
