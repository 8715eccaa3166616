"""What an organizer may decide while a league is stopped."""

import asyncio
import os
from pathlib import Path

import pytest

from arena.organizer.seal.league_files import hold_league
from tests.organizer.leagues import history_of, league, write_league

pytestmark = pytest.mark.skipif(os.name != "posix", reason="nodes are there on POSIX alone")


@pytest.mark.slow
def test_void_game_has_its_block_replayed_with_other_cards(played: tuple[Path, Path], capsys):
    file, data = played

    before = asyncio.run(history_of(file, data))
    game = before[0].tables[1].match_id

    capsys.readouterr()
    assert league("amend", file, "void", game, "--reason", "the host slept", "--data", data) == 0
    how = f"its whole block is void (2 games): `arena league resume {file} --data {data}` plays it again"
    assert capsys.readouterr().out == f"void {game}: line 1 of the ledger; {how}\n"
    assert league("resume", file, "--data", data, "--nodes", 1) == 0
    assert "\n2 of 4 games are finished\n" in capsys.readouterr().err

    after = asyncio.run(history_of(file, data))
    assert [result.attempt for result in after] == [1, 0]
    assert after[0].block == before[0].block
    assert after[1] == before[1]
    assert {table.match_id for table in after[0].tables}.isdisjoint(table.match_id for table in before[0].tables)
    assert league("amend", file, "void", game, "--reason", "again", "--data", data) == 64
    assert "is void already" in capsys.readouterr().err
    assert league("amend", file, "void", "NOPE", "--reason", "a slip", "--data", data) == 64
    hint = f"`arena league games {file} --data {data}` lists the games"
    assert capsys.readouterr().err == f"arena: unknown game 'NOPE'\n{hint}\n"


@pytest.mark.slow
def test_withdrawn_entrant_forfeits_remaining_games(tmp_path):

    file, data = write_league(tmp_path / "bots", bots=6, games=4), tmp_path / "data"
    assert league("seal", file, "--data", data) == 0
    assert league("amend", file, "withdraw", "bot2", "--reason", "its author asked", "--data", data) == 0

    assert league("run", file, "--data", data, "--nodes", 1) == 0

    tables = [table for result in asyncio.run(history_of(file, data)) for table in result.tables]
    assert {name for table in tables for name in table.forfeits} == {"bot2"}


@pytest.mark.slow
def test_bot_with_changed_files_is_refused_by_name(played: tuple[Path, Path], capsys):
    file, data = played
    (file.parent / "bot3.py").write_text("# another one")

    assert league("resume", file, "--data", data) == 64
    assert "the files of bot3 (last bot3.py) have changed" in capsys.readouterr().err


@pytest.mark.slow
def test_no_deals_are_made_after_secret_is_revealed(played: tuple[Path, Path], tmp_path, capsys):
    file, data = played
    secret = next((data / "leagues").glob("*.secret")).read_bytes().hex()

    def reported() -> str:
        assert league("report", file, "--data", data, "--out", tmp_path / "report") == 0
        page: str = (tmp_path / "report" / "report.html").read_text()
        return page

    assert secret not in reported()
    assert league("publish", file, "--data", data, "--out", tmp_path / "site") == 0
    assert secret in reported()

    game = asyncio.run(history_of(file, data))[0].tables[0].match_id
    assert league("amend", file, "void", game, "--reason", "too late", "--data", data) == 64
    assert "closed and its secret is published" in capsys.readouterr().err
    assert league("amend", file, "disqualify", "bot1", "--reason", "a signal", "--data", data) == 0


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("max_turns = 60", "max_turns = 61", "max_turns was 60 and is 61 since"),
        ("seats = 3", "seats = 2", "seats was 3 and is 2 since"),
        ("games = 4", "games = 8", "games was 4 and is 8 since"),
        ('bot = "bot1.py"', 'bot = "bot1.py"\nowner = "eve"', "owner of bot1 was '' and is 'eve' since"),
        ('[[entrants]]\nbot = "bot2.py"\n', "", "bot2 left the file"),
        (
            'bot = "bot5.py"',
            'bot = "bot5.py"\n[[entrants]]\nbot = "third.py"',
            "third stand in the file and take no part: add one at a time with `arena league amend`, or remove it from",
        ),
    ],
)
def test_late_entrant_changes_nothing_else(tmp_path, capsys, before, after, words):
    file, data = write_league(tmp_path / "bots", bots=6, games=4), tmp_path / "data"
    for name in ("late.py", "third.py"):
        (file.parent / name).write_text((file.parent / "bot0.py").read_text())
    assert league("seal", file, "--data", data) == 0
    text = file.read_text()
    assert before in text
    file.write_text(text.replace(before, after) + '\n[[entrants]]\nbot = "late.py"')

    assert league("amend", file, "add", "late", "--reason", "welcome", "--data", data) == 64
    assert words in capsys.readouterr().err
    file.write_text(text + '\n[[entrants]]\nbot = "late.py"')
    assert league("amend", file, "add", "late", "--reason", "welcome", "--data", data) == 0
    assert league("status", file, "--data", data) == 0


def test_entropy_is_mixed_in_once_and_never_during_play(tmp_path, capsys):
    file, data = write_league(tmp_path / "bots", bots=6, games=4, public_entropy="the lotto"), tmp_path / "data"
    assert league("seal", file, "--entropy", "known before: 3 14 15", "--data", data) == 64
    assert "seal the league and post its line first" in " ".join(capsys.readouterr().err.split())
    assert league("seal", file, "--data", data) == 0
    assert "public entropy will be mixed in: the lotto" in " ".join(capsys.readouterr().err.split())

    assert league("run", file, "--data", data, "--nodes", 1) == 64
    assert "public entropy was promised and is not there yet, the lotto" in " ".join(capsys.readouterr().err.split())
    (secret,) = (data / "leagues").glob("*.secret")
    with hold_league(data, secret.stem):
        assert league("seal", file, "--entropy", "lotto: 3 14 15", "--data", data) == 75
    assert "the league is being played or amended" in capsys.readouterr().err
    assert league("seal", file, "--entropy", "lotto: 3 14 15", "--data", data) == 0
    assert league("seal", file, "--entropy", "lotto: 9 26 53", "--data", data) == 64
    words = " ".join(capsys.readouterr().err.split())
    assert "mixed in only once, before the first game; it already is: lotto: 3 14 15" in words


@pytest.mark.parametrize("text", ["", "  ", "3 14\n15", "3 14 \x1b[2K", "3 14 \udcff", " 3 14"])
def test_unreproducible_entropy_is_refused_and_not_mixed_in(tmp_path, capsys, text):
    file, data = write_league(tmp_path / "bots", bots=6, games=4, public_entropy="the lotto"), tmp_path / "data"
    assert league("seal", file, "--data", data) == 0
    capsys.readouterr()

    assert league("seal", file, "--entropy", text, "--data", data) == 64
    assert "expected one line of printable text" in " ".join(capsys.readouterr().err.split())

    assert league("seal", file, "--entropy", "3 14 15", "--data", data) == 0


def test_unpromised_entropy_is_refused_because_it_could_be_chosen(tmp_path, capsys):
    file, data = write_league(tmp_path / "bots", bots=6, games=4), tmp_path / "data"
    assert league("seal", file, "--data", data) == 0

    assert league("seal", file, "--entropy", "lotto: 3 14 15", "--data", data) == 64

    assert "the seal promises none" in " ".join(capsys.readouterr().err.split())


def add_to(file: Path, name: str) -> None:
    """Add one more bot to a league's file."""
    (file.parent / f"{name}.py").write_text((file.parent / "bot0.py").read_text())
    with file.open("a") as text:
        text.write(f'\n[[entrants]]\nbot = "{name}.py"\n')


@pytest.mark.slow
def test_added_entrant_plays_from_next_round(tmp_path, capsys):
    file, data = write_league(tmp_path / "bots", bots=6, games=12), tmp_path / "data"
    assert league("seal", file, "--data", data) == 0
    add_to(file, "late")

    assert league("run", file, "--data", data) == 64
    assert "late stand in the file and take no part" in capsys.readouterr().err
    assert league("amend", file, "add", "late", "--reason", "welcome", "--data", data) == 0
    assert league("resume", file, "--data", data, "--nodes", 1) == 0

    tables = [table for result in asyncio.run(history_of(file, data)) for table in result.tables]
    assert len(tables) == 12
    assert sum("late" in table.seats for table in tables) >= 4


def test_invalid_decisions_are_refused(tmp_path, capsys):
    file, data = write_league(tmp_path / "bots", bots=6, games=4), tmp_path / "data"
    assert league("seal", file, "--data", data) == 0

    assert league("amend", file, "void", "01NONE", "--reason", "x", "--data", data) == 64
    assert league("amend", file, "withdraw", "nobody", "--reason", "x", "--data", data) == 64
    assert league("amend", file, "forgive", "bot1", "--reason", "x", "--data", data) == 64
    assert league("amend", file, "withdraw", "bot1", "--reason", " ", "--data", data) == 64
    told = capsys.readouterr().err
    for text in ("unknown game", "unknown entrant", "unknown amendment", "say why"):
        assert text in told
