"""The private copy of a bot that each lane has."""

import os
from pathlib import Path

import pytest

from arena.bots.launch.programs import SCRIPT_NAME, BotProgram, find_bot
from arena.bots.packages.bot_hash import hash_bot
from arena.bots.packages.private_copy import make_private_copy
from arena.errors import EnvironmentFaultError


@pytest.fixture
def bot(tmp_path: Path) -> BotProgram:
    home = tmp_path / "bot"
    for name in (".git/HEAD", "node_modules/a.js", "receipts/one", "lib/node_modules/b.js", "src/receipts/paper.py"):
        path = home / name
        path.parent.mkdir(parents=True)
        path.write_text("something")
    (home / SCRIPT_NAME).write_text("print('hello')")
    program = find_bot(str(home))
    assert isinstance(program, BotProgram)
    return program


def test_lane_copy_contains_the_bot_and_links_large_files(bot: BotProgram, tmp_path):
    copy = make_private_copy(bot, tmp_path / "lane").folder

    there = {path.relative_to(copy).as_posix() for path in copy.rglob("*") if path.is_file()}
    assert there >= {SCRIPT_NAME, "lib/node_modules/b.js", "src/receipts/paper.py"}
    assert (copy / "node_modules").is_symlink()
    assert (copy / "node_modules" / "a.js").is_file()
    assert not there & {".git/HEAD", "receipts/one"}


def test_kept_copy_links_large_files_where_the_bot_is_now(bot: BotProgram, tmp_path):
    copy = make_private_copy(bot, tmp_path / "lane").folder
    (copy / "learned").write_text("much")
    moved = find_bot(str(bot.folder.rename(tmp_path / "moved")))
    assert isinstance(moved, BotProgram)

    again = make_private_copy(moved, tmp_path / "lane").folder

    assert (again / "node_modules" / "a.js").is_file()
    assert (again / "learned").read_text() == "much"


def test_lane_copy_has_its_own_home(bot: BotProgram, tmp_path):
    program = make_private_copy(bot, tmp_path / "lane")

    assert program.private_variables["HOME"] == str(tmp_path / "lane" / "home")
    assert Path(program.private_variables["TMPDIR"]).is_dir()


def test_copies_of_one_bot_have_one_content(bot: BotProgram, tmp_path):
    """So a cluster is sent a bot once, and not once for each lane."""
    one, other = (make_private_copy(bot, tmp_path / name) for name in ("one", "other"))

    assert hash_bot(one) == hash_bot(other)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a pipe with a name is POSIX's")
def test_uncopyable_file_is_named(bot: BotProgram, tmp_path):
    os.mkfifo(bot.folder / "pipe")

    with pytest.raises(EnvironmentFaultError, match=r"cannot be copied to .*pipe.* is a named pipe"):
        make_private_copy(bot, tmp_path / "lane")
