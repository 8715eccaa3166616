"""Where everybody stands: the table that decides, and the ratings beside it, from what the ledger has."""

from arena.hosting.amendments import disqualified
from arena.hosting.league import OpenLeague
from arena.league.rating import Ratings, ratings
from arena.league.standings import Standings, standings

PUBLISHED_DRAWS = 200
"""Of the ratings' bootstrap."""


def standings_of(league: OpenLeague, rated: Ratings | None = None) -> Standings:
    """Give the table by which the file says that the league is decided; `rated`: the ratings, where they are known."""
    history, by_rating = league.ledger.history, league.file.decided_by == "rating"
    return standings(
        [each.name for each in league.file.entrants],
        history,
        seed=league.luck.schedule_seed,
        ratings=(rated or ratings_of(league)) if by_rating and history else None,
        disqualified=disqualified(league.ledger.acts),
    )


def ratings_of(league: OpenLeague, games: int | None = None, draws: int = PUBLISHED_DRAWS) -> Ratings:
    """Rate everybody who has played, in the first so many blocks; None: in all. There has to be one."""
    return ratings(league.ledger.history[:games], seed=league.luck.schedule_seed, draw_count=draws)
