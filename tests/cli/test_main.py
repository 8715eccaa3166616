"""The edge of the command line: every error becomes one line and the right exit code."""

import errno
import importlib
import io
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer

from arena import __version__
from arena.cli.console import keep_verdict, print_status
from arena.cli.exit_codes import ExitCode, Interrupted
from arena.cli.main import COMMANDS
from arena.compiled_build import describe_build
from arena.errors import BotStartError
from tests.support.commands import ARENA, run_arena


@pytest.fixture
def command(monkeypatch):
    """Return a function that replaces the command `serve` by a given function."""

    def put(act):
        app = typer.Typer()
        app.command()(act)
        monkeypatch.setitem(sys.modules, "arena.cli.serve", SimpleNamespace(app=app))

    return put


def test_version_is_shown(capsys):
    assert run_arena(capsys, "--version").out == f"arena {__version__}, {describe_build()}\n"


def test_help_lists_every_command_without_loading_any(capsys, monkeypatch):
    """Help is quick: it imports no command modules."""
    for name in COMMANDS:
        monkeypatch.delitem(sys.modules, COMMANDS[name].module, raising=False)

    ended = run_arena(capsys, "--help")

    assert ended.code == ExitCode.YES
    assert all(name in ended.out for name in COMMANDS)
    assert not [name for name in COMMANDS if COMMANDS[name].module in sys.modules]


@pytest.mark.slow
def test_command_loads_only_what_it_needs(tmp_path):
    """Showing rules loads no wire code; a new or current store loads no migrations, which take the longest."""
    program = (
        "import sys\n"
        "from arena.cli.main import run\n"
        "run(['rules', 'list'])\n"
        "assert not {'grpc', 'alembic', 'sqlalchemy'} & {*sys.modules}\n"
        "run(['token', 'list', '--data', sys.argv[1]])\n"
        "assert not {'grpc', 'prometheus_client'} & {*sys.modules}\n"
        "assert ('alembic' in sys.modules) is (sys.argv[2] == 'older')\n"
    )

    for folder, state in (("data", "new"), ("data", "known"), ("old", "older")):
        if state == "older":
            (tmp_path / folder).mkdir(mode=0o700)
            with closing(sqlite3.connect(tmp_path / folder / "arena.db")) as database:
                database.execute("CREATE TABLE of_another_time (x)")
        subprocess.run([sys.executable, "-c", program, tmp_path / folder, state], check=True, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(capsys, name):
    if importlib.util.find_spec(COMMANDS[name].module) is None:
        pytest.skip("not there yet")

    ended = run_arena(capsys, name, "--help")

    assert ended.code == ExitCode.YES
    assert f"arena {name}" in ended.out


@pytest.mark.parametrize("name", COMMANDS)
def test_no_argument_has_the_marks_of_a_usage_line_itself(name):
    """The usage line adds brackets to an optional argument, and dots to a list."""
    command: Any = typer.main.get_command(importlib.import_module(COMMANDS[name].module).app)
    metavars = [
        part.metavar or ""
        for each in (command, *getattr(command, "commands", {}).values())
        for part in each.params
        if part.param_type_name == "argument"
    ]

    assert [text for text in metavars if text.startswith("[") or text.endswith(("...", "…"))] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_data_option_names_its_variable(name):
    """All commands that take --data obey ARENA_DATA, except the one that only uses a folder on request.

    Commands of authors and of certificates have no data folder.
    """
    command: Any = typer.main.get_command(importlib.import_module(COMMANDS[name].module).app)
    folders = [
        option.help
        for each in (command, *getattr(command, "commands", {}).values())
        for option in each.params
        if option.name == "data"
    ]

    without = {"rules", "secrecy", "cert", "join", "bots", "login", "challenge", "games", "health", "watch"}
    without |= {"pack", "sandbox", "store", "submit", "submission"}
    assert folders or name in without
    said = ("Default: ARENA_DATA, or else arena-data.", "Default: not checked.")
    assert all(text.endswith(said) for text in folders)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        pytest.param(["matsch"], "arena: No such command 'matsch'", id="command"),
        pytest.param(["--colour"], "arena: No such option: --colour", id="option"),
        pytest.param(["serve", "--colour"], "arena serve: No such option: --colour", id="option-of-a-command"),
        pytest.param(["serve", "--port", "x"], "arena serve: Invalid value for '--port'", id="not-a-number"),
        pytest.param(["match"], "arena match: Missing option '--bot'", id="missing-option"),
        pytest.param(["serve", "--port", "70000"], "arena: --port 70000: expected 0 to 65535", id="out-of-range"),
        pytest.param(["demo", "--preset", "folklore"], "arena: unknown preset 'folklore'", id="preset"),
    ],
)
def test_usage_error_is_one_line_and_exit_code_64(capsys, tmp_path, monkeypatch, arguments, line):
    monkeypatch.chdir(tmp_path)
    bots = ["--bot", "remote:a", "--bot", "remote:b"] if arguments[0] == "demo" else []

    ended = run_arena(capsys, *arguments, *bots)

    assert ended.code == ExitCode.USAGE
    assert ended.err.startswith(line)
    assert len(ended.err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == [], "nothing is made for a command that cannot be"


def test_missing_command_shows_help_and_fails(capsys):
    assert run_arena(capsys).code == ExitCode.USAGE


def test_unexpected_exception_never_means_no(capsys, command):
    """1 is an answer; an internal error is 70, in one line that says how to see more."""

    def act() -> None:
        raise ZeroDivisionError("division by zero")

    command(act)

    ended = run_arena(capsys, "serve")

    assert ended.code == ExitCode.INTERNAL_ERROR
    assert ended.err == ("arena: internal error: ZeroDivisionError: division by zero (ARENA_DEBUG=1 shows where)\n")


def test_traceback_can_be_requested(capsys, command, monkeypatch):
    def act() -> None:
        raise ZeroDivisionError

    command(act)
    monkeypatch.setenv("ARENA_DEBUG", "1")

    assert "Traceback" in run_arena(capsys, "serve").err


def test_error_notes_follow_its_line(capsys, command):
    def act() -> None:
        error = BotStartError("a ended")
        error.add_note("  its last line")
        raise error

    command(act)

    ended = run_arena(capsys, "serve")

    assert (ended.code, ended.err) == (ExitCode.BOT_FAILED, "arena: a ended\n  its last line\n")


def test_text_chosen_by_bot_author_cannot_control_the_terminal(capsys, command):
    def act() -> None:
        print_status(
            "mallory was not started: its files have changed (last \x1b]0;owned\x07a\x1b[2Jb\x9b31m.py)\n  so it is"
        )
        raise BotStartError("no file \x1b[8mhidden\r\u202efdp.py")

    command(act)

    ended = run_arena(capsys, "serve")

    said = "mallory was not started: its files have changed (last ab.py)\n  so it is\narena: no file hiddenfdp.py\n"
    assert (ended.code, ended.err) == (ExitCode.BOT_FAILED, said)


@pytest.mark.parametrize("code", list(ExitCode))
def test_command_result_is_the_exit_code(capsys, command, code):
    command(lambda: code)

    assert run_arena(capsys, "serve").code == code


@pytest.mark.parametrize("error", [KeyboardInterrupt(), Interrupted("stopped; 3 games are kept")], ids=type)
def test_interruption_exits_with_130(capsys, command, error):
    def act() -> None:
        raise error

    command(act)

    assert run_arena(capsys, "serve").code == ExitCode.INTERRUPTED


def test_reader_that_disconnects_is_not_an_answer(capsys, command):
    """Its pipe closes early, as with `arena replay show … | head`."""

    def act() -> None:
        raise BrokenPipeError

    command(act)

    assert run_arena(capsys, "serve").code == ExitCode.INTERRUPTED


@pytest.mark.parametrize("words", [["--help"], ["rules", "--help"], ["--version"]], ids=" ".join)
def test_reader_that_leaves_a_help_ends_it_quietly(words):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as closed:
        ended = subprocess.run([*ARENA, *words], stdout=closed, stderr=subprocess.PIPE, text=True, check=False)

    assert (ended.returncode, ended.stderr) == (ExitCode.YES, "")


needs_full_device = pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a full device")


@needs_full_device
@pytest.mark.parametrize("is_unbuffered", [False, True], ids=["at-the-flush", "at-the-write"])
def test_full_stdout_is_an_environment_error(is_unbuffered):
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [*ARENA, "rules", "list"],
            env={**os.environ, "PYTHONUNBUFFERED": "1" if is_unbuffered else ""},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    assert ended.returncode == ExitCode.UNSTEADY
    assert ended.stderr == "arena: stdout cannot be written: No space left on device\n"


@pytest.mark.parametrize(("path", "name"), [(None, "a file"), ("data/arena.db", "data/arena.db")])
def test_another_file_without_space_is_not_called_stdout(capsys, command, path, name):
    def act() -> None:
        raise OSError(errno.ENOSPC, "No space left on device", path)

    command(act)

    ended = run_arena(capsys, "serve")

    assert ended.code == ExitCode.UNSTEADY
    assert ended.err == f"arena: {name} cannot be written: No space left on device\n"


@needs_full_device
def test_full_file_is_not_called_stdout_although_stdout_is_watched(tmp_path):
    """The write of a file fails without naming the file. The same process does name stdout in its errors."""
    full = tmp_path / "match.json"
    full.symlink_to("/dev/full")
    program = program_of(f"print('printed')\n    with open({str(full)!r}, 'w') as file:\n        file.write('x')")

    ended = subprocess.run(program, capture_output=True, text=True, check=False)

    assert (ended.returncode, ended.stdout) == (ExitCode.UNSTEADY, "printed\n")
    assert ended.stderr == "arena: a file cannot be written: No space left on device\n"


def program_of(body: str) -> list[str]:
    """Return a process in which `arena serve` has this body."""
    program = (
        "import sys\n"
        "from types import SimpleNamespace\n"
        "import typer\n"
        "from arena.cli.main import main\n"
        "from arena.cli.present import present, table_lines\n"
        "app = typer.Typer()\n"
        "@app.command()\n"
        "def serve():\n"
        f"    {body}\n"
        "sys.modules['arena.cli.serve'] = SimpleNamespace(app=app)\n"
        "sys.argv = ['arena', 'serve']\n"
        "main()\n"
    )
    return [sys.executable, "-c", program]


def run_without_reader(command: list[str]) -> tuple[int, str]:
    """Run a command whose stdout is a pipe that nobody reads. Return its exit code and what it wrote to stderr."""
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    return ended.returncode, ended.stderr


def test_reader_missing_from_the_start_is_an_interruption():
    assert run_without_reader(program_of("print('not shown')")) == (ExitCode.INTERRUPTED, "")


RESULTS = {
    "text": "present([], False, ['a line'] * 10_000)",
    "table": "present([], False, table_lines([{'a': 100 * 'a'}] * 1_000, {'a': 'a'}))",
    "table-and-text": "present([], False, [*table_lines([{'a': 1}], {'a': 'a'}), *['a line'] * 10_000])",
    "json": "present([*range(20_000)], True, [])",
}
"""Results that are larger than a pipe holds."""


@pytest.mark.parametrize("body", RESULTS.values(), ids=RESULTS)
def test_result_that_nobody_reads_ends_quietly_with_its_own_code(body):
    assert run_without_reader(program_of(f"{body}; return 1")) == (ExitCode.NO, "")


@pytest.mark.parametrize("body", RESULTS.values(), ids=RESULTS)
def test_result_of_which_the_first_line_is_read_ends_quietly_with_its_own_code(body):
    command = subprocess.Popen(program_of(f"{body}; return 1"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with command:
        assert subprocess.run(["head", "-1"], stdin=command.stdout, capture_output=True, check=True).stdout
        assert command.stdout is not None
        command.stdout.close()
        assert command.stderr is not None
        assert command.stderr.read() == b""
    assert command.returncode == ExitCode.NO


def test_failed_status_line_does_not_silence_later_ones(monkeypatch):
    class Stderr(io.StringIO):
        fault: OSError | None = OSError(errno.ENOSPC, "No space left on device")

        def flush(self) -> None:
            if self.fault is not None:
                raise self.fault

    stderr = Stderr()
    monkeypatch.setattr(sys, "stderr", stderr)

    print_status("lost, perhaps")
    stderr.fault = None
    print_status("here again")

    assert stderr.getvalue().endswith("here again\n")


@pytest.mark.parametrize("fault", [None, errno.ENOSPC, errno.EPIPE], ids=["written", "full", "closed"])
def test_verdict_survives_unwritable_stdout(capsys, command, monkeypatch, fault):
    def act() -> int:
        with keep_verdict():
            if fault is not None:
                raise OSError(fault, os.strerror(fault))
            print("not better")
        return ExitCode.NO

    command(act)

    ended = run_arena(capsys, "serve")

    assert ended.code == ExitCode.NO
    assert ended.out == ("" if fault else "not better\n")
    told = "the answer cannot be written to stdout: No space left on device\n"
    assert ended.err == (told if fault == errno.ENOSPC else "")
