"""Where everybody stands: the table that decides, and the ratings beside it, from what the ledger has."""

from dataclasses import replace

from arena.hosting.amendments import disqualified
from arena.hosting.league import OpenLeague
from arena.league.champion import Champion
from arena.league.formats import Knockout
from arena.league.rating import Ratings, ratings
from arena.league.standings import Standings, standings

PUBLISHED_DRAWS = 200
"""Of the ratings' bootstrap."""


def standings_of(league: OpenLeague, rated: Ratings | None = None) -> Standings:
    """Give the table by which the file says that the league is decided; `rated`: the ratings, where they are known."""
    history, by_rating = league.ledger.history, league.file.decided_by == "rating"
    table = standings(
        [each.name for each in league.file.entrants],
        history,
        seed=league.luck.schedule_seed,
        ratings=(rated or ratings_of(league)) if by_rating and history else None,
        disqualified=disqualified(league.ledger.acts),
    )
    return _by_bracket(table, league, league.form) if isinstance(league.form, Knockout) and history else table


def _by_bracket(table: Standings, league: OpenLeague, form: Knockout) -> Standings:
    """The same rows in the order in which the bracket has them: a knockout is decided by who got how far."""
    order = form.order(league.schedule.field, league.ledger.history)
    rows = sorted(table.rows, key=lambda row: (row.is_disqualified, order.index(row.name)))
    placed = tuple(
        replace(row, place=None if row.is_disqualified else place, is_separable=True, tie_break=None)
        for place, row in enumerate(rows, 1)
    )
    return replace(table, rows=placed, decided_by="bracket", champion=Champion(order[0], "bracket", (order[0],)))


def ratings_of(league: OpenLeague) -> Ratings:
    """Rate everybody who has played; a block has to be over."""
    return ratings(league.ledger.history, seed=league.luck.schedule_seed, draw_count=PUBLISHED_DRAWS)
