"""`arena dataset`: the decisions of many matches as one file, without those whose cards are still secret."""

import asyncio
import csv
from collections.abc import Sequence

import pytest

from arena.cli.exit_codes import ExitCode
from arena.games.catalogue import games, phrasing_of
from arena.match.referee.deal import SHARED_DEAL_PREFIX
from arena.match.referee.ports import DealRow
from arena.replays.decisions.dataset import DatasetWriter
from arena.replays.decisions.decision_files import open_decision_file
from arena.replays.decisions.decision_table import DecisionRow
from arena.replays.library.library import Library
from arena.replays.library.match_filter import EVERY_MATCH
from arena.replays.library.match_places import MatchPlaces
from arena.server.store.open_store import open_store
from tests.support.commands import run_arena
from tests.support.recorded_matches import DataFolder, ManualMatch

FIRST, SECOND, THIRD = (f"01K0000000000000000000000{number}" for number in (1, 2, 3))
OLD, NEW = "01HZ0000000000000000000NDA", "01HZ0000000000000000000NDE"


@pytest.fixture
def folder(tmp_path):
    return DataFolder(tmp_path / "data")


@pytest.fixture
def write(capsys, folder):
    def run(file, *arguments):
        return run_arena(capsys, "dataset", file, "--data", folder.path, *arguments)

    return run


def played(match_id, number=1):
    return ManualMatch(match_id, number).play_out()


def read_table(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def matches_in(path):
    return list(dict.fromkeys(row["match_id"] for row in read_table(path)))


def test_every_decision_of_every_match_is_a_row(write, capsys, folder, tmp_path):
    """The newest match comes first; its rows are those that the export of this one match has."""
    folder.write_journal(OLD, played(FIRST))
    folder.write_journal(NEW, played(SECOND, 1), played(THIRD, 2))

    ended = write(tmp_path / "all.csv")
    run_arena(capsys, "replay", "export", SECOND, "--data", folder.path, "--decisions", tmp_path / "one.csv")

    rows = read_table(tmp_path / "all.csv")
    assert (ended.code, ended.out) == (ExitCode.YES, f"{tmp_path / 'all.csv'}: 3 matches, {len(rows)} decisions\n")
    assert matches_in(tmp_path / "all.csv") == [THIRD, SECOND, FIRST]
    assert [row for row in rows if row["match_id"] == SECOND] == read_table(tmp_path / "one.csv")


def test_row_names_rules_and_place_in_the_end(write, folder, tmp_path):
    match = played(FIRST)
    folder.write_journal(NEW, match)

    write(tmp_path / "d.csv")

    rows = read_table(tmp_path / "d.csv")
    (places,) = [result.places for result in match.bench.referee.results]
    assert {(int(row["seat"]), int(row["place"])) for row in rows} == set(enumerate(places))
    assert {row["ruleset"] for row in rows} == {"cheat 1 standard"}


def test_game_that_never_ended_has_no_places(write, folder, tmp_path):
    match = ManualMatch(FIRST)
    match.answer(0, "1A AC", at=1)
    folder.write_journal(NEW, match)

    write(tmp_path / "d.csv")

    assert [(row["answer"], row["place"]) for row in read_table(tmp_path / "d.csv")] == [("1A AC", "")]


def test_match_that_runs_is_left_out_and_counted(write, folder, tmp_path, monkeypatch):
    unfinished = ManualMatch(SECOND, 2)
    unfinished.answer(0, "1A AC", at=1)
    folder.write_journal(NEW, played(FIRST), unfinished)
    monkeypatch.setattr("arena.replays.library.library.is_folder_locked", lambda _: True)

    ended = write(tmp_path / "d.csv")

    assert matches_in(tmp_path / "d.csv") == [FIRST]
    assert "left out while they run: 1 match" in ended.err


def test_match_whose_cards_are_in_play_elsewhere_is_left_out_and_counted(write, folder, tmp_path):
    """Two tables of a block have one deal: it is revealed when the last of them has ended."""
    folder.write_journal(NEW, played(FIRST), hidden := played(SECOND, 2))
    folder.store_matches(NEW, hidden)
    asyncio.run(share_the_cards_of(folder, SECOND))

    ended = write(tmp_path / "d.csv")

    assert matches_in(tmp_path / "d.csv") == [FIRST]
    assert "left out while other tables may play their cards: 1 match" in ended.err


async def share_the_cards_of(folder, match_id):
    async with await open_store(folder.path) as store:
        shared = f"{SHARED_DEAL_PREFIX}01ARYZ6S41TSV4RRFFQ69G5FAV.1.0"
        await store.deals.commit(DealRow(1, match_id, shared, NEW, 2, 0.0, bytes(32), bytes(32), bytes(32)))


def test_torn_journal_costs_its_last_match_only(write, folder, tmp_path):
    folder.write_journal(OLD, played(FIRST))
    torn = folder.write_journal(NEW, played(SECOND))
    folder.store_matches(NEW, played(SECOND))
    torn.write_bytes(b"not a journal any more")

    ended = write(tmp_path / "d.csv")

    assert (ended.code, matches_in(tmp_path / "d.csv")) == (ExitCode.YES, [FIRST])
    assert "journal" in ended.err


@pytest.mark.parametrize("arguments", [("--league", "autumn"), ("--entrant", "nobody"), ("--preset", "folk")])
def test_nothing_to_write_is_an_error_and_keeps_the_old_file(write, folder, tmp_path, arguments):
    folder.write_journal(NEW, played(FIRST))
    (tmp_path / "d.csv").write_text("older")

    ended = write(tmp_path / "d.csv", *arguments)

    flag, value = arguments
    assert (ended.code, ended.last_line) == (ExitCode.USAGE, f"arena: no match to write with {flag[2:]} {value}")
    assert (tmp_path / "d.csv").read_text() == "older"
    assert not list(tmp_path.glob("*.part"))


def test_file_of_another_kind_is_refused(write, folder, tmp_path):
    folder.write_journal(NEW, played(FIRST))

    ended = write(tmp_path / "d.json")

    assert ended.last_line == "arena: a table of decisions is a file FILE.csv or FILE.parquet, not 'd.json'"


async def test_no_more_rows_are_kept_than_a_part_and_a_match_have(folder):
    numbers = range(1, 6)
    folder.write_journal(NEW, *(played(f"01K0000000000000000000000{number}", number) for number in numbers))
    parts: list[Sequence[DecisionRow]] = []
    library = Library(folder.path, None, games(), MatchPlaces())

    found = await DatasetWriter(library, games(), phrasing_of, parts.append, part_rows=1).write(EVERY_MATCH)

    assert [len({row.match_id for row in part}) for part in parts] == [1] * len(numbers)
    assert (found.matches, found.decisions) == (len(numbers), sum(map(len, parts)))


def test_parquet_and_csv_have_the_same_rows(write, folder, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is an extra")
    folder.write_journal(NEW, played(FIRST), played(SECOND, 2))

    write(tmp_path / "d.csv")
    write(tmp_path / "d.parquet")

    table = parquet.read_table(tmp_path / "d.parquet").to_pylist()
    texts = [{name: "" if cell is None else str(cell) for name, cell in row.items()} for row in table]
    assert texts == read_table(tmp_path / "d.csv")


def test_error_half_way_leaves_the_old_file(tmp_path):
    (tmp_path / "d.csv").write_text("older")

    def fill_the_disk():
        with open_decision_file(tmp_path / "d.csv"):
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        fill_the_disk()

    assert (tmp_path / "d.csv").read_text() == "older"
    assert not list(tmp_path.glob("*.part"))
