"""A league keeps the forms of schedule and judgement in which it was sealed."""

import asyncio

import pytest

from arena.competition.league.judgement import Judgement
from arena.competition.league.ports import LeagueRow
from arena.errors import RequestError
from arena.organizer.seal.seal import JUDGEMENT_FORM, SCHEDULE_FORM, judgement_of, keeps_owners_apart
from tests.organizer.leagues import forget_judgement, league_of, seal, write_league


def row_with(**sealed: str) -> LeagueRow:
    return LeagueRow("autumn", "id", 0.0, "", sealed)


def test_leagues_that_name_no_form_keep_the_old_ones():
    assert not keeps_owners_apart(row_with())
    assert keeps_owners_apart(row_with(schedule=SCHEDULE_FORM))
    assert judgement_of(row_with()) is Judgement.OLD
    assert judgement_of(row_with(judgement=JUDGEMENT_FORM)) is Judgement.NEW


def test_forms_of_a_newer_release_are_refused():
    with pytest.raises(RequestError, match="'schedule-v3', which a newer release draws"):
        keeps_owners_apart(row_with(schedule="schedule-v3"))
    with pytest.raises(RequestError, match="'judgement-v3', which a newer release knows"):
        judgement_of(row_with(judgement="judgement-v3"))


@pytest.mark.parametrize("is_old", [False, True], ids=["new", "old"])
def test_field_of_an_unchanged_league_has_its_judgement(tmp_path, is_old):
    file, data = write_league(tmp_path / "bots"), tmp_path / "data"
    asyncio.run(seal(file, data))
    if is_old:
        forget_judgement(data)

    opened = asyncio.run(league_of(file, data))

    assert opened.schedule.field.judgement is (Judgement.OLD if is_old else Judgement.NEW)
    assert opened.changes == ()
