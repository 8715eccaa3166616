"""Which files make a bot what it is."""

import contextlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arena.errors import BotStartError
from arena.hosting import content
from arena.hosting.content import belongs_to, changed_last, content_of
from arena.launch.programs import SCRIPT_NAME, BotProgram, find_bot


@pytest.fixture
def bot(tmp_path: Path) -> BotProgram:
    (tmp_path / SCRIPT_NAME).write_text("print('hello')")
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights" / "layer.txt").write_text("1 2 3")
    program = find_bot(str(tmp_path))
    assert isinstance(program, BotProgram)
    return program


def started(command: str, folder: Path) -> BotProgram:
    """What a command means where one stands in that folder."""
    folder.mkdir(exist_ok=True)
    with contextlib.chdir(folder):
        program = find_bot(command)
    assert isinstance(program, BotProgram)
    return program


def written(bot: BotProgram, name: str) -> str:
    """The content after a file was written."""
    path = bot.folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("something else")
    return content_of(bot)


@pytest.mark.parametrize("name", [SCRIPT_NAME, "weights/layer.txt", "weights/more.txt", "target/bot"])
def test_a_file_of_its_folder_belongs_to(bot, name):
    assert content_of(bot) != written(bot, name)
    assert changed_last(bot) == name


@pytest.mark.parametrize("name", [".git/HEAD", "__pycache__/bot.pyc", ".venv/pyvenv.cfg", "receipts/one"])
def test_what_running_it_leaves_does_not_count(bot, name):
    assert content_of(bot) == written(bot, name)


def test_a_file_that_is_gone_by_now_is_a_fault_of_the_bot(bot, monkeypatch):
    """A bot may write and remove files while it is looked at."""
    here = list(content._files(bot))
    monkeypatch.setattr(content, "_files", lambda _: [*here, bot.folder / "gone"])

    with pytest.raises(BotStartError, match="gone cannot be read: No such file"):
        content_of(bot)
    assert changed_last(bot) == ""


def test_a_package_may_have_a_name_that_the_sdk_uses_at_the_top(bot):
    (bot.folder / "src").mkdir()

    assert content_of(bot) != written(bot, "src/receipts/paper.py")


@pytest.mark.parametrize("word", ["bot.py", "./bot.py", "{folder}/bot.py"])
def test_of_a_command_the_files_among_its_words_count_however_they_are_named(tmp_path, word):
    (tmp_path / "bot.py").write_text("print('hello')")
    program = started(f"env python {word.format(folder=tmp_path)}", tmp_path)

    assert content_of(program) != written(program, "bot.py")


def test_a_file_among_the_words_of_a_command_counts_wherever_it_lies(tmp_path):
    script = tmp_path / "bot.py"
    script.write_text("print('hello')")
    program = started(f"env python {script}", tmp_path / "here")

    assert content_of(program) != written(program, "../bot.py")
    assert changed_last(program) == str(script)


@pytest.mark.parametrize("place", ["", "bots", "bots/there", "bots/the", "elsewhere", "/"])
@pytest.mark.parametrize("command", ["env python {there}/play.py {there}/weights", "{there}/play.py {there}/weights"])
def test_a_command_is_one_bot_from_wherever_it_is_started(tmp_path, place, command):
    """Above its files, beside them, among them, where a name begins alike, and where other bots are."""
    there = tmp_path / "bots" / "there"
    there.mkdir(parents=True)
    (there / "play.py").write_text("print('hello')")
    (there / "play.py").chmod(0o755)
    (there / "weights").write_text("1 2 3")
    one, other = (started(command.format(there=there), folder) for folder in (tmp_path / "other", tmp_path / place))

    assert content_of(one) == content_of(other)
    before = content_of(other)
    assert len({before, *(written(other, str(there / name)) for name in ("play.py", "weights"))}) == 3


def test_a_command_is_no_folder_though_one_started_it_where_a_bot_lies(bot):
    command = started("env python weights/layer.txt", bot.folder)

    assert content_of(command) == written(command, "notes")
    assert not belongs_to(command, bot.folder / "arena-data")


def test_a_file_among_the_words_that_is_gone_by_now_is_a_fault_of_the_bot(tmp_path):
    (tmp_path / "play.py").write_text("print('hello')")
    program = started(f"env python {tmp_path / 'play.py'}", tmp_path)
    (tmp_path / "play.py").unlink()

    with pytest.raises(BotStartError, match=r"play\.py cannot be read: No such file"):
        content_of(program)


def test_which_of_two_files_comes_first_counts_though_they_are_called_alike(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "play.py").write_text(name)
    orders = ("one/play.py two/play.py", "two/play.py one/play.py")
    one, other = (started(f"env python {words}", tmp_path) for words in orders)

    assert content_of(one) != content_of(other)


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
def test_commands_that_differ_are_different_bots(tmp_path, one, other):
    (tmp_path / "play.py").write_text("hello")
    (tmp_path / "play.py").chmod(0o755)
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights" / "one").write_text("1 2 3")

    assert content_of(started(one, tmp_path)) != content_of(started(other, tmp_path))


def test_a_word_is_taken_neither_for_an_environment_nor_for_what_stands_in_a_file(tmp_path):
    (tmp_path / "word").write_text("LEVEL=3")
    file, told = started("env word", tmp_path), started("env word", tmp_path / "other")
    word = started("env word LEVEL=3", tmp_path / "other")

    assert len({*map(content_of, (file, word, replace(told, environment={"LEVEL": "3"})))}) == 3


def test_two_manifests_of_one_folder_are_different_bots(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
        (tmp_path / f"{name}.toml").write_text(f"name = 'bot'\ncommand = './{name}'")
    one, two = (started(str(tmp_path / f"{name}.toml"), tmp_path) for name in ("one", "two"))

    assert content_of(one) != content_of(two)


@pytest.mark.skipif(os.name != "posix", reason="the language of a machine decides there what bytes text is")
def test_a_word_is_the_same_in_every_language_of_a_machine():
    script = (
        "from arena.launch.programs import BotProgram; from arena.hosting.content import content_of; import pathlib\n"
        "print(content_of(BotProgram('a', (), pathlib.Path('.'), words=('caf\\xe9',), files=())))"
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


def test_a_whole_program_may_be_a_word_of_a_command(tmp_path):
    one, other = (started(f"env python -c '{text * 200}'", tmp_path) for text in ("x=1;", "x=2;"))

    assert content_of(one) != content_of(other)


def test_what_is_built_does_not_count_but_its_sources_do(bot):
    built = replace(bot, build=("make",))

    assert content_of(built) == written(built, "target/bot")
    assert content_of(built) != written(built, SCRIPT_NAME)


def test_what_it_is_told_counts_but_not_where_this_machine_has_its_programs(bot):
    assert content_of(bot) != content_of(replace(bot, environment={"NERVE": "2"}))
    assert content_of(bot) == content_of(replace(bot, environment={"PATH": "/somewhere"}))


def test_what_lies_in_a_bots_folder_counts_but_for_what_running_it_leaves(bot):
    assert belongs_to(bot, bot.folder / "arena-data")
    assert not belongs_to(bot, bot.folder / ".venv" / "data")
    assert not belongs_to(bot, bot.folder.parent / "arena-data")


def test_a_script_is_not_all_that_lies_beside_it(tmp_path):
    (tmp_path / "mine.py").write_text("print('hello')")
    program = find_bot(str(tmp_path / "mine.py"))

    assert isinstance(program, BotProgram)
    assert not belongs_to(program, tmp_path / "arena-data")


@pytest.mark.skipif(os.name != "posix", reason="names are bytes on POSIX alone")
def test_a_name_that_is_no_text_counts_and_can_be_said(bot):
    before = content_of(bot)
    (bot.folder / os.fsdecode(b"\xff")).write_text("notes")

    assert content_of(bot) != before
    assert changed_last(bot).encode()
