"""Totals over games, and how they are shown."""

import io
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from arena.cli.match.recorded_play import RecordedPlay
from arena.cli.match.result import MatchResult, RunDiagnostics
from arena.cli.match.standings import (
    EntrantTotals,
    columns_of,
    faults_text,
    places_text,
    rank_entrants,
    standings_table,
    totals_as_dict,
)
from arena.errors import UnknownNameError
from arena.fleet.runner.started_bot import BotExit
from arena.match.referee.match_order import MatchOrder, MatchReport
from arena.match.referee.ports import GameSummary, MatchId
from arena.organizer.report.play_view import BotPlay

NO_STRIKES = {"late": 0, "illegal": 0, "missing": 0, "gone": 0}


def report(*places, strikes=None, figures=()) -> MatchReport:
    games = tuple(GameSummary(game, each, "finished", 10) for game, each in enumerate(places))
    return MatchReport(MatchId("M"), "ended", games, "finished", strikes or (NO_STRIKES, NO_STRIKES), figures)


def test_matches_are_summed_and_sorted_best_first():
    """a: places 2, 2, 1; b: 1, 1, 2. Think times are weighted by decisions: (10·0.1 + 30·0.3) / 40 = 0.25."""
    first = report((2, 1), (2, 1), figures=({"decisions": 10, "think_s": 0.1, "lies": 2}, {"decisions": 5}))
    second = report((1, 2), figures=({"decisions": 30, "think_s": 0.3, "lies": 1}, {"decisions": 5}))

    b, a = rank_entrants(["a", "b"], [first, second])

    assert (a.name, a.places, a.place_sum, a.mean_place) == ("a", [2, 2, 1], 5, 5 / 3)
    assert (b.name, b.place_sum) == ("b", 4)
    assert a.mean_think_s == 0.25
    assert a.counts["lies"] == 3
    assert b.mean_think_s == 0


def test_strikes_are_counted_by_kind():
    a = rank_entrants(["a", "b"], [report((1, 2), strikes=(NO_STRIKES | {"late": 2, "gone": 1}, NO_STRIKES))])[0]

    assert faults_text(a) == "2 late, 1 gone"
    assert a.strike_count == 3
    assert faults_text(EntrantTotals("b")) == "none"


@pytest.mark.parametrize("game", ["cheat", "cheater"])
def test_standings_fit_into_80_columns_with_every_heading(game):
    """The places of many games and large counts take the most room."""
    names = [column for each in columns_of(game) for column in each.counts]
    counts = Counter(dict.fromkeys(names, 150) | {"decisions": 9000})
    standing = EntrantTotals("random_legal", places=[1] * 10 + [2] * 10 + [3] * 10, counts=counts)
    out = io.StringIO()

    Console(file=out, width=80).print(standings_table([standing], game))

    lines = out.getvalue().splitlines()
    (headings,) = (line.split() for line in lines if " places " in line)
    assert headings == ["bot", "places", "sum", "mean", *(each.heading for each in columns_of(game)), "think", "faults"]
    assert all(len(line) <= 80 for line in lines)
    assert "place 1 is best, so a low mean is good" in " ".join(out.getvalue().split())


def test_figures_are_left_out_until_they_are_known():
    """While a match runs, nobody knows them, and zeros would be wrong."""
    out = io.StringIO()

    Console(file=out, width=80).print(standings_table([EntrantTotals("a", places=[1, 2])], "cheat"))

    (headings,) = (line.split() for line in out.getvalue().splitlines() if " places " in line)
    assert headings == ["bot", "places", "sum", "mean", "think", "faults"]
    assert "told/caught" not in out.getvalue()


def test_zero_games_cause_no_division():
    standing = EntrantTotals("a")

    assert (standing.mean_place, standing.mean_think_s) == (0, 0)
    assert totals_as_dict(standing, "cheat")["counts"]["lies"] == 0
    assert standings_table([standing], "cheat").row_count == 1


def test_each_game_shows_its_own_figures():
    standing = EntrantTotals(
        "a", counts=Counter(attacks=7, cards_taken=3, cards_busted=1, titles_ultimate=2, titles_excellent=1)
    )

    table = standings_table([standing], "cheater")
    headings = [str(column.header) for column in table.columns]
    row = {heading: next(iter(column.cells)) for heading, column in zip(headings, table.columns, strict=True)}

    assert headings == ["bot", "places", "sum", "mean", "attacks", "hides", "cards", "titles", "think", "faults"]
    assert (row["attacks"], row["hides"], row["cards"], row["titles"]) == ("7", "0", "3/1", "3")
    assert "lies" not in totals_as_dict(standing, "cheater")["counts"]
    with pytest.raises(UnknownNameError, match="known: cheat, cheater"):
        columns_of("a third game")


def test_many_places_are_counted():
    assert places_text([1] * 20 + [3] * 4) == "20x1 4x3"


def result_of(*reports, nodes=2) -> MatchResult:
    aftermath = RunDiagnostics(Path("data"), {"a": [Path("a.log"), Path("a.2.log")], "b": []}, [], [])
    return MatchResult(MatchOrder(("a", "b"), game_count=3), reports, aftermath, nodes, match_count=nodes)


def test_games_of_several_nodes_form_one_result():
    """All games count, and each match and the output of each copy of a bot can be found."""
    result = result_of(report((1, 2), (1, 2)), replace(report((2, 1)), match_id=MatchId("N")))

    values = result.as_dict()

    assert result.is_complete
    assert [entrant["places"] for entrant in values["entrants"]] == [[1, 1, 2], [2, 2, 1]]
    assert [(each["match_id"], each["game_count"]) for each in values["matches"]] == [("M", 2), ("N", 1)]
    assert [(game["match_id"], game["game"]) for game in values["games"]] == [("M", 0), ("M", 1), ("N", 0)]
    assert values["nodes"] == 2
    assert "match_id" not in values
    assert values["bots"]["a"]["outputs"] == ["a.log", "a.2.log"]
    assert values["bots"]["b"] == {"output": None, "outputs": [], "ended": None, "last_lines": []}


def test_games_at_the_turn_limit_are_told(capsys):
    """Their turns are 10, as `report` has it, and 2000."""
    games = (*report((1, 2), (1, 2)).games, GameSummary(2, (1, 1), "max_turns", 2000))
    result = result_of(replace(report(), games=games), nodes=1)

    result.show(is_json=False)

    assert "turns: 10 a game (median); 1 of 3 games ended at the limit of 2000 turns\n" in capsys.readouterr().out
    values = result.as_dict()
    assert (values["median_turns"], values["games_at_turn_limit"], values["turn_limit"]) == (10, 1, 2000)


@pytest.mark.parametrize(
    ("names", "hinted"),
    [(("mybot", "honest"), "mybot"), (("honest", "mybot"), "mybot"), (("counter", "honest"), "honest")],
)
def test_lessons_are_suggested_for_the_authors_own_bot(names, hinted, capsys):
    """The bot that came last is named only if all bots are samples."""
    recorded = RecordedPlay(plays=[BotPlay(names[0], {})])
    order = MatchOrder(names, game_count=1)
    result = MatchResult(order, (report((1, 2)),), RunDiagnostics(Path("data"), {}, [], []), 1, recorded)

    result.show(is_json=False)

    assert f"what cost {hinted} most: " in capsys.readouterr().out


def test_match_without_a_finished_game_has_no_turns(capsys):
    result_of(report(), nodes=1).show(is_json=False)

    assert "turns" not in capsys.readouterr().out


def test_faults_name_the_output_that_explains_them(tmp_path):
    """Among several copies, name the newest that wrote an error; a bot known to have ended appears once."""
    older, newer, mute = (tmp_path / name for name in ("a.log", "a.2.log", "b.log"))
    older.write_text("1 ERROR turn failed: old\n")
    newer.write_text("1 ERROR turn failed: a\n2 ERROR turn failed: \x1b[2Jb\nTraceback\n3 WARNING strike\n")
    mute.write_text("hello\n")
    loss = BotExit("c", "ended with exit code 7", (), tmp_path / "c.log")
    aftermath = RunDiagnostics(tmp_path, {"a": [older, newer], "b": [mute], "c": [loss.output], "d": []}, [loss], [])
    struck = [EntrantTotals(name, strikes=Counter(missing=3)) for name in "abcd"]

    assert list(aftermath.remarks(struck)) == [
        f"c ended with exit code 7; its output is in {loss.output}",
        f"a has faults; its output is in {newer}\n  2 ERROR turn failed: b",
        f"b has faults; its output is in {mute}",
        f"output of the bots: {tmp_path}",
    ]
    assert len(list(aftermath.remarks([EntrantTotals("a")]))) == 2, "nothing to explain"


def test_result_of_one_node_has_the_same_shape():
    """A reader needs no second format; the single match is also named at the top level."""
    one = result_of(report((1, 2)), nodes=1).as_dict()
    several = result_of(report((1, 2)), report((2, 1))).as_dict()

    assert one.keys() - several.keys() == {"match_id"}
    assert one["match_id"] == one["games"][0]["match_id"] == one["matches"][0]["match_id"] == "M"
    assert one["games"][0].keys() == several["games"][0].keys()


@pytest.mark.parametrize(
    ("endings", "expected"),
    [
        (["finished", "finished"], "finished"),
        (["finished", "forfeited"], "finished"),
        (["forfeited", "interrupted"], "interrupted"),
        (["cancelled", "finished"], "cancelled"),
        (["finished"], "interrupted"),
        ([], "interrupted"),
    ],
)
def test_result_is_only_as_complete_as_its_parts(endings, expected):
    """A missing part never began."""
    result = result_of(*(replace(report((1, 2)), termination=ending) for ending in endings))

    assert result.termination == expected
    assert result.is_complete == (expected == "finished")
