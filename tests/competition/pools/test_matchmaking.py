"""The matchmaker pairs by rating, uncertainty, waiting time and recent meetings, and keeps owners apart."""

from collections.abc import Mapping
from dataclasses import asdict
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.competition.pools.matchmaking import (
    MatchmakingInput,
    Seeker,
    Table,
    describe_inputs,
    inputs_from_plain,
    seat_tables,
)


def seeker(bot: str, rating: float = 1500.0, *, waited_s: float = 0.5, owner: str = "", spread: float = 20.0) -> Seeker:
    return Seeker(bot, "one", owner, "", rating, spread, waited_s)


def round_of(
    *seekers: Seeker,
    seats: int = 2,
    house: tuple[Seeker, ...] = (),
    meetings: Mapping[frozenset[str], int] | None = None,
    house_after_s: float = 2.0,
) -> MatchmakingInput:
    return MatchmakingInput("round", seats, seekers, house, house_after_s, meetings or {})


def names(table: Table) -> set[str]:
    return {each.bot for each in table.seated}


def test_round_is_computed_from_its_json_by_the_names_in_the_guide():
    from arena.pools import matchmaking  # noqa: PLC0415  the names that scripts import

    given = matchmaking.MatchmakingInput(
        "round", 2, (seeker("one"), matchmaking.Seeker(**asdict(seeker("two")))), (), 2.0, {}
    )
    (table,) = matchmaking.seat_tables(matchmaking.inputs_from_plain(describe_inputs(given)))
    assert isinstance(table, matchmaking.Table)
    assert names(table) == {"one", "two"}


def test_bots_of_like_strength_meet():
    tables = seat_tables(
        round_of(seeker("weak", 1300), seeker("strong", 1700), seeker("weak2", 1310), seeker("s2", 1690))
    )
    assert {frozenset(names(table)) for table in tables} == {frozenset({"weak", "weak2"}), frozenset({"strong", "s2"})}


def test_bots_of_very_different_strength_wait_for_each_other():
    apart = [seeker("weak", 1200, waited_s=0.1), seeker("strong", 1800, waited_s=0.1)]
    assert seat_tables(round_of(*apart)) == []
    longer = [seeker("weak", 1200, waited_s=5), seeker("strong", 1800, waited_s=0.1)]
    assert len(seat_tables(round_of(*longer))) == 1


def test_uncertain_rating_is_no_reason_to_keep_bots_apart():
    newcomer = seeker("new", 1500, spread=350, waited_s=0.1)
    assert len(seat_tables(round_of(newcomer, seeker("strong", 1800, waited_s=0.1)))) == 1


def test_bots_that_met_often_meet_others_first():
    one, familiar, stranger = seeker("one", waited_s=1), seeker("familiar"), seeker("stranger", 1540)
    (table,) = seat_tables(round_of(one, familiar, stranger, meetings={frozenset({"one", "familiar"}): 5}))
    assert names(table) == {"one", "stranger"}


def test_bot_that_waited_longer_is_preferred():
    one = seeker("one", waited_s=3)
    (table,) = seat_tables(round_of(one, seeker("short", waited_s=0.2), seeker("long", waited_s=2)))
    assert names(table) == {"one", "long"}


def test_bots_of_one_owner_never_sit_together():
    pair = [seeker("a", owner="ada", waited_s=60), seeker("b", owner="ada", waited_s=60)]
    assert seat_tables(round_of(*pair)) == []
    (table,) = seat_tables(round_of(*pair, seeker("c", owner="bo", waited_s=60)))
    assert "c" in names(table)


def test_bots_without_owner_may_sit_together():
    assert len(seat_tables(round_of(seeker("a", owner=""), seeker("b", owner="")))) == 1


def test_lone_newcomer_plays_house_bots_after_the_wait():
    house = tuple(seeker(f"house-{number}", waited_s=0) for number in range(5))
    assert seat_tables(round_of(seeker("new", waited_s=1.9), seats=4, house=house)) == []
    (table,) = seat_tables(round_of(seeker("new", waited_s=2.0), seats=4, house=house))
    assert "new" in names(table)
    assert len(table.house) == 3


def test_house_bots_only_take_seats_for_which_no_bot_waits():
    house = (seeker("house-a", 1500), seeker("house-b", 1500))
    waiting = [seeker("one", waited_s=9), seeker("far", 2200), seeker("two", 900)]
    (table,) = seat_tables(round_of(*waiting, seats=4, house=house))
    assert names(table) >= {"one", "far", "two"}
    assert len(table.house) == 1


def test_pair_that_always_meets_is_kept_apart_while_house_bots_can_fill_the_tables():
    pair, often = [seeker("a", waited_s=5), seeker("b", waited_s=4)], {frozenset({"a", "b"}): 10}
    house = (seeker("house-a"),)
    tables = seat_tables(round_of(*pair, house=house, meetings=often))
    assert [len(names(table) & {"a", "b"}) for table in tables] == [1, 1]
    assert len(seat_tables(round_of(*pair, meetings=often))) == 1, "without house bots they play"


def test_without_enough_house_bots_nobody_is_seated():
    assert (
        seat_tables(round_of(seeker("new", waited_s=99), seats=4, house=(seeker("house-a"), seeker("house-b")))) == []
    )


def test_reason_names_who_chose_and_the_cost_of_each_opponent():
    (table,) = seat_tables(round_of(seeker("first", waited_s=1), seeker("other", 1620, waited_s=0)))
    reason = table.describe_reason()
    assert reason["first"] == "first"
    assert reason["costs"] == {"other": pytest.approx(120 / (120**2 + 20**2 + 20**2) ** 0.5, abs=0.001)}


SEEKERS = st.lists(
    st.builds(
        Seeker,
        bot=st.integers(0, 30).map(lambda number: f"bot{number}"),
        instance=st.just("one"),
        owner=st.sampled_from(["", "ada", "bo", "cy"]),
        version=st.just(""),
        rating=st.floats(800, 2200),
        spread=st.floats(5, 350),
        waited_s=st.floats(0, 30),
    ),
    max_size=24,
    unique_by=lambda each: each.bot,
)


@given(SEEKERS, st.integers(2, 6), st.integers(0, 6))
def test_no_program_twice_no_owner_twice_and_full_tables_only(seekers, seats, house_count):
    house = tuple(seeker(f"house-{number}") for number in range(house_count))
    tables = seat_tables(round_of(*seekers, seats=seats, house=house))
    placed = [each.bot for table in tables for each in table.seated if each.bot not in table.house]
    assert len(placed) == len(set(placed))
    for table in tables:
        owners = [each.owner for each in table.seated if each.owner]
        assert len(table.seated) == seats == len(names(table))
        assert len(owners) == len(set(owners))
        assert len(table.house) < seats, "a table has a bot that waited"


@given(SEEKERS, st.randoms(use_true_random=False))
def test_tables_depend_on_nothing_but_what_is_recorded(seekers, random):
    met = {
        pair: random.randint(1, 4)
        for pair in map(frozenset, combinations([each.bot for each in seekers], 2))
        if random.random() < 0.2
    }
    given_round = round_of(*seekers, seats=3, meetings=met)
    shuffled = list(seekers)
    random.shuffle(shuffled)
    assert seat_tables(round_of(*shuffled, seats=3, meetings=met)) == seat_tables(given_round)
    assert inputs_from_plain(describe_inputs(given_round)) == given_round
