"""A league of very many games, in small: what `make report-soak` measures at length still works."""

import os

import pytest

from tools.studies.report_large import Template, make, run


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="nodes are there on POSIX alone")
@pytest.mark.timeout(600)  # it runs programs on all cores, which others may use too
@pytest.mark.long
def test_league_of_copied_games_is_reported_and_published(tmp_path):
    file, data = make(tmp_path, games=96, played=4, rules="max_turns = 60", nodes=1)

    _, _, most = run(file, data, "report", "--out", str(tmp_path / "report"))
    run(file, data, "publish", "--replays", "finals", "--out", str(tmp_path / "site"))

    games = (tmp_path / "report" / "games.csv").read_text().splitlines()
    assert len(games) == 1 + 96 * 4
    assert len({name for line in games[1:] for name in line.split(",")[6:7]}) == 60
    assert len(Template(data).names) == 60
    assert most < 512
    assert (tmp_path / "site" / "index.html").is_file()
