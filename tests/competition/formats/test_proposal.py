"""The format that fits a number of games: worked out by hand for small fields."""

from typing import Any

import pytest

from arena.competition.formats import Knockout, RoundRobin, Season, Swiss, propose_format
from arena.errors import OptionsError
from tests.support.leagues import field, with_late_entrant


@pytest.mark.parametrize(
    ("count", "seats", "games", "expected"),
    [
        (6, 3, 60, RoundRobin()),  # 20 sets, three seats
        (6, 3, 130, RoundRobin(passes=2)),
        (6, 3, 59, Season(59)),
        (60, 4, 295, Season(295)),  # 1770 pairs, six at a table
        (60, 4, 294, Swiss(6, games=3)),  # 15 tables; six rounds halve 60 to one
        (60, 4, 89, Knockout(3)),  # 14 + 8 + 4 + 2 + 1 tables of three games: 60 → 32 → 16 → 8 → 4
    ],
)
def test_format_fits_the_number_of_games(count, seats, games, expected):
    proposal = propose_format(field(count, seats), games)

    assert proposal.format == expected
    assert (expected.size(field(count, seats)).games or 0) <= games


def test_format_without_late_entry_is_not_proposed_where_late_entry_is_needed():
    assert propose_format(with_late_entrant(field(6, 3), "late", since=2), 200).format == Season(200)


def test_too_few_games_are_refused_with_the_minimum():
    with pytest.raises(OptionsError, match="must be at least 29, a knockout of single games"):
        propose_format(field(60, 4), 20)


def test_field_that_fills_no_table_is_refused():
    with pytest.raises(OptionsError, match="must be at least 4 entrants in the first round"):
        propose_format(field(3, 4), 100)


@pytest.mark.parametrize("games", [264, 130, 59, 15])
def test_proposal_keeps_the_requested_tables_per_block(games):
    """A round robin, a season, Swiss rounds, a knockout."""
    form: Any = propose_format(field(12, 2), games, tables=1).format

    assert form.tables == 1
