"""`arena replay export` and `arena replay verify`, on data folders as servers leave them."""

import asyncio
import json
import subprocess
import sys
from dataclasses import replace

import pytest

from arena.cli.exit_codes import ExitCode
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheater.rules.game import CHEATER
from arena.match.referee.ports import DealRow
from arena.server.store.open_store import open_store
from tests.replays.narration.random_match import MATCH, STANDALONE, RandomMatch
from tests.replays.proof.test_verification import ID, play_match, row_of
from tests.support.commands import run_arena
from tests.support.recorded_matches import DataFolder, ManualMatch


async def _keep(folder: DataFolder, row: DealRow) -> None:
    async with await open_store(folder.path) as store:
        await store.deals.commit(replace(row, revealed=None))
        if row.revealed is not None:
            await store.deals.reveal(row.match_id, row.revealed)


def write_data_folder(path, match: ManualMatch, is_opened: bool = True) -> DataFolder:
    """A data folder with this match, in journal and store."""
    folder = DataFolder(path / "data")
    folder.write_journal("j", match)
    row = row_of(match)
    asyncio.run(_keep(folder, row if is_opened else replace(row, revealed=None)))
    return folder


def test_match_is_exported_and_verified(tmp_path, capsys):
    """Each check prints one sentence, including the data folder's chain; the file is canonical JSON and a newline."""
    folder, file = write_data_folder(tmp_path, play_match()), tmp_path / "replay.json"

    exported = run_arena(capsys, "replay", "export", ID[:12], "--to", file, "--data", folder.path)
    verified = run_arena(capsys, "replay", "verify", file, "--data", folder.path)
    as_json = run_arena(capsys, "replay", "verify", file, "--json")

    assert (exported.code, verified.code, as_json.code) == (ExitCode.YES, ExitCode.YES, ExitCode.YES)
    assert verified.out.splitlines()[0] == "yes  the file is whole, to the last bit"
    assert verified.out.splitlines()[-1] == "the replay holds"
    assert "chain of 1 deal has no gap" in verified.out
    assert len(as_json.json) == 9
    raw = file.read_bytes()
    assert (
        json.dumps(json.loads(raw), sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() + b"\n" == raw
    )


@pytest.mark.parametrize(
    ("game", "preset", "seats"),
    [(CHEAT, "folk", 6), (CHEAT, "rank_lock", 3), (CHEATER, "cheater", 5)],
    ids=["folk", "rank_lock", "cheater"],
)
def test_matches_of_other_games_and_presets_are_exported_and_verified(tmp_path, capsys, game, preset, seats):
    """They have leavers and several games; without the arena, one command verifies them too."""
    match = RandomMatch(game, seats, 3, preset=preset, games=2, leaving=0.01, options={"max_turns": 60}).play()
    folder, file = DataFolder(tmp_path / "data"), tmp_path / "replay.json"
    folder.write_journal("j", match)
    asyncio.run(_keep(folder, match.row()))

    exported = run_arena(capsys, "replay", "export", MATCH, "--to", file, "--data", folder.path)
    verified = run_arena(capsys, "replay", "verify", file, "--data", folder.path)
    alone = subprocess.run([sys.executable, "-I", "-S", STANDALONE, file], capture_output=True, timeout=60, check=False)

    assert (exported.code, verified.code, alone.returncode) == (ExitCode.YES, ExitCode.YES, ExitCode.YES)
    assert file.read_bytes() == match.file()


def test_failed_verification_is_explained_with_exit_code_1(tmp_path, capsys):
    folder, file = write_data_folder(tmp_path, play_match()), tmp_path / "replay.json"
    run_arena(capsys, "replay", "export", ID, "--to", file, "--data", folder.path)
    file.write_bytes(file.read_bytes().replace(b'"termination":"finished"', b'"termination":"Finished"', 1))

    verified = run_arena(capsys, "replay", "verify", file)

    assert verified.code == ExitCode.NO
    assert verified.out.startswith("NO   the file does not have the digest")
    assert verified.out.splitlines()[-1] == "the replay does not hold: 1 of 1 check failed"


def test_running_match_is_not_exported(tmp_path, capsys):
    """Its deal is not opened, whatever else is known about it."""
    folder = write_data_folder(tmp_path, play_match(ends=False), is_opened=False)

    refused = run_arena(capsys, "replay", "export", ID, "--to", tmp_path / "no.json", "--data", folder.path)

    assert refused.code == ExitCode.USAGE
    assert "is not opened yet" in refused.last_line
    assert not (tmp_path / "no.json").exists()


def test_match_without_commitment_proves_nothing(tmp_path, capsys):
    folder = DataFolder(tmp_path / "data")
    folder.write_journal("j", play_match())

    refused = run_arena(capsys, "replay", "export", ID, "--to", tmp_path / "no.json", "--data", folder.path)

    assert refused.code == ExitCode.USAGE
    assert "no commitment in this store" in refused.last_line


def test_list_shows_position_in_chain(tmp_path, capsys):
    folder = write_data_folder(tmp_path, play_match())

    (entry,) = run_arena(capsys, "replay", "list", "--data", folder.path, "--json").json

    assert entry["deal"]["chain_number"] == 1
    assert entry["deal"]["is_opened"] is True
    assert len(entry["deal"]["commitment"]) == 64


@pytest.mark.parametrize(("text", "sentence"), [("", "cannot be read"), ("{}", "holds no receipts"), ("x", "holds no")])
def test_invalid_receipts_are_refused(tmp_path, capsys, text, sentence):
    folder, file, kept = write_data_folder(tmp_path, play_match()), tmp_path / "replay.json", tmp_path / "kept"
    run_arena(capsys, "replay", "export", ID, "--to", file, "--data", folder.path)
    if text:
        kept.write_text(text, encoding="utf-8")

    refused = run_arena(capsys, "replay", "verify", file, "--receipt", kept)

    assert refused.code == ExitCode.USAGE
    assert sentence in refused.last_line


def test_missing_file_is_refused(tmp_path, capsys):
    assert run_arena(capsys, "replay", "verify", tmp_path / "no").code == ExitCode.USAGE
