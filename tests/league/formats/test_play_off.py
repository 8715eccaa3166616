"""A play-off: more games for those whom a league could not tell apart."""

import pytest

from arena.errors import OptionsError
from arena.league.formats import Season, play_off
from tests.support.leagues import field, games, seatings, spread, tables_of, whole, without


def test_it_follows_all_that_was_played():
    history = whole(Season(12), field(8, 4))

    blocks = play_off(field(8, 4), ["b01", "b02", "b03", "b04"], 4, history)

    assert [block.number for block in blocks] == [7, 8, 9, 10]
    assert {(block.round, block.label) for block in blocks} == {(7, "play-off")}


def test_a_full_table_plays_by_itself_each_in_each_seat():
    names = ["b01", "b03", "b05", "b07"]

    blocks = play_off(field(8, 4), names, 8, ())

    assert {frozenset(table) for table in tables_of(blocks)} == {frozenset(names)}
    assert set(seatings(blocks, names).values()) == {2}


def test_two_at_tables_of_four_meet_in_every_game_and_the_others_take_turns():
    entries = field(8, 4)

    blocks = play_off(entries, ["b01", "b02"], 12, ())

    assert all({"b01", "b02"} <= set(table) for table in tables_of(blocks))
    assert spread(seatings(blocks, ["b01", "b02"])) <= 1
    assert set(games(blocks, [name for name in entries.names() if name not in ("b01", "b02")])) == {4}


def test_more_than_a_table_is_a_season_of_their_own():
    names = [f"b{index:02}" for index in range(8)]

    blocks = play_off(field(20, 4), names, 20, ())

    assert [len(block.tables) for block in blocks] == [2] * 10
    assert set(games(blocks, names)) == {10}


def test_every_fault_is_named_at_once():
    entries = without(field(8, 4), "b01", until=1)

    with pytest.raises(OptionsError) as refused:
        play_off(entries, ["b01", "zoe"], 0, whole(Season(12), entries))

    assert [(fault.field, fault.value) for fault in refused.value.faults] == [
        ("play-off", "b01"),
        ("play-off", "zoe"),
        ("games", 0),
    ]
