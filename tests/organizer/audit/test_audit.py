"""`arena audit` on data folders of release 0.1.0: clean as they are, with a finding after every kind of edit.

Each case edits one thing, as somebody with the file's permissions could, and names what the audit has to say.
"""

import asyncio
import json
import shutil
import sqlite3
import tarfile
import zlib
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from arena.cli.exit_codes import ExitCode
from arena.competition.league.ports import LeagueRow
from arena.fleet.assembly.stores import open_stores
from arena.organizer.audit.league_audit import StoredLeague, find_ledger_faults
from arena.organizer.audit.match_audit import without_unknown_figures
from arena.server.store.data_folder import acquire_folder_lock
from arena.server.store.journal_file import JournalFile, read_records
from tests.support.commands import run_arena

RELEASE = Path(__file__).parents[2] / "releases" / "0.1.0" / "data.tar.gz"
COLUMNS = (
    "number, journal, created_at, game, preset, terms, entrants, rated, state, termination, strikes, statistics, faults"
)
"""The columns of the table `match` except the id."""
KILLED = "01M83590796EQN5P50NWZMVHAY"
"""The match of the folder `killed` that its server did not end."""


@pytest.fixture(scope="module")
def release(tmp_path_factory) -> Path:
    """The release's data folders; the killed match is closed, as the next server does it."""
    folder = tmp_path_factory.mktemp("release")
    with tarfile.open(RELEASE) as packed:
        packed.extractall(folder, filter="data")
    asyncio.run(_start_and_stop(folder / "data" / "killed"))
    return Path(folder, "data")


async def _start_and_stop(folder: Path) -> None:
    async with open_stores(folder):
        pass


@pytest.fixture
def copied(tmp_path, release):
    """Copy one of the folders, to edit it."""

    def copy(name: str) -> Path:
        return Path(shutil.copytree(release / name, tmp_path / name))

    return copy


@pytest.fixture
def audit(capsys):
    """Audit a folder and return its findings, after checking the exit code."""

    def run(folder: Path) -> list[str]:
        ended = run_arena(capsys, "audit", "--json", "--data", folder)
        findings = [f"{each['subject']}: {each['difference']}" for each in ended.json["findings"]]
        assert ended.code == (ExitCode.NO if findings else ExitCode.YES)
        return findings

    return run


def execute(folder: Path, statement: str) -> None:
    """Change the database behind the arena's back."""
    with closing(sqlite3.connect(folder / "arena.db")) as database, database:
        assert database.execute(statement).rowcount > 0, statement


def journals(folder: Path) -> list[Path]:
    return sorted((folder / "journals").iterdir(), key=lambda path: -path.stat().st_size)


@pytest.mark.parametrize("name", ["finished", "cut", "killed"])
def test_folders_of_the_release_are_clean(copied, audit, name):
    assert audit(copied(name)) == []


EDITS = {
    "places": ("finished", "UPDATE game SET places = '[1,2]' WHERE places = '[2,1]'", "its places"),
    "termination of a game": ("killed", "UPDATE game SET termination = 'stall' WHERE game = 0", "its termination"),
    "turns": ("killed", "UPDATE game SET turn_count = turn_count + 1 WHERE game = 0", "its turn_count"),
    "rules version": ("killed", "UPDATE game SET rules_version = '0' WHERE game = 0", "its rules_version"),
    "digest": ("killed", f"UPDATE game SET digest = '{'0' * 64}' WHERE game = 0", "not that of its events"),
    "events": ("killed", f"UPDATE game SET events = x'{zlib.compress(b'[]').hex()}'", "its events in the store"),
    "garbage for events": ("killed", "UPDATE game SET events = x'00'", "cannot be unpacked"),
    "a game deleted": ("killed", "DELETE FROM game WHERE game = 0", "game 0 is missing"),
    "a game added": (
        "killed",
        "INSERT INTO game SELECT match_id, 7, places, 'won', 9, rules_version, digest, events FROM game WHERE game = 0",
        "a game 7, which its journal does not have",
    ),
    "a game of no match": (
        "killed",
        "UPDATE game SET match_id = 'NOBODY' WHERE match_id = (SELECT min(match_id) FROM game)",
        "but not the match",
    ),
    "a match deleted": (
        "killed",
        f"DELETE FROM match WHERE match_id = '{KILLED}'",
        f"match {KILLED}: it began in",
    ),
    "end of a match": ("killed", "UPDATE match SET termination = 'forfeited'", "its termination"),
    "an interrupted match that finished": (
        "killed",
        f"UPDATE match SET termination = 'finished' WHERE match_id = '{KILLED}'",
        f'match {KILLED}: its termination is "finished" in the store and "interrupted"',
    ),
    "entrants": ("finished", 'UPDATE match SET entrants = \'["alpha","alpha"]\'', "its entrants"),
    "preset": ("finished", "UPDATE match SET preset = 'folk'", "its preset"),
    "game of a match": ("finished", "UPDATE match SET game = 'cheater'", "its game"),
    "rated": ("finished", "UPDATE match SET rated = NOT rated", "its rated"),
    "terms": (
        "finished",
        "UPDATE match SET terms = json_set(terms, '$.ruleset.max_turns', 9999)",
        "its terms in the store differs",
    ),
    "strikes": ("finished", "UPDATE match SET strikes = json_set(strikes, '$[0].late', 5)", "its strikes"),
    "statistics": (
        "finished",
        "UPDATE match SET statistics = json_set(statistics, '$[0].turns', 5)",
        "its statistics",
    ),
    "faults": ("finished", 'UPDATE match SET faults = \'[{"entrant":0,"game":0,"turn":1,"kind":"late"}]\'', "faults"),
    "number": ("finished", "UPDATE match SET number = number + 100", "has no records of it"),
    "journal of a match": (
        "killed",
        "UPDATE match SET journal = 'other.journal'",
        "journal other.journal: it is missing",
    ),
    "a deal deleted": ("finished", "DELETE FROM deal WHERE number = 3", "deal 3 is missing"),
    "the last deal deleted": (
        "finished",
        "DELETE FROM deal WHERE number = (SELECT max(number) FROM deal)",
        "its deal is missing from the chain",
    ),
    "all deals deleted": ("finished", "DELETE FROM deal", "its deal is missing from the chain"),
    "journal of a deal": ("killed", "UPDATE deal SET match_number = 999 WHERE number = 1", "not those of its match"),
    "a match that runs again": (
        "killed",
        f"UPDATE match SET state = 'running', termination = '' WHERE match_id != '{KILLED}'",
        "it is running in the store, and its deal is revealed",
    ),
    "state": ("finished", "UPDATE match SET state = 'offered' WHERE number = 1", "its state is 'offered'"),
    "a result that was not stored": (
        "killed",
        "UPDATE match SET termination = 'unreadable'",
        'its termination is "unreadable" in the store',
    ),
    "a match added": (
        "finished",
        f"INSERT INTO match SELECT '{'0' * 26}', {COLUMNS} FROM match WHERE number = 1 LIMIT 1",
        "it has the journal and number of the match 00000000000000000000000000",
    ),
    "commitment": ("finished", f"UPDATE deal SET commitment = x'{'00' * 32}' WHERE number = 2", "does not follow"),
    "link": ("finished", f"UPDATE deal SET link = x'{'00' * 32}' WHERE number = 2", "does not follow"),
    "rules of a deal": ("finished", f"UPDATE deal SET rules = x'{'00' * 32}' WHERE number = 2", "deal 2: its rules"),
    "id of a deal": ("finished", "UPDATE deal SET deal_id = 'block:x.1.0' WHERE number = 2", "deal 2: its deal_id"),
    "a deal hidden again": ("killed", "UPDATE deal SET revealed = NULL WHERE number = 1", "it is not revealed"),
    "revealed seed": (
        "finished",
        f"UPDATE deal SET revealed = json_set(revealed, '$.seed', '{'00' * 32}') WHERE number = 1",
        "deal 1: its seed",
    ),
    "hash of the cards": (
        "finished",
        f"UPDATE deal SET revealed = json_set(revealed, '$.root', '{'00' * 32}') WHERE number = 1",
        "deal 1: its root",
    ),
    "salts": (
        "finished",
        f"UPDATE deal SET revealed = json_set(revealed, '$.salts[0]', '{'00' * 32}') WHERE number = 1",
        "deal 1: its salts",
    ),
    "digest of a receipt": (
        "finished",
        f"UPDATE deal SET revealed = json_set(revealed, '$.receipts[1].digest', '{'00' * 32}') WHERE number = 1",
        "receipt of entrant 1 was not made for this deal",
    ),
    "signature of a receipt": (
        "finished",
        f"UPDATE deal SET revealed = json_set(revealed, '$.receipts[1].signature', '{'00' * 64}') WHERE number = 1",
        "receipt of entrant 1 is not signed",
    ),
    "a receipt deleted": (
        "finished",
        "UPDATE deal SET revealed = json_remove(revealed, '$.receipts[0]') WHERE number = 1",
        "receipt for",
    ),
    "places of a block": (
        "finished",
        "UPDATE league_block SET results = json_set(results, '$[0].places', json('[1,1]'))",
        "table 1: its places",
    ),
    "forfeits of a block": (
        "finished",
        "UPDATE league_block SET results = json_set(results, '$[0].forfeits', json('[\"alpha\"]'))",
        "table 1: its forfeits",
    ),
    "match of a block": (
        "finished",
        "UPDATE league_block SET matches = json_set(matches, '$[0]', json_extract(matches, '$[1]'))",
        "table 1",
    ),
    "tables of a block": (
        "finished",
        "UPDATE league_block SET tables = json_set(tables, '$[0]', json('[\"x\",\"y\"]'))",
        "its entrants are not those of its match",
    ),
    "a block deleted": ("finished", "DELETE FROM league_block WHERE number = 2", "missing from its ledger"),
    "attempt of a block": ("finished", "UPDATE league_block SET attempt = 1 WHERE number = 2", "before block 2"),
    "a league deleted": (
        "finished",
        "DELETE FROM league",
        "it belongs to a league that is not in the store",
    ),
    "file of a league": ("finished", "UPDATE league SET text = text || '#'", "its file is not the one that was sealed"),
    "sealed secret": (
        "finished",
        f"UPDATE league SET sealed = json_set(sealed, '$.secret_hash', '{'0' * 64}')",
        "the secret of the league is not the one that was sealed",
    ),
    "garbage in a row": ("finished", "UPDATE match SET strikes = 'x' WHERE number = 1", "it cannot be read"),
    "garbage in the chain": ("finished", "UPDATE deal SET revealed = 'x' WHERE number = 1", "cannot be read"),
}


@pytest.mark.parametrize("case", EDITS)
def test_every_edit_of_a_row_is_found(copied, audit, case):
    name, statement, said = EDITS[case]
    folder = copied(name)

    execute(folder, statement)

    assert any(said in each for each in audit(folder)), case


def test_swapped_results_are_found(copied, audit):
    """Two finished games of one length exchange their rows: each row agrees with itself, and with no journal."""
    folder = copied("finished")

    _swap_two_games(folder)

    assert sum("its digest" in each for each in audit(folder)) == 2


def _swap_two_games(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "arena.db")) as database, database:
        (first,), (second,) = database.execute("SELECT match_id FROM game ORDER BY match_id LIMIT 2")
        for old, new in ((first, "swap"), (second, first), ("swap", second)):
            database.execute("UPDATE game SET match_id = ? WHERE match_id = ?", (new, old))


def test_swapped_journals_are_found(copied, audit):
    folder = copied("killed")
    one, other, *_ = journals(folder)

    content = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(content)

    assert any("under its number" in each for each in audit(folder))


@pytest.mark.slow
def test_every_changed_byte_of_a_journal_is_found(copied, audit):
    """Any position but the last group's, which a killed server may leave torn, breaks the file's own checks."""
    folder = copied("killed")
    path = journals(folder)[0]
    content = path.read_bytes()

    for offset in range(0, len(content), max(1, len(content) // 12)):
        path.write_bytes(content[:offset] + bytes([content[offset] ^ 1]) + content[offset + 1 :])
        assert audit(folder), f"byte {offset}"


def test_a_shortened_journal_is_found(copied, audit):
    """Its last groups are cut off at their boundary, so that the file itself is whole."""
    folder = copied("killed")
    path = journals(folder)[0]
    records = [*read_records(path)]
    path.unlink()
    shorter = JournalFile(path)
    for record in records[: len(records) // 2]:
        shorter.append(record)
    shorter.close()

    assert any("its statistics" in each for each in audit(folder))


def test_a_deleted_journal_is_found(copied, audit):
    folder = copied("killed")
    path = journals(folder)[0]

    path.unlink()

    assert any(f"journal {path.name}: it is missing" in each for each in audit(folder))


def test_a_missing_or_foreign_receipt_key_is_found(copied, audit):
    folder = copied("killed")
    key = folder / "receipt.key"

    key.unlink()
    missing = audit(folder)
    assert not key.exists(), "an audit makes no key"
    key.write_bytes(bytes(32))
    foreign = audit(folder)

    assert [each for each in missing if "receipt.key: it is missing" in each]
    assert [each for each in foreign if "signed by another key" in each]


def test_an_audit_waits_for_nobody_and_names_the_commands_for_a_store_that_is_busy(copied, capsys, tmp_path):
    folder, copy = copied("killed"), tmp_path / "COPY"

    with acquire_folder_lock(folder):
        ended = run_arena(capsys, "audit", "--data", folder)
        assert run_arena(capsys, "backup", copy, "--data", folder).code == ExitCode.YES
        audited = run_arena(capsys, "audit", "--data", copy)

    assert ended.code == ExitCode.UNSTEADY
    assert "is held by process" in ended.last_line
    assert f"backup COPY --data {folder} && " in ended.last_line
    assert ended.last_line.endswith("audit --data COPY")
    assert audited.code == ExitCode.YES
    assert audited.out == run_arena(capsys, "audit", "--data", folder).out


def test_a_finding_is_one_line_without_control_characters(copied, capsys):
    folder = copied("killed")
    execute(folder, "UPDATE match SET termination = 'a' || char(27) || '[31m' || char(10) || 'b'")

    ended = run_arena(capsys, "audit", "--data", folder)

    assert ended.code == ExitCode.NO
    assert "\x1b" not in ended.out
    *findings, summary = ended.out.splitlines()
    assert all(line.startswith("match ") for line in findings)
    assert summary.startswith(f"{len(findings)} findings in 4 matches")


def test_a_folder_without_a_store_is_refused(tmp_path, capsys):
    assert run_arena(capsys, "audit", "--data", tmp_path).code == ExitCode.USAGE


def test_figures_of_late_answers_are_compared_only_if_the_store_has_them():
    """Releases that did not count them stored none."""
    plain, late = {"decisions": 3, "think_s": 1.0}, {"late_answers": 1, "late_think_s": 5.0}

    assert without_unknown_figures([plain], [plain | late]) == (plain,)
    assert without_unknown_figures([plain | late], [plain | late]) == (plain | late,)
    assert without_unknown_figures([plain | late, plain], [plain | late, plain]) == (plain | late, plain)
    assert without_unknown_figures([plain | {"think_s": 2.0}], [plain | late]) == (plain,)


def test_a_comparison_is_sealed_by_its_request():
    request = {"candidate": "a", "fields": ["honest"], "margin": 0.2}
    row = LeagueRow("compare/0123/1", "id", 0.0, json.dumps(request), {**request, "receipt": "v2"})

    assert list(find_ledger_faults(StoredLeague(row, (), ()))) == []
    for text in (json.dumps({**request, "margin": 0.1}), "{"):
        faults = find_ledger_faults(StoredLeague(replace(row, text=text), (), ()))
        assert list(faults) == ["its file is not the one that was sealed"]
