"""Journals of old matches are packed and dropped: replays, exports and audits say the same as before."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import psutil
import pytest

from arena.cli.beside_server import pack_journals as pack_beside_server
from arena.cli.exit_codes import ExitCode
from arena.games.catalogue import games
from arena.organizer.audit import audit as audit_module
from arena.organizer.audit.audit import StoreAudit
from arena.organizer.retention.old_journals import find_old_journals, is_due
from arena.organizer.retention.retention import run_round
from arena.server.config.retention_settings import RetentionSettings
from arena.server.config.server_config import ServerConfig
from arena.server.store import folder_copy
from arena.server.store.data_folder import acquire_folder_lock
from arena.server.store.folder_copy import copy_data_folder, restore_data_folder
from arena.server.store.journal_packing import pack_journals
from arena.server.store.open_store import open_store
from arena.server.store.packed_journals import PACKED, list_journals
from tests.organizer.audit.test_audit import EDITS, KILLED, RELEASE, execute
from tests.support.commands import run_arena

MATCH = "01M835816C47QYYPE52S46AF50"
"""A match of the folder `killed` that has ended."""
NOW_S = 1_900_000_000.0


@pytest.fixture(scope="module")
def release(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("release")
    with tarfile.open(RELEASE) as packed:
        packed.extractall(folder, filter="data")
    return Path(folder, "data")


@pytest.fixture
def copied(tmp_path, release) -> Callable[[str], Path]:
    def copy(name: str) -> Path:
        folder = Path(shutil.copytree(release / name, tmp_path / name))
        asyncio.run(_migrate(folder))
        return folder

    return copy


async def _migrate(folder: Path) -> None:
    async with await open_store(folder):
        pass


@pytest.fixture
def arena(capsys):
    def run(folder: Path, *words: object, code: ExitCode = ExitCode.YES) -> str:
        ended = run_arena(capsys, *words, "--data", folder)
        assert ended.code == code, ended.err
        return " ".join((ended.out + ended.err).split())

    return run


def pack(arena, folder: Path, *words: object) -> Any:
    return json.loads(arena(folder, "journals", "pack", "--pack-after-days", 0, "--json", *words))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "journals").iterdir())


def test_everything_says_the_same_of_packed_journals(copied, arena, tmp_path):
    folder = copied("killed")

    def ask() -> list[str]:
        arena(folder, "replay", "export", MATCH, "--to", tmp_path / "replay.json")
        said = [
            arena(folder, "audit", "--json"),
            arena(folder, "replay", "list"),
            arena(folder, "replay", "show", MATCH, "--entrant", "python"),
            arena(folder, "replay", "verify", tmp_path / "replay.json"),
            (tmp_path / "replay.json").read_text(),
        ]
        (tmp_path / "replay.json").unlink()
        return said

    before, *unfinished = ask(), *names(folder)[-1:]
    report = pack(arena, folder)

    assert len(report["packed"]) == 3
    assert 0 < report["packed_byte_count"] < report["byte_count"]
    assert names(folder) == unfinished, "the journal of a match that has not ended stays"
    assert report["kept"] == {unfinished[0]: f"match {KILLED} has not ended"}
    assert ask() == before
    assert pack(arena, folder)["packed"] == []


@pytest.mark.parametrize("case", ["turns", "events", "a game deleted", "a match deleted", "journal of a deal"])
def test_audit_finds_in_packed_journals_what_it_finds_in_files(copied, arena, case):
    """What was edited before, on the other hand, is not packed: the file stays as evidence."""
    folder, (_, statement, said) = copied("killed"), EDITS[case]
    files = Path(shutil.copytree(folder, folder.with_name("files")))
    pack(arena, folder)

    execute(folder, statement)
    execute(files, statement)
    found = [json.loads(arena(each, "audit", "--json", code=ExitCode.NO)) for each in (folder, files)]

    assert found[0] == found[1]
    assert any(said in f"{each['subject']}: {each['difference']}" for each in found[0]["findings"])


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("UPDATE game SET turn_count = turn_count + 1 WHERE game = 0", "turn_count is"),
        ("UPDATE match SET strikes = 'x'", "cannot be read"),
        ("DELETE FROM match", "began in it and is not in the store"),
    ],
)
def test_journal_that_disagrees_with_the_store_stays(copied, arena, statement, why):
    folder = copied("killed")
    before = names(folder)
    execute(folder, statement)

    kept = pack(arena, folder)["kept"]

    assert names(folder) == before
    assert sum(why in each for each in kept.values()) >= 3


def test_damaged_journal_stays(copied, arena):
    folder = copied("killed")
    path = folder / "journals" / names(folder)[0]
    content = path.read_bytes()
    path.write_bytes(content[:500] + bytes([content[500] ^ 1]) + content[501:])

    assert "is damaged at byte" in pack(arena, folder)["kept"][path.name]
    assert path.exists()


@pytest.mark.parametrize(("name", "why"), [("finished", "is not closed"), ("cut", "is not revealed yet")])
def test_leagues_that_are_not_closed_and_deals_that_are_not_revealed_keep_their_journals(copied, arena, name, why):
    folder = copied(name)
    before = names(folder)

    kept = pack(arena, folder)["kept"]

    assert (names(folder), sorted(kept)) == (before, before)
    assert all(why in each for each in kept.values())


def test_closed_league_is_packed(copied, arena):
    folder = copied("finished")
    execute(folder, "INSERT INTO league_act SELECT name, 99, 0.0, 'closed', '{}' FROM league")

    assert len(pack(arena, folder)["packed"]) == 2


def test_dropped_journals_are_named_by_replay_export_and_audit(copied, arena, tmp_path):
    folder = copied("killed")
    pack(arena, folder)

    assert len(pack(arena, folder, "--drop-after-days", 1)["dropped"]) == 3

    said = "by the organizer's term of 1 day"
    assert said in arena(folder, "replay", "show", MATCH)
    refusal = arena(folder, "replay", "export", MATCH, "--to", tmp_path / "replay.json", code=ExitCode.USAGE)
    assert said in refusal
    audited = json.loads(arena(folder, "audit", "--json"))
    assert audited["findings"] == []
    assert sum(said in each["difference"] for each in audited["notes"]) == 3
    assert MATCH in arena(folder, "replay", "list"), "its result stays"


async def test_audit_reads_on_while_its_journals_are_packed(copied, monkeypatch):
    """They go after the audit has listed them."""
    folder = await asyncio.to_thread(copied, "killed")
    with acquire_folder_lock(folder) as held:
        async with await open_store(folder, held) as store:
            before, audit = await StoreAudit(store, games()).run(), StoreAudit(store, games())
            listed = list_journals(folder)
            await run_round(folder, RetentionSettings(pack_after_days=0), games(), NOW_S, held)
            monkeypatch.setattr(audit_module, "list_journals", lambda _: listed)
            assert await audit.run() == before
    assert len(names(folder)) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--pack-after-days", "-1"], "retention.pack_after_days must be 0 to 36500, got -1"),
        (["--pack-after-days", "99999"], "0 to 36500"),
        (["--drop-after-days", "0"], "1 to 36500"),
        (["--drop-after-days", "5"], "drop_after_days must be at least pack_after_days, 30, got 5"),
    ],
)
def test_terms_out_of_range_are_refused(copied, arena, words, said):
    folder = copied("killed")
    before = names(folder)

    assert said in arena(folder, "journals", "pack", *words, code=ExitCode.USAGE)
    assert names(folder) == before


def test_journal_of_the_future_and_that_of_a_running_server_stay(copied, arena):
    """Somebody may have set the clock."""
    folder = copied("killed")
    ahead = time.time() + 1_000_000
    for name in names(folder)[:2]:
        os.utime(folder / "journals" / name, (ahead, ahead))

    old = find_old_journals(folder, time.time(), is_served=True)

    assert [path.name for paths in old.values() for path in paths] == names(folder)[2:3]


def test_nothing_is_due_until_a_journal_or_an_archive_is_old(copied, arena):
    folder = copied("killed")
    terms = RetentionSettings(pack_after_days=30, drop_after_days=400)

    assert not is_due(folder, terms, lambda: 0.0)
    assert is_due(folder, terms, lambda: NOW_S)
    pack(arena, folder)
    last = folder / "journals" / names(folder)[0]
    assert [path.name for path in (folder / "packed").glob("*.zip")] == ["2026-11-23.zip"]
    assert last.exists()
    assert is_due(folder, terms, lambda: NOW_S), "the archive is older than its term"
    assert not is_due(folder, RetentionSettings(), lambda: NOW_S), "a running server's newest journal is never due"


def test_backup_takes_archives_along(copied, arena, tmp_path):
    folder = copied("killed")
    pack(arena, folder)
    audited = arena(folder, "audit", "--json")

    copy_data_folder(folder, tmp_path / "backup")
    restore_data_folder(tmp_path / "backup", tmp_path / "restored")

    assert sorted(path.name for path in (tmp_path / "restored" / "packed").iterdir()) == ["2026-11-23.zip"]
    assert arena(tmp_path / "restored", "audit", "--json") == audited


async def test_backup_has_a_journal_that_is_packed_meanwhile(copied, tmp_path, monkeypatch):
    """It goes after the backup has listed it, into an archive that the backup has seen smaller."""
    folder = await asyncio.to_thread(copied, "killed")
    paths = sorted((folder / "journals").iterdir())
    archive = folder / "packed" / "2026-11-23.zip"
    archive.parent.mkdir()
    pack_journals(archive, paths[:1])
    copy_beginning = folder_copy._copy_beginning

    def pack_and_copy(source: Path, target: Path, size: int) -> None:
        if paths[1].exists():
            pack_journals(archive, paths[1:3])
        copy_beginning(source, target, size)

    monkeypatch.setattr(folder_copy, "_copy_beginning", pack_and_copy)
    copy_data_folder(folder, tmp_path / "backup")

    assert [each.name for each in list_journals(tmp_path / "backup")] == [path.name for path in paths]
    assert (tmp_path / "backup" / "packed" / archive.name).read_bytes() == archive.read_bytes()


@pytest.mark.slow
async def test_server_packs_in_a_process_of_its_own(copied):
    folder = await asyncio.to_thread(copied, "killed")
    for path in (folder / "journals").iterdir():
        os.utime(path, (0, 0))

    with acquire_folder_lock(folder):
        async with pack_beside_server(ServerConfig(data=folder), look_s=0.01), asyncio.timeout(120):
            while len(names(folder)) > 1:
                await asyncio.sleep(0.05)
        async with pack_beside_server(ServerConfig(data=folder, retention=RetentionSettings(enabled=False)), 0.01):
            pass

    assert len([each for each in list_journals(folder) if each.state == PACKED]) == 3


@pytest.mark.slow
async def test_process_that_is_killed_beside_its_server_loses_and_doubles_nothing(copied):
    """It is killed while it checks the journals, and as soon as it writes; the third one is left alone.

    The audit reads files and archives meanwhile.
    """
    folder = await asyncio.to_thread(copied, "killed")
    for path in (folder / "journals").iterdir():
        os.utime(path, (0, 0))

    with acquire_folder_lock(folder) as held:
        async with await open_store(folder, held) as store:
            before = names(folder), await StoreAudit(store, games()).run()
            for sign_of_life in ("lock", "*.zip"):
                async with pack_beside_server(ServerConfig(data=folder), look_s=0.01), asyncio.timeout(120):
                    while not any((folder / "packed").glob(sign_of_life)):
                        await asyncio.sleep(0.001)
                    packing_process().kill()
                assert (known_names(folder), await StoreAudit(store, games()).run()) == before
            async with pack_beside_server(ServerConfig(data=folder), look_s=0.01), asyncio.timeout(120):
                while len(names(folder)) > 1:
                    await asyncio.sleep(0.05)
            assert (known_names(folder), await StoreAudit(store, games()).run()) == before


def packing_process() -> psutil.Process:
    module = "arena.organizer.retention.retention_process"
    return next(each for each in psutil.Process().children() if module in each.cmdline())


def known_names(folder: Path) -> list[str]:
    """Return the names of all journals, files or packed."""
    return [each.name for each in list_journals(folder)]


BUSY = """
import time
from arena.organizer.retention.retention_process import limit_processor
with limit_processor(0.1):
    began, spent = time.perf_counter(), time.process_time()
    while time.process_time() < spent + 0.3:
        pass
    print((time.process_time() - spent) / (time.perf_counter() - began))
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no such timer")
def test_packing_takes_no_more_than_its_share_of_a_core():
    """On a busy machine it takes even less."""
    ran = subprocess.run([sys.executable, "-c", BUSY], capture_output=True, text=True, timeout=100, check=True)

    assert float(ran.stdout) < 0.15


@pytest.mark.slow
def test_process_ends_well_and_says_what_it_has_done(copied):
    folder = copied("killed")
    terms = json.dumps(asdict(RetentionSettings(pack_after_days=0)))
    words = [sys.executable, "-m", "arena.organizer.retention.retention_process", str(folder), terms]

    with subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = process.stderr.read()

    assert process.returncode == 0, said
    assert '"event": "journals packed"' in said
    assert len(names(folder)) == 1
