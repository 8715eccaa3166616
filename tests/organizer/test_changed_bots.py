"""A league whose file or bots differ from its seal can be viewed and amended, but not played."""

import asyncio
import json
import os
from functools import partial
from pathlib import Path

import pytest

from arena.bots.launch.programs import find_bot
from arena.bots.packages.bot_hash import hash_bot
from arena.errors import OptionError
from arena.organizer.file import league_reader
from arena.organizer.file.league_reader import read_league_file
from arena.organizer.seal.open_league import OpenLeague, open_league_to_play
from arena.organizer.seal.seal import check_data_folder
from arena.server.store.open_store import open_store
from tests.organizer.leagues import league, write_league

pytestmark = pytest.mark.skipif(os.name != "posix", reason="nodes are there on POSIX alone")


@pytest.fixture
def sealed(tmp_path) -> tuple[Path, Path]:
    """Return the file and the data of a league of six without any games."""
    file, data = write_league(tmp_path / "bots", bots=6, games=4), tmp_path / "data"
    assert league("seal", file, "--data", data) == 0
    return file, data


def change(file: Path) -> None:
    """Rewrite one bot, and remove another one."""
    (file.parent / "bot3.py").write_text("# another one")
    (file.parent / "bot4.py").unlink()


@pytest.mark.parametrize("state", ["sealed", pytest.param("played", marks=pytest.mark.slow)])
def test_changed_league_can_still_be_viewed_and_reported(request, state, tmp_path, capsys):
    file, data = request.getfixturevalue(state)
    change(file)

    for command in (
        ["status"],
        ["games"],
        ["report", "--out", tmp_path / "report"],
        ["publish", "--out", tmp_path / "site"],
    ):
        assert league(command[0], file, "--data", data, *command[1:]) == 0

    told = json.loads((tmp_path / "report" / "report.json").read_text())
    (check,) = [each for each in told["seal"]["checks"] if "every entrant's files" in each["sentence"]]
    assert not check["is_true"]
    assert "the files of bot3 (last bot3.py) have changed; the program of bot4 is gone" in check["sentence"]


def test_unchanged_league_matches_its_seal(sealed: tuple[Path, Path], tmp_path):
    file, data = sealed

    assert league("report", file, "--data", data, "--out", tmp_path / "report") == 0

    told = json.loads((tmp_path / "report" / "report.json").read_text())
    assert all(check["is_true"] for check in told["seal"]["checks"])


@pytest.mark.slow
def test_changed_league_can_be_neither_played_nor_extended(sealed: tuple[Path, Path], capsys):
    file, data = sealed
    change(file)

    for command in (["run"], ["resume"], ["amend", "add", "late", "--reason", "welcome"]):
        assert league(command[0], file, *command[1:], "--data", data) == 64
        told = capsys.readouterr().err
        assert "the files of bot3 (last bot3.py) have changed; the program of bot4 is gone since" in told
        assert "arena league amend FILE withdraw bot3" in told


@pytest.mark.slow
@pytest.mark.parametrize("is_sealed_with_log", [False, True])
def test_bot_that_writes_its_log_into_its_folder_plays_on(tmp_path, monkeypatch, is_sealed_with_log: bool):
    """A league that release 0.2 sealed together with a log plays on too, as long as nobody touches the log."""
    file, data = write_league(tmp_path / "bots", bots=2, seats=2, games=2), tmp_path / "data"
    folder = file.parent / "folder"
    folder.mkdir()
    (file.parent / "bot0.py").rename(folder / "bot.py")
    file.write_text(file.read_text().replace("bot0.py", "folder"))
    if is_sealed_with_log:
        (folder / "bot.log").write_text("of a trial")
        monkeypatch.setattr(league_reader, "hash_bot", partial(hash_bot, counts_logs=True))
    assert league("seal", file, "--data", data) == 0
    monkeypatch.undo()
    if not is_sealed_with_log:
        (folder / "bot.log").write_text("game 1 begins")

    assert league("run", file, "--data", data, "--nodes", 1) == 0


@pytest.mark.slow
def test_withdrawn_entrant_may_have_changed(sealed: tuple[Path, Path]):
    file, data = sealed
    change(file)

    assert league("amend", file, "withdraw", "bot3", "--reason", "rewritten", "--data", data) == 0
    assert league("amend", file, "disqualify", "bot4", "--reason", "gone", "--data", data) == 0

    assert league("run", file, "--data", data, "--nodes", 1) == 0


@pytest.mark.slow
def test_changed_rules_do_not_block_amendments(sealed: tuple[Path, Path], capsys):
    file, data = sealed
    file.write_text(file.read_text().replace("max_turns = 60", "max_turns = 61"))

    assert league("run", file, "--data", data) == 64
    told = capsys.readouterr().err
    assert "max_turns was 60 and is 61 since the league was sealed: put it back as it was, or start another" in told
    assert "amend" not in told
    assert league("status", file, "--data", data) == 0


def test_commands_for_a_league_that_was_never_sealed_create_no_folder(tmp_path, capsys, monkeypatch):
    file = write_league(tmp_path / "bots", bots=6, games=4)
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))

    for command in (
        ["status"],
        ["games"],
        ["report"],
        ["publish"],
        ["resume"],
        ["amend", "withdraw", "bot3", "--reason", "gone"],
    ):
        assert league(command[0], file, *command[1:], "--data", tmp_path / "data") == 64
        told = " ".join(capsys.readouterr().err.split())
        assert "there is no data folder at" in told
        assert "nothing was sealed or played there" in told

    assert sorted(tmp_path.rglob("*")) == before


def test_league_with_missing_program_is_not_started(tmp_path, capsys):
    file, data = write_league(tmp_path / "bots", bots=6, games=4), tmp_path / "data"
    (file.parent / "bot4.py").unlink()

    assert league("run", file, "--data", data, "--nodes", 1) == 64
    assert league("seal", file, "--data", data) == 64
    assert capsys.readouterr().err.count("there is no bot 'bot4.py'") == 2


def test_seal_lists_what_was_sealed_beside_its_line(tmp_path, capsys):
    file, data = write_league(tmp_path / "bots", bots=6, games=4, public_entropy="the lotto"), tmp_path / "data"

    assert league("seal", file, "--data", data) == 0
    line, words = capsys.readouterr()
    assert league("seal", file, "--data", data, "--entropy", "lotto 3 14 15") == 0
    again, mixed = capsys.readouterr()

    assert line == again
    assert line.startswith("cheatarena league test: ")
    assert "season (games 4, tables 2), tables of 3, 4 games" in " ".join(words.split())
    assert "public entropy will be mixed in: the lotto" in " ".join(words.split())
    assert "Post this line before the first game. `arena league run` plays" in " ".join(words.split())
    assert "public entropy is mixed in: lotto 3 14 15" in " ".join(mixed.split())
    assert "Post this line" not in mixed
    assert "`arena league run` plays" in mixed


def test_data_folder_inside_a_bots_folder_is_refused(tmp_path, capsys):
    file = write_league(tmp_path / "bots", bots=6, games=4)
    (file.parent / "bot5.py").rename(file.parent / "bot.py")
    file.write_text(file.read_text().replace("bot5.py", "bot.py"))

    assert league("run", file, "--data", file.parent / "data", "--nodes", 1) == 64

    assert not (file.parent / "data").exists()
    assert "is in the folder of bots, whose files must not change" in " ".join(capsys.readouterr().err.split())


def test_data_folder_containing_a_bot_is_refused(tmp_path, capsys):
    file = write_league(tmp_path / "bots", bots=4, games=4)

    assert league("run", file, "--data", file.parent, "--nodes", 1) == 64

    assert not (file.parent / "arena.db").exists()
    assert "bot0 is in it" in " ".join(capsys.readouterr().err.split())


def test_entrant_whose_folder_contains_the_data_is_not_added(sealed: tuple[Path, Path], capsys):
    file, data = sealed
    (data.parent / "bot.py").write_text("")
    file.write_text(f'{file.read_text()}\n[[entrants]]\nbot = "{data.parent}"\nname = "late"\n')

    assert league("amend", file, "add", "late", "--reason", "late", "--data", data) == 64

    assert "is in the folder of late" in " ".join(capsys.readouterr().err.split())


@pytest.mark.slow
def test_finished_league_says_so(played, capsys):
    file, data = played
    capsys.readouterr()

    assert league("run", file, "--data", data, "--nodes", 1) == 0

    assert "this league has ended" in " ".join(capsys.readouterr().err.split())


def test_data_folder_containing_a_commands_file_is_refused(tmp_path):
    script = tmp_path / "data" / "play.py"
    script.parent.mkdir()
    script.write_text("print('hello')")
    bot = find_bot(f"env python {script}")

    check_data_folder({"bot": bot}, tmp_path / "elsewhere")
    with pytest.raises(OptionError, match="bot is in it"):
        check_data_folder({"bot": bot}, tmp_path / "data")


@pytest.mark.parametrize("bot", ["links/play.py", "env python links/play.py", "links"])
def test_data_folder_containing_a_linked_file_is_refused(tmp_path, monkeypatch, bot):
    """A file in the data folder that links to one outside is refused too."""
    monkeypatch.chdir(tmp_path)
    for name in ("data", "links"):
        (tmp_path / name).mkdir()
    (tmp_path / "data" / "play.py").write_text("print('hello')")
    (tmp_path / "links" / "bot.py").write_text("print('hello')")
    (tmp_path / "links" / "play.py").symlink_to(tmp_path / "data" / "play.py")
    (tmp_path / "data" / "outside.py").symlink_to(tmp_path / "links" / "bot.py")

    check_data_folder({"bot": find_bot("env python links/bot.py")}, tmp_path / "data")
    for each in (bot, "data/outside.py"):
        with pytest.raises(OptionError, match="bot is in it"):
            check_data_folder({"bot": find_bot(each)}, tmp_path / "data")


def test_league_sealed_before_windows_were_fixed_by_default_goes_on_as_sealed(tmp_path, monkeypatch):
    """Its file does not say whether windows are fixed, and it has a remote bot."""
    file, data = write_league(tmp_path / "bots", bots=3, games=4), tmp_path / "data"
    file.write_text(f'{file.read_text()}\n[[entrants]]\nbot = "remote:far"\n')
    with monkeypatch.context() as earlier:
        earlier.setattr("arena.organizer.file.league_reader.fix_windows", lambda pace: pace)
        assert league("seal", file, "--data", data) == 0

    assert asyncio.run(reopened(file, data)).file.terms.pace.fixed_window is False


async def reopened(file: Path, data: Path) -> OpenLeague:
    """Open a sealed league as `arena league resume` does."""
    async with await open_store(data) as store:
        return await open_league_to_play(read_league_file(file), store)
