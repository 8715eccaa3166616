"""What an author sees after each mistake: in the terminal, in the bot's log, in the replay, and as the exit code."""

import contextlib
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self

import pytest

from arena.cli.exit_codes import ExitCode
from tests.support.commands import ARENA, CommandResult, run_arena, start_command

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and process groups are otherwise there")

HEAD = "import time\nfrom cheatarena import Bot, Play, Rank, cards, run\n\n\nclass Mine(Bot):\n"
PLAYED = HEAD + "    def turn(self, table, options):\n        {body}\n\n\nrun(Mine)\n"
FINE = PLAYED.format(body="return options.largest_honest() or options.smallest_lie()")
TURN_LINE = 7
"""The line of `body`."""


def write_bot(folder: Path, name: str, text: str) -> Path:
    path = folder / f"{name}.py"
    path.write_text(text)
    return path


# ---- mistakes in a match: all of them at one table, beside a bot without mistakes


@dataclass(frozen=True)
class Mistake:
    """A bot, and what the author is told of it."""

    body: str
    quoted: str
    """A part of the last error, which the terminal quotes from the bot's log."""
    replay: str
    """A part of the replay."""
    faults: tuple[str, ...]
    """The kinds of faults that may be counted."""


IN_A_MATCH = {
    "exception": Mistake(
        "raise KeyError('king')", "KeyError('king')", "KeyError: 'king'", ("crashed", "missing")
    ),
    "none": Mistake(
        "return None", "turn() returned None, expected Play", "returned None", ("no_answer", "missing")
    ),
    "foreign": Mistake(
        "return Play(cards('KS KS KS'), options.ranks[0])",
        ": the answer was KS KS KS as ",
        "turn(): KS not in hand",
        ("illegal", "missing"),
    ),
    "wrongrank": Mistake(
        "return Play(tuple(table.hand)[:1], next((r for r in Rank if r not in options.ranks), Rank.ACE))",
        " may not be claimed, only ", " may not be claimed, only ", ("illegal", "missing"),
    ),
    "sleep": Mistake(
        "time.sleep(1.5); return options.largest_honest() or options.smallest_lie()",
        "turn() took 1.",
        "",
        ("late", "missing", "no_answer"),
    ),
    "endless": Mistake(
        "while True: pass",
        f"turn() has not returned at its deadline; it is at endless.py:{TURN_LINE}, in turn()",
        "",
        ("missing",),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class PlayedTable:
    """A match in which every bot but one makes its mistake."""

    ended: CommandResult
    replay: str
    folder: Path

    def log_of(self, name: str) -> str:
        return (self.folder / "bots" / f"{name}.log").read_text()


@pytest.fixture(scope="module")
def table(tmp_path_factory) -> PlayedTable:
    folder = tmp_path_factory.mktemp("table")
    bots = [write_bot(folder, name, PLAYED.format(body=each.body)) for name, each in IN_A_MATCH.items()]
    bots.append(write_bot(folder, "fine", FINE))
    named = [word for bot in bots for word in ("--bot", bot)]
    limits = ("--preset", "rank_lock", "--turn-ms", 1000, "--call-ms", 1000, "--no-fixed-window", "--games", 1)
    ended = run_command("match", *named, *limits, "--nodes", 1, "--data", folder)
    assert "arena replay show " in ended.out, ended.err
    match_id = ended.out.partition("arena replay show ")[2].split()[0]
    replay = run_command("replay", "show", match_id, "--full", "--data", folder)
    if replay.code == ExitCode.USAGE:
        replay = run_command("replay", "show", match_id, "--data", folder)
    assert replay.code == ExitCode.YES, replay.err
    return PlayedTable(ended, " ".join(replay.out.split()), folder)


def run_command(*arguments: object) -> CommandResult:
    """Run a command in a process of its own, with a wide terminal."""
    environment = os.environ | {"COLUMNS": "240"}
    done = subprocess.run(
        [*ARENA, *map(str, arguments)], capture_output=True, text=True, timeout=240, check=False, env=environment
    )
    return CommandResult(done.returncode, done.stdout, done.stderr)


@pytest.mark.slow
def test_match_is_played_to_its_end(table: PlayedTable):
    """Whether so many faults make it fail is another question."""
    assert table.ended.code in (ExitCode.YES, ExitCode.BOT_FAILED), table.ended.err
    assert "Traceback" not in table.ended.out + table.ended.err


@pytest.mark.slow
@pytest.mark.parametrize("name", IN_A_MATCH)
def test_terminal_counts_the_faults_and_quotes_the_log(table: PlayedTable, name):
    mistake = IN_A_MATCH[name]
    said = table.ended.out + table.ended.err

    row = next(line for line in said.splitlines() if line.split()[:1] == [name])
    assert any(kind in row for kind in mistake.faults), row
    assert re.search(rf"^{name} has \d+ faults? in \d+ decisions? ", said, re.MULTILINE)
    assert mistake.quoted in said


@pytest.mark.slow
def test_endless_loop_is_not_blamed_on_the_host_first(table: PlayedTable):
    """However busy this machine is, the bot's own log says where it was at the deadline."""
    said = " ".join(table.ended.out.split())

    assert (
        f"The bot's own fault: turn() had not returned after 1 s; it was at endless.py:{TURN_LINE}, in turn()" in said
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", IN_A_MATCH)
def test_log_begins_with_the_match_and_names_the_cause(table: PlayedTable, name):
    log = table.log_of(name)

    assert f"connected as {name}" in log.splitlines()[0]
    others = ", ".join(each for each in [*IN_A_MATCH, "fine"] if each != name)
    assert f" INFO match 1: against {others}; 1 game of rank_lock, sealed, 1 s a turn, 1 s a call window" in log
    assert IN_A_MATCH[name].quoted in log
    assert "strike" in log or name == "endless"


@pytest.mark.slow
@pytest.mark.parametrize("name", IN_A_MATCH)
def test_replay_names_the_cause(table: PlayedTable, name):
    assert IN_A_MATCH[name].replay in table.replay


@pytest.mark.slow
def test_bot_without_a_mistake_has_no_part_in_them(table: PlayedTable):
    log = table.log_of("fine")

    assert "fine has faults" not in table.ended.out + table.ended.err
    assert "ERROR" not in log
    assert " INFO match 1 game 0: place " in log
    assert log.rstrip().endswith(", no faults")


@pytest.mark.slow
def test_sleeper_has_thought_longer_than_its_turns(table: PlayedTable):
    """Its answers came late, but they count in its think time of 1.5 s and more."""
    row = next(line.split() for line in table.ended.out.splitlines() if line.split()[:1] == ["sleep"])

    assert any(float(each) > 100 for each in row if each.replace(".", "").isdigit() and "." in each), row


# ---- programs that do not get as far as a match

NEVER_RUN = "no_run.py defines the bot Mine but never calls run(Mine): add run(Mine) as its last line"

AT_THE_START = {
    "typo": (
        FINE.replace("\n\n\nrun(", "\n\n    def call_windows(self, table, claim):\n        return None\n\n\nrun("),
        "ended with exit code 64;",
        "Mine.call_windows() is never called: did you mean call_window()?",
    ),
    "no_turn": (
        FINE.replace("def turn", "def move"),
        "ended with exit code 64;",
        "Mine has no turn(), which every Bot needs: define it",
    ),
    "import_error": (
        "import numpyy\n" + FINE,
        "ended with exit code 1: ModuleNotFoundError: No module named 'numpyy' (import_error.py:1);",
        "ModuleNotFoundError: No module named 'numpyy'",
    ),
    "syntax_error": (
        FINE.replace("smallest_lie()", "smallest_lie("),
        f"ended with exit code 1: SyntaxError: '(' was never closed (syntax_error.py:{TURN_LINE});",
        "SyntaxError: '(' was never closed",
    ),
    "no_run": (FINE.replace("run(Mine)\n", ""), "ended at once; is `run(YourBot)` its last line?", NEVER_RUN),
}


@pytest.mark.parametrize("name", AT_THE_START)
def test_program_that_cannot_start_is_explained(capsys, tmp_path, name):
    """The terminal shows its last lines; there is no match, so there is no replay."""
    text, how, last = AT_THE_START[name]
    bot = write_bot(tmp_path, name, text)

    ended = run_arena(capsys, "match", "--bot", bot, "--bot", "sample:honest", "--nodes", 1, "--data", tmp_path)
    listed = run_arena(capsys, "replay", "list", "--data", tmp_path)

    assert ended.code == ExitCode.BOT_FAILED
    assert ended.err.splitlines()[0].startswith(f"arena: {name} {how}")
    assert last in ended.err
    assert last in (tmp_path / "bots" / f"{name}.log").read_text()
    assert name not in listed.out


# ---- programs that connect by themselves


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[tuple[str, Path]]:
    """The address of a running server, and its data folder."""
    data = tmp_path_factory.mktemp("server")
    with start_command("serve", "--data", data) as running:
        yield running.wait_for_line("READY").split()[1], data


class Program:
    """A bot's program that an author starts in a terminal."""

    def __init__(self, folder: Path, **variables: str) -> None:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("CHEATARENA_")}
        given = {f"CHEATARENA_{name}": value for name, value in variables.items()}
        self._popen = subprocess.Popen(
            [sys.executable, str(write_bot(folder, "mybot", FINE))],
            env=inherited | {"CHEATARENA_PATIENCE": "1", "HOME": str(folder)} | given,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait_for(self, words: str) -> None:
        """Read lines until one has these words."""
        assert self._popen.stderr is not None
        assert any(words in line for line in self._popen.stderr)

    def end(self) -> tuple[int, list[str]]:
        """Wait for the end, and return the exit code and the remaining lines."""
        _, written = self._popen.communicate(timeout=60)
        return self._popen.returncode, written.splitlines()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._popen.kill()
        self._popen.communicate()


def new_token(capsys, data: Path, name: str) -> str:
    return run_arena(capsys, "token", "create", name, "--scope", "play", "--data", data).out.strip()


@contextlib.contextmanager
def web_server() -> Iterator[str]:
    """Run a web server, and yield its address."""

    class Silent(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Write nothing to stderr."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Silent) as web:
        threading.Thread(target=web.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{web.server_port}"
        web.shutdown()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as opened:
        return int(opened.getsockname()[1])


@pytest.mark.parametrize(
    ("address", "token", "sentence"),
    [
        ("127.0.0.1:1", "", "there is no token: join with `python -m cheatarena join`, or set CHEATARENA_TOKEN"),
        ("", "cat_x", "no server is named: set CHEATARENA_ADDRESS to host:port"),
        ("127.0.0.1", "cat_x", "the address of the server is '127.0.0.1': it names no port: expected HOST:PORT"),
        ("http://127.0.0.1:1", "cat_x", "the address of the server is 'http://127.0.0.1:1': leave out http://"),
    ],
    ids=["no token", "no address", "no port", "scheme"],
)
def test_wrong_setting_ends_the_program_at_once(tmp_path, address, token, sentence):
    with Program(tmp_path, ADDRESS=address, TOKEN=token) as program:
        code, lines = program.end()

    assert code == 64
    assert len(lines) == 1
    assert lines[0].startswith(sentence)


def test_wrong_token_ends_the_program(server, tmp_path):
    address, _ = server

    with Program(tmp_path, ADDRESS=address, TOKEN="cat_x") as program:
        code, lines = program.end()

    assert code == 77
    assert len(lines) == 1
    assert lines[0].startswith(f"the server refused the token ({address}: ")


def test_revoked_token_ends_the_program(capsys, server, tmp_path):
    address, data = server
    with Program(tmp_path, ADDRESS=address, TOKEN=new_token(capsys, data, "revoked")) as program:
        program.wait_for("connected as revoked")
        run_arena(capsys, "token", "revoke", "revoked", "--data", data)
        code, lines = program.end()

    assert code == 77
    assert len(lines) == 1
    assert lines[0].startswith(f"the token was revoked ({address}: ")


def test_replaced_program_ends(capsys, server, tmp_path):
    address, data = server
    shared = {"ADDRESS": address, "TOKEN": new_token(capsys, data, "twice"), "INSTANCE": "one"}
    with Program(tmp_path, **shared) as first:
        first.wait_for("connected as twice")
        with Program(tmp_path, **shared) as second:
            second.wait_for("connected as twice")
            code, lines = first.end()

    assert code == 75
    assert len(lines) == 1
    told = "another process with the same token and the same instance took over: to play with both, give each its own "
    assert lines[0].startswith(f"{told}CHEATARENA_INSTANCE (")


@pytest.mark.parametrize(
    ("address", "why"),
    [
        (None, "nothing listens there"),
        ("arena.invalid:7777", "no host of this name is known"),
    ],
    ids=["wrong port", "wrong host"],
)
def test_server_that_is_not_there_is_dialled_for_a_while(tmp_path, address, why):
    """Where names are not looked up at all, the reason differs."""
    address = address or f"127.0.0.1:{free_port()}"

    with Program(tmp_path, ADDRESS=address, TOKEN="cat_x") as program:
        code, (first, *_, last) = program.end()

    assert code == 69
    whys = (why, "the name of the host cannot be looked up")
    assert any(f" WARNING still trying {address} ({each}); giving up in 1 s" in first for each in whys)
    assert any(last == f"no server at {address} for 1 second, so this bot gives up ({each})" for each in whys)


@pytest.mark.slow
def test_web_server_ends_the_program_at_once(tmp_path):
    with web_server() as address, Program(tmp_path, ADDRESS=address, TOKEN="cat_x", PATIENCE="600") as program:
        code, lines = program.end()

    assert code == 76
    assert lines == [f"{address} is no arena: another program answers there, such as a web server"]


@pytest.mark.slow
def test_killed_server_is_dialled_for_a_while(capsys, tmp_path):
    data = tmp_path / "data"
    with start_command("serve", "--data", data) as running:
        address = running.wait_for_line("READY").split()[1]
        with Program(tmp_path, ADDRESS=address, TOKEN=new_token(capsys, data, "left")) as program:
            program.wait_for("connected as left")
            running.kill()
            code, (first, *_, last) = program.end()

    assert code == 69
    assert f" WARNING still trying {address} (" in first
    assert last.startswith(f"no server at {address} for 1 second, so this bot gives up (")
    assert "grpc" not in last.lower()
    assert "ipv4:" not in last
