"""The data folder: private, migrated as a whole, never opened by an older version, written by one server."""

import asyncio
import os
import signal
import sqlite3
import stat
import subprocess
import sys
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, select, text

from arena.errors import RequestError, StoreError, StoreLockedError, StoreVersionError
from arena.server.store import engines
from arena.server.store.data_folder import acquire_folder_lock, is_folder_locked, register_node, wait_for_old_nodes
from arena.server.store.database import Database
from arena.server.store.open_store import Store, open_store
from arena.server.store.schema import MIGRATIONS, SCHEMA, upgrade
from arena.server.store.tables import MATCH_BOTS, METADATA


def mode(path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def sql(folder, statement: str) -> None:
    """Change a store behind its back."""
    connection = sqlite3.connect(folder / "arena.db")
    with connection:
        connection.execute(statement)
    connection.close()


@pytest.mark.skipif(os.name != "posix", reason="permissions are of another kind there")
async def test_new_folder_is_private(tmp_path, match_row):
    folder = tmp_path / "some" / "data"
    before = os.umask(0)
    try:
        with acquire_folder_lock(folder) as held:
            async with await open_store(folder, held) as store:
                await store.results.add_match(match_row())
                files = {path.name: mode(path) for path in folder.iterdir() if path.is_file()}
    finally:
        os.umask(before)

    assert {mode(path) for path in (folder, folder / "journals", folder / "bots")} == {0o700}
    assert set(files) >= {"arena.db", "arena.db-wal", "arena.lock", "arena.lock.json"}
    assert set(files.values()) == {0o600}


async def test_store_knows_its_paths(store: Store):
    assert store.journals_folder == store.folder / "journals"
    assert store.bot_output_folder == store.folder / "bots"
    assert store.journals_folder.is_dir()
    assert store.bot_output_folder.is_dir()


async def test_folder_with_unusual_name_can_be_opened(tmp_path):
    async with await open_store(tmp_path / "50% of #1?x=y") as store:
        assert (store.folder / "arena.db").exists()


def describe_tables(connection: Connection) -> dict[str, Any]:
    """Return all that the database knows of each table, and the version that is noted."""
    found = inspect(connection)
    return {
        "version": connection.scalars(text("SELECT version_num FROM alembic_version")).all(),
        **{
            name: [
                [{**column, "type": str(column["type"])} for column in found.get_columns(name)],
                found.get_pk_constraint(name),
                found.get_foreign_keys(name),
                found.get_unique_constraints(name),
                found.get_check_constraints(name),
                [{**index, "dialect_options": str_values(index)} for index in found.get_indexes(name)],
            ]
            for name in found.get_table_names()
        },
    }


def str_values(index: Any) -> dict[str, str]:
    """Return the options of an index as texts, because two equal clauses of SQL are not equal as values."""
    return {name: str(value) for name, value in index.get("dialect_options", {}).items()}


async def test_migrations_and_a_new_store_have_the_tables_the_code_declares(file_store: Store, tmp_path):
    """Nothing is missing on any side: columns, keys, constraints, indexes, defaults."""

    def differences(connection):
        return compare_metadata(MigrationContext.configure(connection), METADATA)

    migrated = Database(tmp_path / "migrated.db")
    await migrated.write(upgrade)
    assert await file_store.database.read(differences) == []
    assert await migrated.read(differences) == []
    assert await file_store.database.read(describe_tables) == await migrated.read(describe_tables)
    await migrated.close()


def test_newest_schema_is_the_required_one():
    """A store that has it, or is new, is opened without loading the migrations."""
    assert ScriptDirectory(str(MIGRATIONS)).get_current_head() == SCHEMA


async def test_store_of_newer_version_is_refused(tmp_path):
    await (await open_store(tmp_path)).close()
    sql(tmp_path, "UPDATE alembic_version SET version_num = '9999'")

    with pytest.raises(
        StoreVersionError, match=r"made by a newer version of the arena \(schema 9999, known up to \d+\)"
    ):
        await open_store(tmp_path)


@pytest.mark.parametrize("schema", ["0001", "0003", "0005", "0011"])
async def test_store_of_no_release_is_refused_and_kept(tmp_path, schema):
    await (await open_store(tmp_path)).close()
    sql(tmp_path, f"UPDATE alembic_version SET version_num = '{schema}'")
    before = (tmp_path / "arena.db").read_bytes()

    with pytest.raises(
        StoreVersionError, match=rf"has schema {schema}, which no release wrote: open it once with commit \w+, "
    ):
        await open_store(tmp_path)

    assert (tmp_path / "arena.db").read_bytes() == before


async def test_interrupted_creation_is_completed(tmp_path):
    """A crash in the middle leaves a file without tables, because migrations are one transaction."""
    (tmp_path / "arena.db").touch(mode=0o600)

    async with await open_store(tmp_path) as store:
        assert await store.results.summaries(1) == []


async def test_failed_migration_leaves_nothing_behind(tmp_path):
    """A conflicting table stops it after it created two others; they are gone again."""
    (tmp_path / "arena.db").touch(mode=0o600)
    sql(tmp_path, "CREATE TABLE token (x)")

    with pytest.raises(StoreError, match="token already exists"):
        await open_store(tmp_path)

    sql(tmp_path, "DROP TABLE token")
    async with await open_store(tmp_path) as store:
        assert await store.results.summaries(1) == []


async def test_store_needing_migration_is_untouched_while_a_server_holds_it(tmp_path):
    """The running server is the older version: it would find tables that it does not know."""
    (tmp_path / "arena.db").touch(mode=0o600)

    with acquire_folder_lock(tmp_path), pytest.raises(StoreLockedError):
        await open_store(tmp_path)


async def test_file_that_is_no_database_is_refused(tmp_path):
    (tmp_path / "arena.db").write_bytes(b"not a database, but long enough to be looked at" * 100)

    with pytest.raises(StoreError, match="not a database"):
        await open_store(tmp_path)


@pytest.mark.parametrize("path", ["data", "data/below"])
async def test_file_instead_of_folder_is_refused(tmp_path, path):
    """That is a wrong argument; retrying would not help."""
    (tmp_path / "data").write_text("x")

    with pytest.raises(RequestError, match="cannot be used"):
        await open_store(tmp_path / path)


async def test_folder_with_file_in_place_of_journals_is_refused(tmp_path):
    (tmp_path / "journals").write_text("x")

    with pytest.raises(StoreError, match="cannot be used"):
        await open_store(tmp_path)


async def test_readers_can_open_folder_held_by_a_server(tmp_path, match_row):
    with acquire_folder_lock(tmp_path) as held:
        async with await open_store(tmp_path, held) as server, await open_store(tmp_path) as reader:
            await server.results.add_match(match_row())

            assert len(await reader.results.summaries(10)) == 1


def test_second_server_learns_who_holds_the_folder(tmp_path):
    with acquire_folder_lock(tmp_path, "127.0.0.1:50051"), pytest.raises(StoreLockedError) as refusal:
        acquire_folder_lock(tmp_path)

    assert f"held by process {os.getpid()} at 127.0.0.1:50051, started 20" in str(refusal.value)
    assert str(refusal.value).endswith(": wait until it ends, or choose another folder with --data")


def test_holder_address_may_be_added_later(tmp_path):
    """A server knows its port only once it listens."""
    with acquire_folder_lock(tmp_path) as held:
        held.write_lock_info("127.0.0.1:4711")
        with pytest.raises(StoreLockedError, match=r"at 127\.0\.0\.1:4711"):
            acquire_folder_lock(tmp_path)


def test_reader_can_tell_whether_folder_is_held(tmp_path):
    """The check creates nothing, and does not keep a server out."""
    assert not is_folder_locked(tmp_path)
    assert list(tmp_path.iterdir()) == []

    with acquire_folder_lock(tmp_path):
        assert is_folder_locked(tmp_path)

    assert not is_folder_locked(tmp_path)


def test_folder_can_be_held_again_after_release(tmp_path):
    first = acquire_folder_lock(tmp_path)
    first.release()
    first.release()

    with acquire_folder_lock(tmp_path):
        pass


def test_each_hold_has_its_own_number(tmp_path):
    """It increases, also after a refused holder in between."""
    numbers = []
    for _ in range(3):
        with acquire_folder_lock(tmp_path) as held:
            numbers.append(held.number)
            with pytest.raises(StoreLockedError):
                acquire_folder_lock(tmp_path)

    assert numbers == [1, 2, 3]


def test_opening_a_folder_waits_for_nodes_of_previous_holder(tmp_path):
    """Their last writes must not come after their matches were closed."""
    with acquire_folder_lock(tmp_path):
        nodes = [register_node(tmp_path) for _ in range(2)]
    nodes[0].close()

    with acquire_folder_lock(tmp_path):
        with pytest.raises(StoreLockedError, match="a node of a server that was killed"):
            wait_for_old_nodes(tmp_path, 0.1)
        nodes[1].close()
        wait_for_old_nodes(tmp_path, 0.1)


@pytest.mark.parametrize("note", ["", "{", "[]", '{"pid": null}', '{"pid": 1, "started_at": 1e300, "address": ""}'])
def test_damaged_holder_note_is_harmless(tmp_path, note):
    with acquire_folder_lock(tmp_path):
        (tmp_path / "arena.lock.json").write_text(note)
        with pytest.raises(StoreLockedError, match="held by another process"):
            acquire_folder_lock(tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="there is no SIGKILL there")
def test_killed_server_holds_nothing(tmp_path):
    program = (
        "import sys, time, pathlib, arena.server.store.data_folder as lock\n"
        "held = lock.acquire_folder_lock(pathlib.Path(sys.argv[1]))\n"
        "print('held', flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with pytest.raises(StoreLockedError, match=f"process {process.pid}"):
            acquire_folder_lock(tmp_path)
        process.send_signal(signal.SIGKILL)

    with acquire_folder_lock(tmp_path):
        assert f'"pid": {os.getpid()}' in (tmp_path / "arena.lock.json").read_text()


async def test_store_blocked_by_another_process_is_an_error_and_recovers(tmp_path, match_row, monkeypatch):
    """Fault 30: nothing is stored, an error says so, and the store continues without a restart."""
    monkeypatch.setattr(engines, "_BUSY_TIMEOUT_MS", 50)
    async with await open_store(tmp_path) as store:
        blocker = sqlite3.connect(tmp_path / "arena.db", isolation_level=None)
        blocker.execute("BEGIN IMMEDIATE")
        try:
            with pytest.raises(StoreError, match="locked"):
                await store.results.add_match(match_row())
        finally:
            blocker.close()

        await store.results.add_match(match_row())
        assert len(await store.results.summaries(5)) == 1


async def test_many_readers_may_read_at_once(store: Store, match_row):
    await store.results.add_match(match_row())

    rows = await asyncio.gather(*(store.results.summaries(1) for _ in range(50)))

    assert [[each.row for each in found] for found in rows] == [[match_row()]] * 50


async def test_bots_of_the_matches_of_an_older_store_are_found(tmp_path, match_row):
    """The migration lists them: each bot once for a match, an instance under the name of its bot."""
    async with await open_store(tmp_path) as store:
        for letter, entrants in (("A", ("ann/1", "ann/2", "bob")), ("B", ("bob#1", "Žofie"))):
            await store.results.add_match(match_row(f"01JZ8QK3T5V7X9B2D4F6H8M00{letter}", entrants=entrants))
        wanted = await store.database.read(lambda connection: connection.execute(select(MATCH_BOTS)).all())
    newer = METADATA.tables.keys() - {"match", "game", "token", "deal", "league", "league_act", "league_block"}
    for table in (each.name for each in reversed(METADATA.sorted_tables) if each.name in newer):
        sql(tmp_path, f"DROP TABLE {table}")
    for statement in (
        *(f"DROP INDEX {name}" for name in ("ix_match_state", "ix_match_game", "ix_token_owner", "ix_token_league")),
        *(f"ALTER TABLE token DROP COLUMN {name}" for name in ("owner", "last_used_at", "league", "version")),
        "UPDATE alembic_version SET version_num = '0004'",
    ):
        sql(tmp_path, statement)

    async with await open_store(tmp_path) as store:
        listed = await store.database.read(lambda connection: connection.execute(select(MATCH_BOTS)).all())

    assert sorted(listed) == sorted(wanted)
    assert {bot for bot, _ in listed} == {"ann", "bob", "bob#1", "Žofie"}
