"""Who is slow, absent, leaves or declines too often gets fewer seats, is told why, and gets them back."""

import pytest

from arena.competition.pools.seat_allowance import LONGEST_PAUSE_S, Misconduct, SeatAllowance


def play(allowance: SeatAllowance, now: float, *, has_left: bool = False, strikes: int = 0) -> None:
    allowance.note_match(has_left=has_left, strikes=strikes, prompts=100, now=now)


def test_bot_without_faults_gets_what_it_wants():
    allowance = SeatAllowance()
    play(allowance, 0.0)
    assert allowance.seats(5, 1.0) == 5
    assert allowance.describe() == ""


def test_absent_bot_gets_no_seat_for_half_a_minute():
    allowance = SeatAllowance()
    allowance.note_absence(100.0)
    assert allowance.seats(5, 129.9) == 0
    assert "did not answer" in allowance.describe()
    assert allowance.seats(5, 130.0) == 5
    assert allowance.lift(130.0)
    assert allowance.reason is None


def test_each_absence_in_a_row_doubles_the_pause_up_to_an_hour():
    allowance, now, pauses = SeatAllowance(), 0.0, []
    for _ in range(9):
        allowance.note_absence(now)
        pauses.append(allowance.until - now)
        now = allowance.until
    assert pauses[:4] == [30, 60, 120, 240]
    assert pauses[-1] == LONGEST_PAUSE_S


def test_ten_matches_without_faults_halve_the_next_pause():
    allowance = SeatAllowance()
    for _ in range(3):
        allowance.note_absence(0.0)
    for _ in range(10):
        play(allowance, 0.0)
    allowance.note_absence(0.0)
    assert allowance.until == pytest.approx(120.0)


@pytest.mark.parametrize("refuse", [SeatAllowance.note_absence, SeatAllowance.note_decline])
def test_bot_that_refuses_every_other_offer_soon_plays_once_an_hour(refuse):
    """It would otherwise choose its opponents, because an offer names them."""
    allowance, now = SeatAllowance(), 0.0
    for _ in range(20):
        play(allowance, now)
        refuse(allowance, now)
        now = max(now, allowance.until)
    refuse(allowance, now)
    assert allowance.until - now == LONGEST_PAUSE_S


def test_two_declines_are_free_and_the_third_is_not():
    allowance = SeatAllowance()
    for _ in range(2):
        allowance.note_decline(0.0)
        assert allowance.seats(3, 1.0) == 3
    allowance.note_decline(0.0)
    assert allowance.reason is Misconduct.DECLINED
    assert allowance.seats(3, 1.0) == 0


def test_a_bot_may_decline_one_offer_in_ten_for_ever():
    allowance = SeatAllowance()
    for number in range(300):
        if number % 11 == 10:
            allowance.note_decline(float(number))
            assert allowance.reason is None
        else:
            play(allowance, float(number))


def test_a_bot_cannot_decline_every_third_offer():
    allowance = SeatAllowance()
    for number in range(30):
        if number % 3 == 2:
            allowance.note_decline(float(number))
        else:
            play(allowance, float(number))
    assert allowance.reason is Misconduct.DECLINED


@pytest.mark.parametrize(("strikes", "seats"), [(2, 8), (10, 8), (11, 4)])
def test_slow_bot_gets_half_of_its_seats(strikes, seats):
    allowance = SeatAllowance()
    play(allowance, 0.0, strikes=strikes)
    assert allowance.seats(8, 1.0) == seats


def test_slow_bot_with_one_seat_keeps_it():
    allowance = SeatAllowance()
    play(allowance, 0.0, strikes=50)
    assert allowance.seats(1, 1.0) == 1


def test_being_slow_does_not_shorten_a_pause():
    allowance = SeatAllowance()
    allowance.note_absence(0.0)
    play(allowance, 1.0, strikes=50)
    assert allowance.seats(4, 29.0) == 0


def test_leaving_costs_seats():
    allowance = SeatAllowance()
    play(allowance, 0.0, has_left=True)
    assert allowance.seats(4, 1.0) == 0
    assert allowance.reason is Misconduct.LEFT


def test_slow_bot_does_not_get_its_seats_back_sooner_by_leaving():
    allowance = SeatAllowance()
    play(allowance, 0.0, strikes=20)
    play(allowance, 10.0, has_left=True)
    assert [allowance.seats(4, now) for now in (39.0, 40.0, 599.0, 600.0)] == [0, 2, 2, 4]
    assert allowance.lift(40.0)
    assert (allowance.reason, allowance.until) == (Misconduct.TOO_MANY_STRIKES, 600.0)


def test_strikes_of_a_match_that_ends_during_a_pause_count():
    allowance = SeatAllowance()
    play(allowance, 0.0, has_left=True)
    play(allowance, 1.0, strikes=20)
    assert [allowance.seats(4, now) for now in (29.0, 30.0, 601.0)] == [0, 2, 4]
