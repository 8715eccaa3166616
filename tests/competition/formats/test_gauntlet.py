"""One challenger against the rest: blocks of one table, the rest in turns."""

import pytest

from arena.competition.formats import Gauntlet
from tests.support.leagues import count_games, count_meetings, count_seatings, field, spread, tables_of


@pytest.mark.parametrize(("count", "seats"), [(2, 2), (9, 2), (10, 4), (4, 4), (23, 10)])
def test_challenger_sits_at_every_table_and_the_rest_take_turns(count, seats):
    entries = field(count, seats)
    rest = entries.names()[1:]

    blocks = [block for number in range(1, 121) for block in Gauntlet("b00", 60).draw_round(number, entries)]

    assert len(blocks) == 60
    assert all(len(block.tables) == 1 and "b00" in block.names for block in blocks)
    assert spread(count_games(blocks, rest)) <= 1
    assert spread(count_meetings(blocks, rest) or [0]) <= 4
    assert spread(count_seatings(blocks, ["b00"])) <= 2
    assert spread(count_seatings(blocks, rest)) <= 4


def test_rest_of_the_table_has_different_owners():
    """Six others in threes, two of each owner: they can always be apart."""
    entries = field(7, 4, "xaabbcc")

    tables = tables_of(block for number in range(1, 31) for block in Gauntlet("b00", 30).draw_round(number, entries))

    assert all(len({entries.owners()[name] for name in table}) == 4 for table in tables)


def test_absent_challenger_is_refused():
    assert [str(fault) for fault in Gauntlet("zoe", 30).why_not_playable(field(7, 4))] == [
        "challenger must be an entrant that takes part from the first round, got 'zoe'"
    ]
