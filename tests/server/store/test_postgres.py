"""A store in PostgreSQL: found by a note in the folder, held by one server, refused where it cannot be one."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import make_url

from arena.competition.league.ports import LeagueRow
from arena.errors import RequestError, StoreError, StoreLockedError, StoreVersionError
from arena.match.referee.ports import MatchId
from arena.server.store import schema
from arena.server.store.data_folder import acquire_folder_lock, is_store
from arena.server.store.open_store import Store, open_store
from arena.server.store.store_place import choose_place, find_place, read_url
from tests.support.postgres import PostgresServer

pytestmark = pytest.mark.slow


@pytest.fixture
def url(postgres: PostgresServer) -> str:
    """An empty database."""
    return postgres.new_database()


async def test_folder_remembers_its_database(tmp_path, url, match_row):
    """It is named once. The note, which may have a password, is for its user alone."""
    choose_place(tmp_path / "data", url)
    async with await open_store(tmp_path / "data") as store:
        await store.results.add_match(match_row())

    assert is_store(tmp_path / "data")
    assert (tmp_path / "data" / "arena.store").stat().st_mode & 0o777 == 0o600
    assert not (tmp_path / "data" / "arena.db").exists()
    async with await open_store(tmp_path / "data") as store:
        assert [each.row for each in await store.results.summaries(5)] == [match_row()]


async def test_folder_with_a_database_of_its_own_gets_no_second_one(tmp_path, url):
    await (await open_store(tmp_path)).close()

    with pytest.raises(RequestError, match=r"has a database of its own, arena\.db: .* with `arena store copy`"):
        choose_place(tmp_path, url)

    assert not (tmp_path / "arena.store").exists()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "mysql://ann:hunter2@host/arena",
        "postgresql://ann:hunter2@host",
        "hunter2",
        "postgresql://ann:hunter2@host:x/db",
        "postgresql://ann:p@hunter2@host/db",
    ],
)
def test_text_that_is_no_url_is_refused_and_not_shown(tmp_path, text):
    if not text:
        choose_place(tmp_path / "none", text)
        assert not (tmp_path / "none").exists()
        return
    with pytest.raises(RequestError, match=r"postgresql://USER@HOST/DATABASE") as refused:
        choose_place(tmp_path, text)
    assert "hunter2" not in str(refused.value)


def test_password_behind_the_question_mark_is_refused_and_not_shown(tmp_path):
    with pytest.raises(RequestError, match=r"password of a store belongs in ~/.pgpass") as refused:
        choose_place(tmp_path, "postgresql:///arena?host=/run/postgresql&password=hunter2")
    assert "hunter2" not in str(refused.value)


def test_folder_keeps_its_database(tmp_path):
    """Another one would have none of its results; another user or password leads to the same one."""
    choose_place(tmp_path, "postgresql://ann:old@host/arena")

    with pytest.raises(RequestError, match=r"has its database at postgresql://ann:\*\*\*@host/arena"):
        choose_place(tmp_path, "postgresql://ann:old@host/other")
    choose_place(tmp_path, "postgres://bob:new@host/arena")

    assert find_place(tmp_path) == read_url("postgresql://bob:new@host/arena")


@pytest.mark.parametrize("note", [b"\xff", b"mysql://ann:hunter2@host/arena", b""])
def test_damaged_note_is_a_sentence(tmp_path, note):
    (tmp_path / "arena.store").write_bytes(note)

    with pytest.raises(StoreError, match=r"arena\.store") as refused:
        find_place(tmp_path)
    assert "hunter2" not in str(refused.value)


def name_of(url: str) -> str:
    """Return the name of a database."""
    return str(make_url(url).database)


async def open_at(folder: Path, url: str) -> None:
    choose_place(folder, url)
    await (await open_store(folder)).close()


async def test_password_is_in_no_error(tmp_path, postgres: PostgresServer):
    with pytest.raises(StoreError) as refused:
        await open_at(tmp_path, f"postgresql://arena:hunter2@/none?host={postgres.folder}")

    assert 'database "none" does not exist' in str(refused.value)
    assert "hunter2" not in str(refused.value)


async def test_server_that_is_not_there_is_one_sentence(tmp_path):
    with pytest.raises(StoreError, match=r"^cannot use the store postgresql://arena@127\.0\.0\.1:1/arena: .*refused$"):
        await open_at(tmp_path, "postgresql://arena@127.0.0.1:1/arena")


async def test_database_of_something_else_is_refused_and_kept(tmp_path, postgres: PostgresServer, url):
    postgres.run_sql("CREATE TABLE customer (name text)", name_of(url))

    with pytest.raises(StoreVersionError, match=r"has tables of something else: give the store one of its own$"):
        await open_at(tmp_path, url)

    tables = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
    assert postgres.run_sql(tables, name_of(url)) == "customer"


async def test_database_of_another_encoding_is_refused(tmp_path, postgres: PostgresServer):
    postgres.run_sql("CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1'")

    with pytest.raises(StoreVersionError, match=r"has the encoding LATIN1: a store needs one made with UTF8$"):
        await open_at(tmp_path, postgres.url("latin"))


@pytest.mark.replaces_code
async def test_old_server_is_refused(tmp_path, url, monkeypatch):
    monkeypatch.setattr(schema, "_OLDEST_POSTGRES", 99)

    with pytest.raises(StoreVersionError, match=r" is PostgreSQL \d.*: a store needs 99 or newer$"):
        await open_at(tmp_path, url)


async def test_database_of_a_newer_version_is_refused(tmp_path, postgres: PostgresServer, url):
    await open_at(tmp_path, url)
    postgres.run_sql("UPDATE alembic_version SET version_num = '9999'", name_of(url))

    with pytest.raises(StoreVersionError, match=r"made by a newer version of the arena \(schema 9999"):
        await open_at(tmp_path, url)


async def test_user_without_permission_and_read_only_database_are_refused(
    tmp_path, postgres: PostgresServer, match_row
):
    postgres.run_sql("CREATE ROLE guest LOGIN")
    postgres.run_sql("CREATE DATABASE closed TEMPLATE template0")

    with pytest.raises(StoreError, match=r"permission denied for schema public$"):
        await open_at(tmp_path / "guest", postgres.url("closed", "guest"))

    postgres.run_sql("CREATE DATABASE frozen TEMPLATE empty")
    postgres.run_sql("ALTER DATABASE frozen SET default_transaction_read_only = on")
    choose_place(tmp_path / "frozen", postgres.url("frozen"))
    async with await open_store(tmp_path / "frozen") as store:
        with pytest.raises(StoreError, match=r"in a read-only transaction$"):
            await store.results.add_match(match_row())
        assert await store.results.summaries(1) == []


async def test_one_server_holds_a_database_and_readers_may_open_it(tmp_path, postgres: PostgresServer, match_row):
    url = postgres.new_database("empty")
    for name in ("one", "other"):
        choose_place(tmp_path / name, url)
    with acquire_folder_lock(tmp_path / "one") as one, acquire_folder_lock(tmp_path / "other") as other:
        async with await open_store(tmp_path / "one", one) as server, await open_store(tmp_path / "other") as reader:
            await server.results.add_match(match_row())
            assert len(await reader.results.summaries(5)) == 1
            with pytest.raises(
                StoreLockedError, match=r"is held by process \d+ on .*, started 2.*: wait until it ends$"
            ):
                await open_store(tmp_path / "other", other)

        async with await open_store(tmp_path / "other", other) as following:
            assert len(await following.results.summaries(5)) == 1


async def test_server_that_was_cut_off_writes_no_more(tmp_path, postgres: PostgresServer, match_row):
    """Its connections ended, another server took the store over, and then it comes back."""
    url = postgres.new_database("empty")
    for name in ("old", "new"):
        choose_place(tmp_path / name, url)
    with acquire_folder_lock(tmp_path / "old") as old, acquire_folder_lock(tmp_path / "new") as new:
        async with await open_store(tmp_path / "old", old) as cut_off:
            await cut_off.results.add_match(match_row())
            postgres.run_sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cheatarena'"
            )
            async with await open_store(tmp_path / "new", new) as server:
                for _ in range(2):
                    with pytest.raises(
                        StoreLockedError, match=r"was taken over by process .*: nothing more is written$"
                    ):
                        await cut_off.results.end_match(match_row(state="ended"))
                await server.results.end_match(match_row(state="ended", termination="played"))

            assert (await cut_off.results.match(match_row().match_id)).termination == "played"


TAKEN_OVER = r"was taken over by process .*: nothing more is written from .*old, until a server holds"
BESIDE: Mapping[str, Callable[[Store], Awaitable[object]]] = {
    "a boxed bot's token": lambda store: store.tokens.create_local("house", timedelta(days=1)),
    "a league's ledger": lambda store: store.leagues.add_league(LeagueRow("cup", "L" * 26, 0.0, "", {})),
    "a season's ratings": lambda store: store.pools.close_season("standard", 1, 0.0, ""),
    "a submission's work": lambda store: store.submissions.requeue_interrupted(),
    "an owner's page": lambda store: store.owners.add("ann", "", 1),
    "a table of a league": lambda store: store.deals.reveal(MatchId("M"), {}),
}
"""What processes beside a server write, by what it is."""


@pytest.mark.parametrize("write", BESIDE.values(), ids=BESIDE.keys())
async def test_what_runs_beside_a_server_that_was_cut_off_writes_no_more(tmp_path, postgres: PostgresServer, write):
    """Neither what was there before another server took the store over, nor what begins later."""
    url = postgres.new_database("empty")
    for name in ("old", "new"):
        choose_place(tmp_path / name, url)
    with acquire_folder_lock(tmp_path / "old") as old, acquire_folder_lock(tmp_path / "new") as new:
        cut_off, beside = await open_store(tmp_path / "old", old), await open_store(tmp_path / "old")
        await write(beside)
        postgres.run_sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name_of(url)}'")
        async with await open_store(tmp_path / "new", new), await open_store(tmp_path / "old") as late:
            for store in (beside, late):
                with pytest.raises(StoreLockedError, match=TAKEN_OVER):
                    await write(store)
                assert await store.results.summaries(1) == []
            await late.close()
        await cut_off.close()
        await beside.close()


async def test_what_runs_beside_servers_goes_on_with_the_next_one_of_its_folder(tmp_path, postgres: PostgresServer):
    """Such as web pages of a unit of their own. A folder without a server is that of an organizer elsewhere."""
    url = postgres.new_database("empty")
    for name in ("one", "other", "laptop"):
        choose_place(tmp_path / name, url)
    with acquire_folder_lock(tmp_path / "one") as one, acquire_folder_lock(tmp_path / "other") as other:
        await (await open_store(tmp_path / "one", one)).close()
        async with await open_store(tmp_path / "one") as pages, await open_store(tmp_path / "laptop") as laptop:
            await pages.owners.add("ann", "", 1)
            await laptop.owners.add("bob", "", 1)
            await (await open_store(tmp_path / "other", other)).close()
            with pytest.raises(StoreLockedError, match=r"was taken over by"):
                await pages.owners.add("cid", "", 1)
            async with await open_store(tmp_path / "one", one):
                await pages.owners.add("cid", "", 1)
            assert [each.name for each in await laptop.owners.list()] == ["ann", "bob", "cid"]


async def test_copied_database_counts_its_servers_anew(tmp_path, postgres: PostgresServer):
    """So its numbers are below the one that the folder remembers of the first database."""
    choose_place(tmp_path / "data", postgres.new_database("empty"))
    for _ in range(3):
        with acquire_folder_lock(tmp_path / "data") as lock:
            await (await open_store(tmp_path / "data", lock)).close()
    (tmp_path / "data" / "arena.store").unlink()

    choose_place(tmp_path / "data", postgres.new_database("empty"))

    async with await open_store(tmp_path / "data") as store:
        await store.owners.add("ann", "", 1)


async def test_damaged_number_of_a_server_is_a_sentence(tmp_path, url):
    choose_place(tmp_path / "data", url)
    (tmp_path / "data" / "arena.lease").write_text("seven")

    async with await open_store(tmp_path / "data") as store:
        with pytest.raises(StoreError, match=r"cannot read .*arena\.lease"):
            await store.owners.add("ann", "", 1)


async def test_restarted_database_is_used_again(tmp_path, postgres: PostgresServer, match_row):
    """While it is away, writing is an error; afterwards the same store goes on, and still keeps others out."""
    url = postgres.new_database("empty")
    for name in ("one", "other"):
        choose_place(tmp_path / name, url)
    with acquire_folder_lock(tmp_path / "one") as one, acquire_folder_lock(tmp_path / "other") as other:
        async with await open_store(tmp_path / "one", one) as store:
            await store.results.add_match(match_row())
            postgres.stop()
            try:
                with pytest.raises(StoreError, match=r"^cannot use the store "):
                    await store.results.end_match(match_row(state="ended"))
            finally:
                postgres.start()

            await store.results.end_match(match_row(state="ended"))

            assert (await store.results.match(match_row().match_id)).state == "ended"
            with pytest.raises(StoreLockedError, match=r"is held by process"):
                await open_store(tmp_path / "other", other)
