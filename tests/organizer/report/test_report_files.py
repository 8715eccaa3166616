"""What machines read beside a report: nothing lost, nothing that a spreadsheet would run."""

import csv
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.organizer.report.csv_tables import TABLES
from arena.organizer.report.report_page import write_report
from arena.replays.narration.text_format import safe_cell_text
from tests.organizer.report.reading import Page
from tests.support.league_texts import poison_texts
from tests.support.league_views import HOSTILE_TEXTS, make_league_view, make_names


def rows_of(file: Path) -> list[list[str]]:
    with file.open(encoding="utf-8", newline="") as text:
        return list(csv.reader(text))


@pytest.mark.parametrize("poison", ["=", "+1", "-cmd", "@SUM(", "\t=1", "\r=1", "  =1", '",=1', "\n=1"])
def test_no_cell_is_a_formula(tmp_path, poison):
    write_report(poison_texts(make_league_view(make_names(3), game_count=5), poison), tmp_path)

    for name in TABLES:
        for row in rows_of(tmp_path / name):
            for cell in row:
                assert not cell.lstrip().startswith(("=", "+", "@", "\t", "\r")), (name, cell)
                assert not cell.startswith("-") or float(cell) <= 0, (name, cell)


@given(st.text())
def test_table_text_is_one_printable_line(text):
    assert safe_cell_text(text).isprintable()


@pytest.mark.parametrize("text", ["counter", "bold-7", "a=b", "1.2", "Ockham 1.2", "\u05d0\u05d1\u05d2"])
def test_ordinary_name_is_unchanged(text):
    assert safe_cell_text(text) == text


def test_tables_contain_the_given_values(tmp_path):
    view = make_league_view(make_names(5), game_count=7)

    write_report(view, tmp_path)

    head, *rows = rows_of(tmp_path / "standings.csv")
    column = {name: [row[index] for row in rows] for index, name in enumerate(head)}
    assert column["entrant"] == [row.name for row in view.standings.rows]
    assert list(map(float, column["score"])) == [row.score for row in view.standings.rows]
    assert list(map(int, column["missing"])) == [row.strikes["missing"] for row in view.standings.rows]
    assert column["place"][-1] == ""
    games = rows_of(tmp_path / "games.csv")
    assert len(games) == 1 + 7 * 4
    assert len(rows_of(tmp_path / "faults.csv")) == 1 + len(view.faults)


def test_document_contains_everything(tmp_path):
    view = make_league_view(HOSTILE_TEXTS, game_count=9)

    write_report(view, tmp_path)

    document = json.loads((tmp_path / "report.json").read_text(encoding="ascii"))
    assert document["document"] == "cheatarena-league-report-1"
    assert [row["name"] for row in document["standings"]["rows"]] == list(HOSTILE_TEXTS)
    assert [row["mean"] for row in document["standings"]["rows"]] == [row.score for row in view.standings.rows]
    assert [tuple(game["seats"]) for game in document["games"]] == [game.result.seats for game in view.games]
    assert document["meetings"]["mean"][0][0] is None


def test_document_keys_are_independent_of_league_types(tmp_path):
    write_report(make_league_view(make_names(4), game_count=2), tmp_path)

    document = json.loads((tmp_path / "report.json").read_text(encoding="ascii"))

    assert [*document] == [
        "document", "title", "progress", "ruleset", "pace", "format", "entrants", "standings", "seal", "notes",
        "ratings", "course", "meetings", "play", "play_notes", "collusion", "collusion_method",
        "accomplices", "faults", "incidents", "amendments", "voided", "games", "made_by", "dates", "absences",
        "awaited",
    ]  # fmt: skip
    assert [*document["entrants"][0]] == ["name", "owner", "version", "content", "kind", "remark"]
    assert [*document["standings"]] == [
        "rows", "decided_by", "tie_breaks", "champion", "certainty", "neutral", "digits"
    ]  # fmt: skip
    assert [*document["standings"]["rows"][0]] == [
        "place", "name", "games", "mean", "low", "high", "wins", "mean_place", "forfeits", "strikes", "marked_games",
        "is_separable", "tie_break", "is_disqualified",
    ]  # fmt: skip
    assert [*document["ratings"]] == ["rows", "above", "method"]
    assert [*document["ratings"]["rows"][0]] == ["name", "rating", "low", "high", "is_separable", "group"]
    assert [*document["course"][0]] == ["games", "by_name"]
    assert [*document["meetings"]] == ["names", "mean", "games"]
    assert document["play"][0]["figures"]["lies"].keys() == {"amount", "of"}
    assert [*document["collusion"][0]] == ["first", "second", "chances", "taken", "expected", "p_value", "evidence"]
    assert [*document["accomplices"][0]] == [
        "entrant", "other", "games", "last_places", "expected", "games_elsewhere", "last_places_elsewhere",
        "p_corrected",
    ]  # fmt: skip
    assert [*document["faults"][0]] == ["name", "match_id", "turn", "kind", "sentence", "blame"]
    assert [*document["faults"][0]["blame"]] == [
        "bot_ms", "queue_ms", "wire_ms", "server_ms", "loop_lag_ms", "core_wait_ms", "culprit",
    ]  # fmt: skip
    assert [*document["dates"][0]] == ["first", "last", "opens", "closes", "state", "is_drawn", "entrants"]
    assert [*document["dates"][0]["entrants"][0]] == ["name", "games", "played", "forfeited"]
    assert [*document["absences"][0]] == ["at", "round", "block", "names"]
    assert [*document["games"][0]] == [
        "match_id", "block", "round", "table", "seats", "places", "termination", "turn_count", "forfeits", "label",
    ]  # fmt: skip


def test_page_links_to_files_beside_it(tmp_path):
    page = write_report(make_league_view(make_names(3), game_count=2), tmp_path)

    links = {href for href in Page(page.read_text(encoding="utf-8")).values("href") if not href.startswith("#")}

    assert links == {path.name for path in tmp_path.iterdir()} - {page.name}


def test_report_overwrites_an_older_one(tmp_path):
    write_report(make_league_view(make_names(5), game_count=9), tmp_path)
    write_report(make_league_view(make_names(2), game_count=1), tmp_path)

    assert len(rows_of(tmp_path / "standings.csv")) == 3
