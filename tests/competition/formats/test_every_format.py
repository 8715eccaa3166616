"""Properties of every format, over fields of many sizes."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.competition.formats import FORMATS, Format, Gauntlet, Knockout, Ladder, RoundRobin, Season, Swiss
from arena.competition.league.field import Field
from tests.support.leagues import blocks_of, field, play_league, tables_of, with_last_round, with_late_entrant

SOME: tuple[Format, ...] = (
    Season(60),
    Season(45, tables=2),
    Season(31, tables=1),
    RoundRobin(),
    Gauntlet("b00", 30),
    Swiss(4, games=1),
    Swiss(3),
    Knockout(),
    Knockout(games=2, tables=3),
    Ladder(rounds=6, games=1),
)

formats = st.sampled_from(SOME)


@st.composite
def fields(draw) -> Field:
    seats = draw(st.integers(2, 10))
    count = draw(st.integers(seats, 40))
    owners = draw(st.text("ab c", max_size=count))
    return field(count, seats, owners, seed=draw(st.binary(max_size=8)))


def playable(format_: Format, entries: Field) -> bool:
    return not format_.why_not_playable(entries) and (format_.size(entries).games or 0) < 1500


@settings(max_examples=50, deadline=None)
@given(formats, fields())
def test_every_table_is_full_and_no_entrant_is_twice_in_a_block(format_, entries):
    if not playable(format_, entries):
        return

    blocks = blocks_of(play_league(format_, entries))

    assert blocks
    assert [block.number for block in blocks] == list(range(1, len(blocks) + 1))
    for block in blocks:
        assert all(len(table) == entries.seats for table in block.tables)
        assert len(set(block.names)) == len(block.names)
        assert set(block.names) <= set(entries.names())


@settings(max_examples=40, deadline=None)
@given(formats, fields())
def test_size_matches_what_is_played(format_, entries):
    if not playable(format_, entries):
        return
    size = format_.size(entries)

    blocks = blocks_of(play_league(format_, entries))

    assert size.is_exact
    assert (size.games, size.rounds) == (len(tables_of(blocks)), max(block.round for block in blocks))


@settings(max_examples=25, deadline=None)
@given(formats, fields(), st.data())
def test_resumed_league_equals_an_uninterrupted_one(format_, entries, data):
    """It resumes after any round, with equal values rebuilt, results in any order and the file reordered."""
    if not playable(format_, entries):
        return
    results = play_league(format_, entries)
    stop = data.draw(st.integers(0, max(each.block.round for each in results)))
    prefix = data.draw(st.permutations([each for each in results if each.block.round <= stop]))
    again = Field(tuple(data.draw(st.permutations(entries.entries))), entries.seats, entries.seed)

    continued = play_league(format_, again, history=prefix)

    assert sorted(blocks_of(continued), key=lambda block: block.number) == blocks_of(results)


@pytest.mark.parametrize("format_", SOME, ids=repr)
def test_later_results_do_not_affect_a_round(format_):
    """A round that is drawn again with all results known equals the round that was played."""
    entries = field(9, 3)
    results = play_league(format_, entries)

    again = [block for number in range(1, 101) for block in format_.draw_round(number, entries, results)]

    assert again == blocks_of(results)


@pytest.mark.parametrize("format_", [Season(60), Gauntlet("b00", 30), Swiss(6), Ladder(rounds=8)], ids=repr)
def test_late_entrant_changes_nothing_before_it_joins(format_):
    entries = field(11, 3)
    later = with_late_entrant(entries, "late", since=3)

    before, after = blocks_of(play_league(format_, entries)), blocks_of(play_league(format_, later))

    assert [block for block in after if block.round < 3] == [block for block in before if block.round < 3]
    assert {block.round for block in after if "late" in block.names} >= {3}
    assert not format_.why_not_playable(later)
    assert not format_.size(later).is_exact


@pytest.mark.parametrize("format_", [RoundRobin(), Knockout()], ids=repr)
def test_some_formats_refuse_late_entrants_and_say_so(format_):
    later = with_late_entrant(field(9, 3), "late", since=2)

    assert [str(fault) for fault in format_.why_not_playable(later)] == [
        f"option since = 2 is refused: no entrant can join a {format_.name} late: expected round 1 for 'late'"
    ]


@pytest.mark.parametrize("format_", [Swiss(6), Knockout(), Ladder(rounds=8)], ids=repr)
def test_adaptive_formats_stop_seating_a_withdrawn_entrant(format_):
    entries = with_last_round(field(13, 4), "b03", until=1)

    blocks = blocks_of(play_league(format_, entries))

    assert max(block.round for block in blocks) > 1
    assert not [block for block in blocks if block.round > 1 and "b03" in block.names]


@pytest.mark.parametrize("format_", [Season(60), Gauntlet("b00", 30), RoundRobin()], ids=repr)
def test_fixed_formats_keep_the_seats_of_a_withdrawn_entrant(format_):
    entries = field(9, 3)

    assert play_league(format_, with_last_round(entries, "b03", until=1)) == play_league(format_, entries)


@pytest.mark.parametrize("format_", SOME, ids=repr)
def test_another_seed_yields_another_schedule(format_):
    assert play_league(format_, field(9, 3)) != play_league(format_, field(9, 3, seed=b"another"))


@pytest.mark.parametrize("format_", [Season(8), RoundRobin(), Swiss(3), Knockout(), Ladder(rounds=2)], ids=repr)
def test_table_that_cannot_be_filled_is_refused(format_):
    assert [fault.field for fault in format_.why_not_playable(field(3, 4))] == ["format"]
    assert [fault.field for fault in format_.why_not_playable(field(30, 11))][:1] == ["seats"]


def test_all_errors_are_named_at_once():
    faults = Swiss(rounds=0, games=0, tables=0, bye=2.0).why_not_playable(field(3, 4))

    assert [fault.field for fault in faults] == ["format", "rounds", "games", "tables", "bye"]


def test_formats_are_found_by_name():
    assert sorted(FORMATS) == ["gauntlet", "knockout", "ladder", "round-robin", "season", "swiss"]


PRINTED = """
from tests.support.leagues import blocks_of, field, play_league
from arena.competition.formats import (Ladder, Season, Swiss)
import hashlib
for format_ in (Season(40), Swiss(4), Ladder(4)):
    print(hashlib.sha256(repr(blocks_of(play_league(format_, field(11, 3)))).encode()).hexdigest())
"""


def test_another_process_draws_the_same_schedule():
    """The draw does not depend on set order, on Python's hashes or on global randomness."""
    outputs = {
        subprocess.run(
            [sys.executable, "-c", PRINTED],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }

    assert len(outputs) == 1
