"""Which files identify a bot."""

import contextlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arena.bots.launch.programs import SCRIPT_NAME, BotProgram, find_bot
from arena.bots.packages import bot_hash
from arena.bots.packages.bot_hash import has_content, hash_bot, is_bot_file, newest_file_name
from arena.errors import BotStartError


@pytest.fixture
def bot(tmp_path: Path) -> BotProgram:
    (tmp_path / SCRIPT_NAME).write_text("print('hello')")
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights" / "layer.txt").write_text("1 2 3")
    program = find_bot(str(tmp_path))
    assert isinstance(program, BotProgram)
    return program


def resolve_command(command: str, folder: Path) -> BotProgram:
    """Return the program that a command means when started in this folder."""
    folder.mkdir(exist_ok=True)
    with contextlib.chdir(folder):
        program = find_bot(command)
    assert isinstance(program, BotProgram)
    return program


def content_after_write(bot: BotProgram, name: str) -> str:
    """Return the content after a file was written."""
    path = bot.folder / name
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text("something else")
    return hash_bot(bot)


@pytest.mark.parametrize("name", [SCRIPT_NAME, "weights/layer.txt", "weights/more.txt", "target/bot"])
def test_file_in_its_folder_belongs_to_the_bot(bot: BotProgram, name):
    assert hash_bot(bot) != content_after_write(bot, name)
    assert newest_file_name(bot) == name


@pytest.mark.parametrize("name", ["bot.log", "old/bot.log.1", "a.log.2026-11-28.gz", "logs/game-1.txt"])
def test_logs_of_a_bot_do_not_count_and_an_earlier_seal_that_has_them_holds(bot: BotProgram, name):
    """Release 0.2 counted them."""
    sealed = hash_bot(bot)
    assert sealed == content_after_write(bot, name)
    sealed_with_log = hash_bot(bot, counts_logs=True)

    contents = {sealed, sealed_with_log}
    assert len(contents) == 2
    assert all(has_content(bot, each) for each in contents)
    content_after_write(bot, SCRIPT_NAME)
    assert not any(has_content(bot, each) for each in contents)


@pytest.mark.parametrize(
    "name", ["dialog", "catalog.txt", ".log", "weights/logs/notes.txt", "logs/plan.py", "plan.log.py"]
)
def test_what_only_resembles_a_log_belongs_to_the_bot(bot: BotProgram, name):
    assert hash_bot(bot) != content_after_write(bot, name)


@pytest.mark.parametrize("name", [".git/HEAD", "__pycache__/bot.pyc", ".venv/pyvenv.cfg", "receipts/one"])
def test_files_left_by_running_the_bot_do_not_count(bot: BotProgram, name):
    assert hash_bot(bot) == content_after_write(bot, name)


def test_vanished_file_is_a_bot_error(bot: BotProgram, monkeypatch):
    """A bot may write and remove files while it is being hashed."""
    here = list(bot_hash.iter_files(bot))
    monkeypatch.setattr(bot_hash, "iter_files", lambda *_, **__: [*here, bot.folder / "gone"])

    with pytest.raises(BotStartError, match="gone cannot be read: No such file"):
        hash_bot(bot)
    assert newest_file_name(bot) == ""


def test_package_may_share_name_with_sdk_at_top_level(bot: BotProgram):
    (bot.folder / "src").mkdir()

    assert hash_bot(bot) != content_after_write(bot, "src/receipts/paper.py")


@pytest.mark.parametrize("word", ["bot.py", "./bot.py", "{folder}/bot.py"])
def test_files_named_in_a_command_count_however_they_are_written(tmp_path, word):
    (tmp_path / "bot.py").write_text("print('hello')")
    program = resolve_command(f"env python {word.format(folder=tmp_path)}", tmp_path)

    assert hash_bot(program) != content_after_write(program, "bot.py")


def test_file_named_in_a_command_counts_wherever_it_is(tmp_path):
    script = tmp_path / "bot.py"
    script.write_text("print('hello')")
    program = resolve_command(f"env python {script}", tmp_path / "here")

    assert hash_bot(program) != content_after_write(program, "../bot.py")
    assert newest_file_name(program) == str(script)


@pytest.mark.parametrize("place", ["", "bots", "bots/there", "bots/the", "elsewhere", "/"])
@pytest.mark.parametrize("command", ["env python {there}/play.py {there}/weights", "{there}/play.py {there}/weights"])
def test_command_hashes_equally_from_any_working_directory(tmp_path, place, command):
    """Start it above its files, beside them, among them, where a name has the same prefix, and beside other bots."""
    there = tmp_path / "bots" / "there"
    there.mkdir(parents=True)
    (there / "play.py").write_text("print('hello')")
    (there / "play.py").chmod(0o755)
    (there / "weights").write_text("1 2 3")
    one, other = (
        resolve_command(command.format(there=there), folder) for folder in (tmp_path / "other", tmp_path / place)
    )

    assert hash_bot(one) == hash_bot(other)
    before = hash_bot(other)
    assert len({before, *(content_after_write(other, str(there / name)) for name in ("play.py", "weights"))}) == 3


def test_command_is_not_a_folder_even_when_started_in_a_bots_folder(bot: BotProgram):
    command = resolve_command("env python weights/layer.txt", bot.folder)

    assert hash_bot(command) == content_after_write(command, "notes")
    assert not is_bot_file(command, bot.folder / "arena-data")


def test_vanished_file_named_in_a_command_is_a_bot_error(tmp_path):
    (tmp_path / "play.py").write_text("print('hello')")
    program = resolve_command(f"env python {tmp_path / 'play.py'}", tmp_path)
    (tmp_path / "play.py").unlink()

    with pytest.raises(BotStartError, match=r"play\.py cannot be read: No such file"):
        hash_bot(program)


def test_order_of_equally_named_files_counts(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "play.py").write_text(name)
    orders = ("one/play.py two/play.py", "two/play.py one/play.py")
    one, other = (resolve_command(f"env python {words}", tmp_path) for words in orders)

    assert hash_bot(one) != hash_bot(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("env play.py", "cat play.py"),
        ("env play.py 3", "env play.py 4"),
        ("env play.py", "env play.py play.py"),
        ("./play.py", "env play.py"),
        ("env weights/one one", "env one weights/one"),
    ],
)
def test_different_commands_are_different_bots(tmp_path, one, other):
    (tmp_path / "play.py").write_text("hello")
    (tmp_path / "play.py").chmod(0o755)
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights" / "one").write_text("1 2 3")

    assert hash_bot(resolve_command(one, tmp_path)) != hash_bot(resolve_command(other, tmp_path))


def test_executable_script_differs_from_its_command(tmp_path):
    """The arena's Python runs a script; a command runs with its shebang interpreter. Any other program is one bot."""
    for name in ("play.py", "play"):
        (tmp_path / name).write_text("#!/usr/bin/env python3")
        (tmp_path / name).chmod(0o755)
    script, command, program, quoted = (
        hash_bot(resolve_command(text, tmp_path)) for text in ("play.py", "'./play.py'", "./play", "'./play'")
    )

    assert script != command
    assert program == quoted


def test_word_is_neither_an_environment_nor_file_content(tmp_path):
    (tmp_path / "word").write_text("LEVEL=3")
    file, told = resolve_command("env word", tmp_path), resolve_command("env word", tmp_path / "other")
    word = resolve_command("env word LEVEL=3", tmp_path / "other")

    assert len({*map(hash_bot, (file, word, replace(told, environment={"LEVEL": "3"})))}) == 3


def test_two_manifests_in_one_folder_are_different_bots(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
        (tmp_path / f"{name}.toml").write_text(f"name = 'bot'\ncommand = './{name}'")
    one, two = (resolve_command(str(tmp_path / f"{name}.toml"), tmp_path) for name in ("one", "two"))

    assert hash_bot(one) != hash_bot(two)


@pytest.mark.skipif(os.name != "posix", reason="the language of a machine decides there what bytes text is")
def test_word_hashes_equally_in_every_locale():
    script = (
        "import pathlib\n"
        "from arena.bots.launch.programs import BotProgram\n"
        "from arena.bots.packages.bot_hash import hash_bot\n"
        "print(hash_bot(BotProgram('a', (), pathlib.Path('.'), words=('caf\\xe9',), files=())))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"LC_ALL": language, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for language in ("C", "C.UTF-8")
    }

    assert len(told) == 1


def test_whole_program_may_be_a_word_of_a_command(tmp_path):
    one, other = (resolve_command(f"env python -c '{text * 200}'", tmp_path) for text in ("x=1;", "x=2;"))

    assert hash_bot(one) != hash_bot(other)


def test_build_outputs_do_not_count_but_sources_do(bot: BotProgram):
    built = replace(bot, build=("make",))

    assert hash_bot(built) == content_after_write(built, "target/bot")
    assert hash_bot(built) != content_after_write(built, SCRIPT_NAME)


def test_arguments_count_but_program_locations_do_not(bot: BotProgram):
    assert hash_bot(bot) != hash_bot(replace(bot, environment={"NERVE": "2"}))
    assert hash_bot(bot) == hash_bot(replace(bot, environment={"PATH": "/somewhere"}))


def test_folder_contents_count_except_files_left_by_running(bot: BotProgram):
    assert is_bot_file(bot, bot.folder / "arena-data")
    assert not is_bot_file(bot, bot.folder / ".venv" / "data")
    assert not is_bot_file(bot, bot.folder.parent / "arena-data")


def test_script_does_not_include_everything_beside_it(tmp_path):
    (tmp_path / "mine.py").write_text("print('hello')")
    program = find_bot(str(tmp_path / "mine.py"))

    assert isinstance(program, BotProgram)
    assert not is_bot_file(program, tmp_path / "arena-data")


@pytest.mark.skipif(os.name != "posix", reason="names are bytes on POSIX alone")
def test_undecodable_file_name_counts_and_can_be_reported(bot: BotProgram):
    before = hash_bot(bot)
    (bot.folder / os.fsdecode(b"\xff")).write_text("notes")

    assert hash_bot(bot) != before
    assert newest_file_name(bot).encode()
