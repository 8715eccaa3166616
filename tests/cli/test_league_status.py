"""What is shown of a league: means that keep up with it, games that were lost, faults, and a sample to be told."""

import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from arena.cli.league.progress import RunningMeans, progress_line, resume_text
from arena.cli.league.publish import SAMPLE_SIZE, _select_games
from arena.cli.league.status import show_games, show_status
from arena.competition.league.model import BlockResult, TableResult
from arena.competition.league.points import Score, block_scores
from arena.competition.league.ports import OPEN
from arena.organizer.file.league_reader import read_league_file
from arena.organizer.seal.open_league import OpenLeague
from arena.organizer.view.league_standings import compute_league_standings
from tests.organizer.leagues import write_league
from tests.organizer.simulated_league import SimulatedLeague
from tests.support.league_views import make_league_view as made_up_view
from tests.support.league_views import make_names


@pytest.fixture
def made_up(tmp_path: Path) -> SimulatedLeague:
    """Eight bots at tables of three, two tables a block."""
    return SimulatedLeague(read_league_file(write_league(tmp_path, bots=8, games=40)))


def table_says(league: OpenLeague) -> dict[str, tuple[int, float, float]]:
    rows = compute_league_standings(league).rows
    return {row.name: (row.games, row.score, row.mean_place) for row in rows if row.score is not None}  # type: ignore[misc]  # who has played has both


def means_say(means: RunningMeans) -> dict[str, Any]:
    return {mean.name: pytest.approx((mean.games, mean.score, mean.place)) for mean in means.best_first()}


async def test_incremental_means_equal_those_of_the_table(made_up: SimulatedLeague):
    league = made_up.open_league()
    means = RunningMeans(league)
    assert means.best_first() == []

    for _ in range(4):
        await made_up.play(blocks=3)
        assert table_says(league) == means_say(means)

    scores = [mean.score for mean in means.best_first()]
    assert scores == sorted(scores, reverse=True)


async def test_void_block_is_removed_from_the_means(made_up: SimulatedLeague):
    league = made_up.open_league()
    means = RunningMeans(league)
    await made_up.play(blocks=5)
    means.best_first()

    await made_up.amend("void", made_up.ledger.history[0].tables[0].match_id)

    assert table_says(league) == means_say(means)


async def test_no_block_is_counted_twice(made_up: SimulatedLeague, monkeypatch):
    counted: list[int] = []

    def noted(result: BlockResult) -> Mapping[str, Score]:
        counted.append(result.block.number)
        return block_scores(result)

    monkeypatch.setattr("arena.cli.league.progress.block_scores", noted)
    means = RunningMeans(made_up.open_league())

    for _ in range(3):
        await made_up.play(blocks=4)
        means.best_first()
        means.best_first()

    assert counted == [block.number for block in made_up.blocks]


async def test_progress_line_counts_games_of_this_run(made_up: SimulatedLeague):
    league = made_up.open_league()
    await made_up.play(blocks=5)
    before = league.ledger.game_count
    await made_up.play(blocks=5)

    line = progress_line(league, RunningMeans(league).best_first(), 10.0, before)

    assert (before, league.ledger.game_count) == (10, 20)
    assert line.startswith("20 of 40 games, 1.0 a second, about 20 s left; ")


async def test_progress_line_names_awaited_bots(made_up: SimulatedLeague):
    line = progress_line(made_up.open_league(), [], 10.0, 0, ["ann", "bob"])

    assert line == "0 of 40 games, 0.0 a second; waiting for ann and bob to connect"


async def test_progress_line_does_not_guess_when_an_awaited_bot_connects(made_up: SimulatedLeague):
    league = made_up.open_league()
    await made_up.play(blocks=5)

    line = progress_line(league, [], 10.0, 0, ["ann"])

    assert line == "10 of 40 games, 1.0 a second; waiting for ann to connect"


async def print_games(
    made_up: SimulatedLeague, table: TableResult, capsys: pytest.CaptureFixture[str], **wish: bool
) -> str:
    (result,) = made_up.ledger.history
    result = replace(result, tables=(table,))
    made_up.ledger._results[result.block.number] = result
    made_up.ledger._history = None
    show_games(made_up.open_league(), table.seats[0], **{"lost": False, "faults": False, **wish}, is_json=True)
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("places", "is_lost"),
    [((3, 1, 2), True), ((2, 1, 2), True), ((1, 2, 3), False), ((1, 1, 1), False)],
    ids=["last", "shared-last", "first", "draw-of-everybody"],
)
async def test_last_place_loses_a_game_and_a_draw_of_all_has_no_loser(
    made_up: SimulatedLeague, capsys, places, is_lost
):
    await made_up.play(blocks=1)
    table = replace(made_up.ledger.history[0].tables[0], places=places)

    shown = await print_games(made_up, table, capsys, lost=True)

    assert (table.match_id in shown) == is_lost


async def test_forfeited_game_is_marked(made_up: SimulatedLeague, capsys):
    await made_up.play(blocks=1)
    (result,) = made_up.ledger.history
    first, *others = result.tables
    given_up = replace(first, forfeits=frozenset({first.seats[1]}))
    made_up.ledger._results[result.block.number] = replace(result, tables=(given_up, *others))
    made_up.ledger._history = None

    show_games(made_up.open_league(), "", lost=False, faults=False, is_json=False)

    rows = [line.split("│") for line in capsys.readouterr().out.splitlines()[3:-1]]
    forfeited = {cells[-2].strip(): cells[2].strip() for cells in rows if cells[-2].strip()}
    assert forfeited == {first.match_id: first.seats[1], **{table.match_id: "" for table in others}}


async def test_resuming_message_includes_started_games(made_up: SimulatedLeague):
    await made_up.play(blocks=5)
    assert resume_text(made_up.open_league()) == "10 of 40 games are finished"

    await made_up.begin()

    more = "resuming 2 unfinished games"
    assert resume_text(made_up.open_league()) == f"10 of 40 games are finished; {more}"

    (row,) = [row for row in made_up.ledger.rows if row.state == OPEN]
    await made_up.ledger.void_attempt(row, "its journal is lost")
    assert resume_text(made_up.open_league()) == "10 of 40 games are finished"


async def test_forfeit_counts_as_one_fault(made_up: SimulatedLeague, capsys):
    await made_up.play(blocks=1)
    (result,) = made_up.ledger.history
    table = result.tables[0]
    struck = replace(table, forfeits=frozenset({table.seats[0]}), strikes=({"gone": 1}, {}, {}))
    made_up.ledger._results[result.block.number] = replace(result, tables=(struck, *result.tables[1:]))
    made_up.ledger._history = None

    show_status(made_up.open_league(), is_json=False)

    line = next(each for each in capsys.readouterr().out.splitlines() if table.seats[0] in each)
    assert line.rstrip(" │┃|").endswith(" 1")


async def test_json_contains_the_whole_table(made_up: SimulatedLeague, capsys):
    await made_up.play(blocks=5)
    league = made_up.open_league()

    show_status(league, is_json=True)

    values, standing = json.loads(capsys.readouterr().out), compute_league_standings(league)
    assert [row["name"] for row in values["standings"]] == [row.name for row in standing.rows]
    assert [row["interval"] for row in values["standings"]] == [
        [row.interval.low, row.interval.high] for row in standing.rows
    ]
    assert standing.champion is not None
    assert values["champion"] == {
        "name": standing.champion.name,
        "by": str(standing.champion.by),
        "contenders": list(standing.champion.contenders),
        "certainty": standing.champion.certainty,
        "remaining": list(standing.champion.remaining),
        "withdrawn": list(standing.champion.withdrawn),
        "doubted": list(standing.champion.doubted),
    }
    assert (values["games"], values["planned"]) == (10, 40)


@pytest.mark.parametrize("count", [0, 1, 39, 40, 41, 79, 80, 1000])
def test_sample_respects_its_size_and_is_spread_over_the_league(count):
    whole = made_up_view(make_names(6), game_count=12)
    first = whole.games[0]
    games = [replace(first, result=replace(first.result, match_id=f"M{number}")) for number in range(count)]

    chosen = _select_games(replace(whole, games=games), "sample")

    numbers = [games.index(game) for game in chosen]
    assert len(numbers) == min(count, SAMPLE_SIZE)
    assert len(set(numbers)) == len(numbers)
    assert all(later - sooner <= -(-count // SAMPLE_SIZE) for sooner, later in pairwise(numbers))
