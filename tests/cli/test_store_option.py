"""`--store` and `ARENA_STORE`: where a new data folder has its database, and what is refused."""

from pathlib import Path

import pytest

from tests.organizer.leagues import write_league
from tests.support.commands import run_arena

SECRET = "hunter2"


@pytest.fixture
def league_file(tmp_path: Path) -> Path:
    return write_league(tmp_path / "bots", bots=3, games=1)


def test_url_that_is_none_is_refused_without_showing_it(tmp_path, league_file, capsys, monkeypatch):
    """It may have a password, whether it comes from the command line or the environment."""
    url = f"mysql://ann:{SECRET}@host/arena"
    monkeypatch.setenv("ARENA_STORE", url)
    refusals = [run_arena(capsys, "league", "seal", league_file, "--data", tmp_path / "data")]
    monkeypatch.delenv("ARENA_STORE")
    refusals += [
        run_arena(capsys, *command, "--data", tmp_path / "data", "--store", url)
        for command in (("league", "seal", league_file), ("league", "run", league_file), ("serve",))
    ]

    assert {each.code for each in refusals} == {64}
    for each in refusals:
        assert "must be named as postgresql://USER@HOST/DATABASE; what was named is not shown" in each.last_line
        assert SECRET not in each.out + each.err
    assert not (tmp_path / "data").exists()


def test_database_out_of_reach_is_one_sentence_without_the_password(tmp_path, league_file, capsys):
    url = f"postgresql://ann:{SECRET}@127.0.0.1:1/arena"
    refused = run_arena(capsys, "league", "seal", league_file, "--data", tmp_path / "data", "--store", url)

    assert refused.last_line.startswith("arena: cannot use the store postgresql://ann:***@127.0.0.1:1/arena: ")
    assert SECRET not in refused.out + refused.err


def test_server_that_plays_a_league_decides_where_it_stores(tmp_path, league_file, capsys):
    url = f"postgresql://ann:{SECRET}@host/arena"
    refused = run_arena(capsys, "league", "run", league_file, "--server", "127.0.0.1:1", "--store", url)

    assert "leave out --store with --server" in refused.last_line
    assert SECRET not in refused.err


@pytest.mark.replaces_code
def test_missing_package_is_named(tmp_path, league_file, capsys, monkeypatch):
    monkeypatch.setattr("arena.server.store.engines.find_spec", lambda _name: None)
    refused = run_arena(
        capsys, "league", "seal", league_file, "--data", tmp_path / "data", "--store", "postgresql://ann@host/arena"
    )

    assert refused.last_line == "arena: a store in PostgreSQL needs psycopg: install cheatarena-server[postgres]"


def test_folder_with_a_database_of_its_own_keeps_it(tmp_path, league_file, capsys):
    assert run_arena(capsys, "league", "seal", league_file, "--data", tmp_path / "data").code == 0

    again = run_arena(
        capsys, "league", "seal", league_file, "--data", tmp_path / "data", "--store", "postgresql://ann@host/arena"
    )

    assert "has a database of its own, arena.db" in again.last_line
