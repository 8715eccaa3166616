"""The marks by which a server goes on with its leagues when it starts again."""

from pathlib import Path

from arena.fleet.leagues.league_marks import mark_path, read_marks, remove_mark, write_mark
from arena.server.rpc.league_service import LeagueOrder
from arena.server.store.data_folder import make_data_folder

AUTUMN, SPRING = LeagueOrder("autumn", "name = 'autumn'", finishes_rounds=True), LeagueOrder("spring", "")


def test_marked_leagues_go_on_until_their_marks_are_removed(tmp_path: Path):
    make_data_folder(tmp_path)
    for league_id, order in (("1", AUTUMN), ("2", SPRING)):
        write_mark(mark_path(tmp_path, league_id), order)
    assert read_marks(tmp_path) == [AUTUMN, SPRING]

    remove_mark(tmp_path, "spring")
    remove_mark(tmp_path, "winter")

    assert read_marks(tmp_path) == [AUTUMN]


def test_mark_that_cannot_be_read_keeps_no_other_league_from_going_on(tmp_path: Path):
    make_data_folder(tmp_path)
    write_mark(mark_path(tmp_path, "1"), AUTUMN)
    mark_path(tmp_path, "0").write_text("{")

    assert read_marks(tmp_path) == [AUTUMN]
