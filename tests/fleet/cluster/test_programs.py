"""Bots on their way to another machine, from one folder to another."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arena.bots.launch.programs import BotProgram, find_bot
from arena.bots.packages.bot_hash import hash_bot
from arena.bots.packages.private_copy import make_private_copy
from arena.errors import BotStartError
from arena.fleet.cluster.programs import pack_program, unpack_program

SCRIPT = "print('a bot')\n"


def find_program(text: str) -> BotProgram:
    program = find_bot(text)
    assert isinstance(program, BotProgram)
    return program


def send(program: BotProgram, there: Path, python: str = sys.executable) -> BotProgram:
    return unpack_program(program, python, hash_bot(program), pack_program(program), there)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "mine"
    made.mkdir()
    (made / "bot.py").write_text(SCRIPT)
    return made


def test_folder_arrives_with_its_files_and_hash(folder: Path, tmp_path: Path):
    (folder / "book").mkdir()
    (folder / "book" / "openings.txt").write_text("1")
    program = find_program(str(folder))

    placed = send(program, tmp_path / "there")

    assert hash_bot(placed) == hash_bot(program)
    assert placed.command == (sys.executable, "-u", str(placed.folder / "bot.py"))
    assert (placed.folder / "book" / "openings.txt").read_text() == "1"
    assert placed.folder == tmp_path / "there" / hash_bot(program)


def test_script_runs_with_the_python_of_its_machine(folder: Path, tmp_path: Path):
    (folder / "solo.py").write_text(SCRIPT)
    program = find_program(str(folder / "solo.py"))
    elsewhere = replace(program, command=("/opt/python", *program.command[1:]))

    placed = send(elsewhere, tmp_path / "there", python="/opt/python")

    assert placed.command == (sys.executable, "-u", str(placed.folder / "solo.py"))
    assert placed.files == (placed.folder / "solo.py",)


def test_command_keeps_its_words_and_finds_its_program_anew(folder: Path, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    program = find_program("sh mine/bot.py --level 3")

    placed = send(replace(program, command=("/opt/bin/sh", *program.command[1:])), tmp_path / "there")

    assert Path(placed.command[0]).name == "sh"
    assert placed.command[1:] == (str(placed.folder / "bot.py"), "--level", "3")
    with pytest.raises(BotStartError, match="needs the program 'no-such-tool', which is not installed"):
        send(replace(program, command=("/opt/no-such-tool", *program.command[1:])), tmp_path / "there")


def test_program_stays_executable(folder: Path, tmp_path: Path):
    (folder / "run").write_text("#!/bin/sh\n")
    (folder / "run").chmod(0o755)

    placed = send(find_program(str(folder / "run")), tmp_path / "there")

    assert placed.command == (str(placed.folder / "run"),)
    assert (placed.folder / "run").stat().st_mode & 0o100


@pytest.mark.parametrize("name", [".venv", "node_modules"])
def test_bot_with_packages_of_its_own_is_not_sent(folder: Path, name):
    program = find_program(str(folder))
    (folder / name).mkdir()

    with pytest.raises(BotStartError, match=f"mine cannot play on a cluster: its {name} stays on this machine"):
        pack_program(program)


def test_link_is_not_sent(folder: Path):
    (folder / "link").symlink_to("/etc/passwd")

    with pytest.raises(BotStartError, match="mine cannot be sent to a cluster: 'link' is a symbolic link"):
        pack_program(find_program(str(folder)))


def test_bot_that_changes_its_files_there_is_not_started_again(folder: Path, tmp_path: Path):
    program = find_program(str(folder))
    placed = send(program, tmp_path / "there")
    (placed.folder / "notes.txt").write_text("learnt")

    with pytest.raises(BotStartError, match="mine was not started: its files have changed"):
        send(program, tmp_path / "there")


def test_private_copy_may_change_its_files_there(folder: Path, tmp_path: Path):
    program = make_private_copy(find_program(str(folder)), tmp_path / "here")
    there = make_private_copy(send(program, tmp_path / "there"), tmp_path / "lanes" / "one")
    (there.folder / "notes.txt").write_text("learnt")

    again = make_private_copy(send(program, tmp_path / "there"), tmp_path / "lanes" / "one")

    assert (again.folder / "notes.txt").read_text() == "learnt"
    assert again.command == (sys.executable, "-u", str(tmp_path / "lanes" / "one" / "bot" / "bot.py"))
    assert again.private_variables["HOME"] == str(tmp_path / "lanes" / "one" / "home")
