"""Seating: no process twice in a block, both sides alike, every seat, rotating opponents."""

from collections import Counter

import pytest

from arena.competition.compare.lanes import BASELINE, CANDIDATE, Lanes
from arena.competition.league.field import Field

FIELD = Field((), 4, b"")


def lanes_of(*opponents: str) -> Lanes:
    return Lanes(opponents, b"seed")


@pytest.fixture(params=[("x",), ("baseline", "honest"), ("baseline", "honest", "counter"), tuple("abcdefghi")], ids=len)
def lanes(request) -> Lanes:
    return lanes_of(*request.param)


def test_no_process_meets_a_deal_twice(lanes: Lanes):
    for block in lanes.draw_round(1, FIELD):
        assert max(Counter(block.names).values()) == 1
        assert set(block.names) == set(lanes.roles)


def test_process_keeps_its_lane(lanes: Lanes):
    (first,) = lanes.draw_round(1, FIELD)[:1]
    lane_of = {name: lane for lane, table in enumerate(first.tables) for name in table}

    for number in (1, 2, 3):
        for block in lanes.draw_round(number, FIELD):
            for lane, table in enumerate(block.tables):
                assert {lane_of[name] for name in table} == {lane}


def test_candidate_and_baseline_hold_every_seat_once_per_deal_among_the_same_opponents(lanes: Lanes):
    for block in lanes.draw_round(2, FIELD):
        tables = [[lanes.roles[name] for name in table] for table in block.tables]
        for seat in range(lanes.seats):
            one, other = tables[2 * seat], tables[2 * seat + 1]
            assert (one[seat], other[seat]) == (CANDIDATE, BASELINE)
            assert one[:seat] + one[seat + 1 :] == other[:seat] + other[seat + 1 :]


def test_opponents_follow_each_other_in_rotation():
    """Three of them follow the first seat in three orders, and then again."""
    lanes = lanes_of("baseline", "honest", "counter")
    seatings = [tuple(lanes.roles[name] for name in lanes.table(0, block)[1:]) for block in range(1, 7)]

    assert len(set(seatings[:3])) == 3
    assert seatings[3:] == seatings[:3]


def test_names_reveal_neither_side_nor_lane():
    """They are lots: with another seed the same name is a different process."""
    one, other = lanes_of("x"), Lanes(("x",), b"another seed")

    assert sorted(one.roles) == sorted(other.roles)
    assert one.roles != other.roles
    assert all(name.removeprefix("bot").isdigit() for name in one.roles)


def test_batches_continue_without_end():
    lanes = lanes_of("x")
    numbers = [block.number for number in range(1, 6) for block in lanes.draw_round(number, FIELD)]

    assert numbers == list(range(1, 21))
    assert lanes.size(FIELD).games is None
