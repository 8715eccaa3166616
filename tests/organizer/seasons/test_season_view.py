"""The report of a season says whose rating is lower because of an accomplice, and has that rating."""

from arena.competition.pools.season_ratings import fit_season
from arena.organizer.seasons.season_view import build_season_view
from tests.competition.pools.test_accomplices import play
from tests.organizer.seasons.test_seasons import SEASON


def test_accomplice_is_named_beside_the_bot_that_it_helps():
    games = play(500, 160, "mule")

    view = build_season_view(SEASON, games, {}, is_over=True, now=1.0)

    (note,) = [note for note in view.notes if note.startswith("ann left mule behind")]
    assert "Its rating is the lower of those with and without their games together." in note
    fit = fit_season(SEASON.pool, 1, games, {}, bots={}, fitted_at=1.0, upto=0, unended=())
    assert {row.name: row.rating for row in view.ratings} == {row.bot: row.rating for row in fit.ratings}
