"""A damaged row of the store costs one match: the list names it in a sentence and has all others."""

import sqlite3
from contextlib import nullcontext

import pytest

from arena.cli.exit_codes import ExitCode
from arena.errors import StoreDamagedError
from arena.match.referee.match_record import new_match_row
from arena.match.referee.ports import MatchId
from arena.server.store.data_folder import acquire_folder_lock
from arena.server.store.open_store import open_store
from tests.support.commands import run_arena
from tests.support.recorded_matches import DataFolder, ManualMatch

FIRST, SECOND, THIRD = (f"01JZ000000000000000000{number}AGE" for number in (1, 2, 3))
JOURNAL = "01HZ0000000000000000000NDE"


@pytest.fixture
def folder(tmp_path):
    """Three matches that have ended."""
    folder = DataFolder(tmp_path / "data")
    matches = [ManualMatch(each, number=n).play_out() for n, each in enumerate((FIRST, SECOND, THIRD), 1)]
    folder.write_journal(JOURNAL, *matches)
    folder.store_matches(JOURNAL, *matches)
    return folder


@pytest.fixture
def replay(capsys, folder):
    def run(*arguments, code=ExitCode.YES):
        ended = run_arena(capsys, "replay", *arguments, "--data", folder.path)
        assert ended.code == code, ended.err
        return ended

    return run


def damage(folder, table, column, value):
    with sqlite3.connect(folder.path / "arena.db") as store:
        store.execute(f"UPDATE {table} SET {column} = ? WHERE match_id = ?", (value, SECOND))
    store.close()


COLUMNS = ("terms", "entrants", "strikes", "faults")
DAMAGES = [
    *(("match", column, value) for column in COLUMNS for value in ("{", "7", '[{"a": 1}]')),
    ("match", "terms", "{}"),
    ("match", "entrants", '["Ann"]'),
    ("match", "number", "seven"),
    ("match", "statistics", "\x00"),
    ("game", "places", "[1]"),
    ("game", "places", "{"),
    ("game", "turn_count", "many"),
]


@pytest.mark.parametrize(("table", "column", "value"), DAMAGES, ids=repr)
async def test_list_has_all_matches_but_the_damaged_one(folder, table, column, value):
    damage(folder, table, column, value)

    async with await open_store(folder.path) as store:
        found = await store.results.summaries(10)
        others = [each.row.match_id for each in found if not each.damage]
        broken = [(each.row.match_id, each.row.termination) for each in found if f"{SECOND} cannot" in each.damage]

    assert set(others) >= {FIRST, THIRD}
    assert broken == ([] if column == "faults" else [(SECOND, "unreadable")]), "a list reads no faults"


async def test_damaged_match_is_refused_in_a_sentence(folder):
    damage(folder, "match", "faults", "[{}]")

    async with await open_store(folder.path) as store:
        with pytest.raises(StoreDamagedError, match=f"match {SECOND} cannot be read"):
            await store.results.summary(MatchId(SECOND))


async def test_server_continues_the_other_matches(folder):
    fourth = ManualMatch("01JZ0000000000000000004AGE", number=4)
    async with await open_store(folder.path) as store:
        await store.results.add_match(new_match_row(fourth.table.match_id, 4, fourth.bench.terms, "j", 1.0))
        with sqlite3.connect(folder.path / "arena.db") as damaged:
            damaged.execute("UPDATE match SET state = 'running', strikes = '{' WHERE match_id = ?", (SECOND,))
        damaged.close()
        left = await store.results.unfinished_matches()

    assert [each.match_id for each in left] == [fourth.table.match_id]


def test_commands_name_the_damaged_match_and_show_the_others(replay, folder):
    damage(folder, "match", "terms", "{")

    listed = replay("list")
    shown = replay("show", THIRD)
    refused = replay("show", SECOND, code=ExitCode.UNSTEADY)

    assert [line.split()[0] for line in listed.out.splitlines() if line[0] != " "] == [THIRD, FIRST]
    assert f"match {SECOND} cannot be read" in listed.err
    assert "Ann" in shown.out
    assert f"match {SECOND} cannot be read" in refused.err


@pytest.mark.parametrize(("is_served", "state"), [(True, "offered"), (False, "interrupted")])
def test_match_without_a_record_is_listed_and_refused_in_a_sentence(replay, folder, is_served, state):
    """A server stores a match before the first record of it is in its journal."""
    fourth = ManualMatch("01JZ0000000000000000004AGE", number=4)
    folder.store_matches(JOURNAL, fourth, ended=False)

    with acquire_folder_lock(folder.path) if is_served else nullcontext():
        listed = replay("list", "--json").json
        refused = replay("show", fourth.table.match_id, code=ExitCode.USAGE)

    assert [each["state"] for each in listed] == [state, "finished", "finished", "finished"]
    assert "has no record yet" in refused.err


def test_match_whose_journal_is_gone_is_refused_in_a_sentence(replay, folder):
    fourth = ManualMatch("01JZ0000000000000000004AGE", number=4)
    folder.store_matches("01HZ0000000000000000000GNE", fourth, ended=False)

    refused = replay("show", fourth.table.match_id, code=ExitCode.USAGE)

    assert "the journal 01HZ0000000000000000000GNE.journal is not in this data folder" in refused.err
