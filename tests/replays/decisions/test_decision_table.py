"""Every decision of a match as a row: what was asked, known, answered, and whether somebody lied."""

import builtins
import csv
import json

import pytest

from arena.cli.exit_codes import ExitCode
from arena.games.catalogue import games, phrasing_of
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheater.rules.game import CHEATER
from arena.match.referee.replay import Replay
from arena.replays.decisions.decision_files import open_decision_file
from arena.replays.decisions.decision_table import COLUMNS, decisions_of
from tests.match.referee.driver import MS, S
from tests.replays.narration.random_match import RandomMatch
from tests.support.commands import run_arena
from tests.support.recorded_matches import DataFolder, ManualMatch

NEW = "01K00000000000000000000NEW"
JOURNAL = "01HZ0000000000000000000NDE"


@pytest.fixture
def folder(tmp_path):
    return DataFolder(tmp_path / "data")


@pytest.fixture
def export(capsys, folder):
    def run(*arguments):
        return run_arena(capsys, "replay", "export", NEW, "--data", folder.path, *arguments)

    return run


def lying_match():
    """Ann plays a true ace, Bob lies, Cid calls him, and Bob never answers again."""
    match = ManualMatch(NEW)
    match.answer(0, "1A AC", at=12 * MS, note="my secret plan")
    match.answer(1, "decline", at=20 * MS)
    match.answer(2, "decline", at=25 * MS)
    match.answer(1, "1A 3H", at=40 * MS)
    match.answer(0, "decline", at=50 * MS)
    match.answer(2, "call", at=60 * MS)
    return match


def read_table(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_each_decision_is_a_row(export, folder, tmp_path):
    """The expected values are written by hand from the answers."""
    folder.write_journal(JOURNAL, lying_match())

    ended = export("--decisions", tmp_path / "d.csv")
    rows = read_table(tmp_path / "d.csv")

    assert ended.code == ExitCode.YES, ended.err
    assert ended.out == f"{tmp_path / 'd.csv'}: match {NEW}, 6 decisions\n"
    told = [
        tuple(row[name] for name in ("turn", "entrant", "prompt", "answer", "think_us", "is_lie", "answers_a_lie"))
        for row in rows
    ]
    assert told == [
        ("0", "Ann", "turn", "1A AC", "12000", "False", ""),
        ("0", "Bob", "window", "decline", "8000", "", "False"),
        ("0", "Cid", "window", "decline", "13000", "", "False"),
        ("1", "Bob", "turn", "1A 3H", "15000", "True", ""),
        ("1", "Cid", "window", "call", "20000", "", "True"),
        ("1", "Ann", "window", "decline", "10000", "", "True"),
    ], "questions that are asked together go clockwise from the mover"
    assert {(row["match_id"], row["game"]) for row in rows} == {(NEW, "0")}
    assert [row["hand_size"] for row in rows] == ["18", "18", "18", "18", "18", "17"]


def test_row_has_what_the_seat_knew_and_nothing_else(export, folder, tmp_path):
    folder.write_journal(JOURNAL, lying_match())

    export("--decisions", tmp_path / "d.csv")
    call = read_table(tmp_path / "d.csv")[4]

    sees = json.loads(call["sees"])
    assert sees["hand_sizes"] == [17, 17, 18]
    assert sum(sees["hand"]) == 18
    assert [layer["cards"] for layer in sees["pile"]] == [None, None]
    assert "my secret plan" not in (tmp_path / "d.csv").read_text()


def test_missing_answer_is_a_row_with_its_automatic_action(export, folder, tmp_path):
    match = ManualMatch(NEW)
    match.bench.run_until(2 * S + 1)
    folder.write_journal(JOURNAL, match)

    export("--decisions", tmp_path / "d.csv")
    row = read_table(tmp_path / "d.csv")[0]

    assert (row["fault"], row["answer"], row["automatic"], row["is_lie"]) == ("missing", "", "1A AC", "False")
    assert (row["allowed_us"], row["think_us"]) == ("2000000", "")


def test_refused_answer_is_named(export, folder, tmp_path):
    match = ManualMatch(NEW)
    match.answer(0, "1A AD", at=5 * MS)
    match.answer(0, "1A AC", at=9 * MS)
    folder.write_journal(JOURNAL, match)

    export("--decisions", tmp_path / "d.csv")
    row = read_table(tmp_path / "d.csv")[0]

    assert (row["fault"], row["fault_reason"], row["answer"]) == ("illegal", "not_in_hand", "1A AC")


@pytest.mark.parametrize(("game", "style"), [(CHEAT, "sealed"), (CHEAT, "live"), (CHEATER, "sealed")])
def test_every_accepted_answer_of_a_random_match_is_a_row(game, style):
    match = RandomMatch(game, 4, 3, style=style, games=2).play(4000)
    records = match.bench.paper.records

    rows = list(decisions_of(Replay(records, games()), "M", phrasing_of(game)))

    assert {row.game for row in rows} == {0, 1}
    assert sum(bool(row.answer) for row in rows) > 50
    assert all(row.sees and row.options for row in rows)
    assert all(row.think_us is not None for row in rows if row.answer)
    assert any(row.is_lie for row in rows) == (game is CHEAT)
    assert [row.asked_us for row in rows if row.game == 0] == sorted(row.asked_us for row in rows if row.game == 0)


def test_columns_keep_their_order(export, folder, tmp_path):
    folder.write_journal(JOURNAL, lying_match())

    export("--decisions", tmp_path / "d.csv")

    assert (tmp_path / "d.csv").read_text().splitlines()[0] == ",".join(COLUMNS)
    assert COLUMNS[:6] == ("match_id", "game", "turn", "seat", "entrant", "prompt")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "nothing to write: name a file with --to, or a table with --decisions"),
        (("--decisions", "d.xlsx"), "a table of decisions is a file FILE.csv or FILE.parquet, not 'd.xlsx'"),
    ],
)
def test_export_without_a_usable_file_is_refused(export, folder, arguments, sentence):
    folder.write_journal(JOURNAL, lying_match())

    ended = export(*arguments)

    assert (ended.code, ended.last_line) == (ExitCode.USAGE, f"arena: {sentence}")


def test_decisions_of_a_running_match_stay_secret(export, folder, tmp_path, monkeypatch):
    folder.write_journal(JOURNAL, lying_match())
    monkeypatch.setattr("arena.replays.library.library.is_folder_locked", lambda _: True)

    ended = export("--decisions", tmp_path / "d.csv")

    assert ended.code == ExitCode.USAGE
    assert "its decisions are secret until it is over" in ended.last_line
    assert not (tmp_path / "d.csv").exists()


def test_parquet_without_its_package_is_refused_in_one_sentence(export, folder, tmp_path, monkeypatch):
    folder.write_journal(JOURNAL, lying_match())
    really_import = builtins.__import__

    def refuse(name, *arguments):
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return really_import(name, *arguments)

    monkeypatch.setattr(builtins, "__import__", refuse)

    ended = export("--decisions", tmp_path / "d.parquet")

    assert ended.code == ExitCode.USAGE
    assert ended.last_line == "arena: a Parquet file needs the package pyarrow: pip install pyarrow, or write FILE.csv"
    assert not (tmp_path / "d.parquet").exists()


def test_parquet_file_has_the_same_rows(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is an extra")
    rows = list(decisions_of(Replay(lying_match().records, games()), NEW, phrasing_of(CHEAT)))

    with open_decision_file(tmp_path / "d.parquet") as write:
        write(rows)

    assert parquet.read_table(tmp_path / "d.parquet").to_pylist() == [row.as_dict() for row in rows]
