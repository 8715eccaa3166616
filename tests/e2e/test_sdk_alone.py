"""An author who has the SDK's wheel and nothing of the server joins, plays, reads a lost game and submits a bot."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.test_join_and_play import run_command
from tests.e2e.test_pools import wait_until
from tests.support.commands import ARENA, CommandResult, start_command
from tests.support.wheels import install_sdk_alone
from tests.support.worker_steps import refuse_build, try_version, with_store

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="servers take submissions on POSIX alone"),
    pytest.mark.slow,
]

SETTINGS = """
web_url = "https://arena.example"

[submissions]
enabled = true
runs_boxes = false

[[pools]]
name = "quick"
house_bots = ["sample:honest"]
house_after_s = 0.1
seats = 2
rules = {max_turns = 12}
"""
SHORT = ("--set", "max_turns=12", "--turn-ms", "4000", "--call-ms", "200")
LOSER = """
import time
from cheatarena import Bot, Decline, run

class Loser(Bot):
    def turn(self, table, options):
        time.sleep(0.05)  # so that somebody can begin to watch before the end
        return options.pass_() or options.smallest_lie() or options.largest_honest()

    def call_window(self, table, claim):
        return Decline()

run(Loser)
"""


@dataclass(frozen=True, slots=True)
class Author:
    """An author with a home folder, an environment that has the SDK alone, and an account on a running server."""

    python: Path
    home: Path
    address: str
    data: Path

    @property
    def environment(self) -> dict[str, str]:
        return {"HOME": str(self.home), "PATH": "/usr/bin:/bin"}

    def run(self, *words: object, code: int = 0, **environment: str) -> CommandResult:
        """Run `python -m cheatarena`, and return its end."""
        command = [str(self.python), "-m", "cheatarena", *map(str, words)]
        settings = self.environment | environment
        ended = subprocess.run(
            command, env=settings, cwd=self.home, capture_output=True, text=True, timeout=100, check=False
        )
        assert ended.returncode == code, (ended.stdout, ended.stderr)
        return CommandResult(ended.returncode, ended.stdout, ended.stderr)

    @contextmanager
    def running(self, *words: object) -> Iterator[subprocess.Popen[str]]:
        """Run `python -m cheatarena` beside the test."""
        command = [str(self.python), "-m", "cheatarena", *map(str, words)]
        streams = subprocess.PIPE
        with subprocess.Popen(
            command, env=self.environment, cwd=self.home, text=True, stdout=streams, stderr=streams
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    def credentials(self) -> Any:
        """What the credentials file has for the server."""
        file = self.home / ".config" / "cheatarena" / "credentials.json"
        return json.loads(file.read_text())["servers"][self.address]


def create_invitation(data: Path) -> str:
    invite = [*ARENA, "invite", "create", "--bots", "9", "--data", str(data)]
    return subprocess.run(invite, capture_output=True, text=True, check=True, timeout=60).stdout.strip()


@pytest.fixture(scope="module")
def ann(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Author]:
    """Ann has joined the server, and her bot, which wins nothing, is connected."""
    folder = tmp_path_factory.mktemp("author")
    (folder / "arena.toml").write_text(SETTINGS)
    (home := folder / "ann").mkdir()
    (home / "bot.py").write_text(LOSER)
    python = install_sdk_alone(tmp_path_factory.mktemp("sdk"))
    with start_command("serve", "--data", folder / "data", "--config", folder / "arena.toml") as server:
        author = Author(python, home, server.wait_for_line("READY").split()[1], folder / "data")
        author.run("join", author.address, create_invitation(author.data), "--owner", "ann", "--bot", "loser")
        with running_bot(author):
            wait_until(lambda: any("session opened" in line and "loser" in line for line in server.out + server.err))
            yield author


def join_without_bot(ann: Author, home: Path, owner: str) -> Author:
    """Join ann's server, as the mail of a course says it."""
    author = Author(ann.python, home, ann.address, ann.data)
    author.run("join", author.address, create_invitation(author.data), "--owner", owner)
    return author


@contextmanager
def running_bot(author: Author, **settings: str) -> Iterator[None]:
    environment = author.environment | {"CHEATARENA_CHALLENGES": "everybody"} | settings
    bot = subprocess.Popen(
        [author.python, "bot.py"], env=environment, cwd=author.home, stderr=subprocess.DEVNULL
    )  # fmt: skip
    try:
        yield
    finally:
        bot.kill()
        bot.wait(10)


@pytest.fixture(scope="module")
def lost(ann: Author) -> Any:
    """A match that ann's bot has lost against the house bot, as JSON."""
    match = ann.run("challenge", "house:quick", *SHORT, "--json").json
    assert match["own"][0]["places"] == [2]
    return match


# ---- play


def test_server_is_not_installed(ann: Author):
    find = [str(ann.python), "-c", "import importlib.util as u; print(u.find_spec('arena'))"]

    assert subprocess.run(find, cwd=ann.home, capture_output=True, text=True, check=True).stdout == "None\n"


def test_challenge_is_played_and_told(ann: Author):
    ended = ann.run("challenge", "house:quick", *SHORT)

    match_id, first, second = ended.out.splitlines()
    assert first.startswith(f"{match_id}  ")
    assert second.endswith("against house-honest")
    assert f"python -m cheatarena show {match_id} --server {ann.address}" in ended.err


def test_games_are_listed_with_faults_and_figures(ann: Author, lost: Any):
    assert lost in ann.run("games", "--json").json
    assert f"{lost['match_id']}  " in ann.run("games", "--bot", "loser", "--server", ann.address).out
    assert re.search(r"^cheat: \d+ games?, 0\.000 points a game$", ann.run("games", "--figures").out, re.MULTILINE)
    assert ann.run("games", "--faults").out == "no faults\n"


def test_lost_game_is_shown_as_the_seat_knew_it(ann: Author, lost: Any):
    shown = ann.run("show", lost["match_id"][:14], "--game", 0).out.splitlines()

    assert shown[0].startswith(f"match {lost['match_id']}  ")
    assert any("the own hand: " in line for line in shown)
    assert any("is asked (turn) within 4 s" in line for line in shown)
    assert any(line.endswith("2 loser (seat 0)") and "game 0 is over" in line for line in shown)
    assert not any("\x1b" in line for line in shown)
    as_json = ann.run("show", lost["match_id"], "--json").json
    assert {key: as_json[key] for key in lost} == lost
    assert as_json["lines"][-1]["kind"] == "match"


def test_running_match_is_watched_to_its_end(ann: Author):
    made = ann.run("challenge", "house:quick", "--games", 30, *SHORT, "--no-wait", "--json").json
    wait_until(lambda: ann.run("games", "--json").json[0]["match_id"] == made["match_id"])

    watched = ann.run("watch").out.splitlines()

    assert watched[0].startswith(f"match {made['match_id']}  ")
    assert any(line.startswith("asked: turn, legal: play CARDS as RANK") for line in watched)
    assert any(re.match(r"  played: seat \d, rank \w+, count \d", line) for line in watched)
    assert watched[-1] == "the match is over, finished"


# ---- tokens


def test_login_code_is_all_of_stdout(ann: Author):
    ended = ann.run("login")

    assert re.fullmatch(r"\S+\n", ended.out)
    assert ended.err == "Open https://arena.example and enter this code. It works once, within ten minutes.\n"
    assert ann.run("login", ann.address, "--json").json.keys() == {"code", "url", "expires_at"}


def test_rotated_token_is_in_the_file(ann: Author):
    before = ann.credentials()["bots"]["loser"]

    said = ann.run("rotate", "loser", "--overlap", 2).out

    assert said.startswith("the new token of loser is in ")
    assert said.endswith("the old one is valid for 2 more hours\n")
    assert ann.credentials()["bots"]["loser"] != before
    assert ann.run("games").code == 0


def test_bot_is_created_and_its_token_revoked(ann: Author, tmp_path: Path):
    eve = join_without_bot(ann, tmp_path, "eve")
    assert eve.run("create", "eve-bot").out.startswith(f"eve-bot is a bot of eve at {eve.address}; its token is in ")

    handle = eve.credentials()["bots"]["eve-bot"][:12]
    assert eve.run("revoke", "eve-bot").out == f"revoked: {handle}\n"
    assert eve.run("create", "eve-bot").code == 0
    assert not eve.credentials()["bots"]["eve-bot"].startswith(handle)


# ---- submissions


def write_bot(author: Author, version: str, name: str = "ann-bot") -> Path:
    """Let `new` write a bot with a build command, in a version."""
    folder = author.home / f"{name}-{version}"
    author.run("new", folder)
    manifest = f'name = "{name}"\nversion = "{version}"\nbuild = "make"\npools = ["quick"]\n'
    (folder / "bot.toml").write_text(manifest)
    (folder / "dist").mkdir()
    (folder / "dist" / "large").write_bytes(bytes(1000))
    return folder


def test_bot_is_submitted_followed_and_rolled_back(ann: Author):
    for version in ("1", "2"):
        with ann.running("submit", write_bot(ann, version), "--to", ann.address) as submitting:
            assert submitting.stderr is not None
            assert submitting.stderr.readline() == f"submitting ann-bot@{version} to {ann.address}\n"
            while submitting.stderr.readline() != "queued\n":
                pass
            with_store(ann.data, lambda store: try_version(store, "ann", "ann-bot"))
            assert submitting.communicate(timeout=60)[0] == f"ann-bot@{version} is active, in quick\n"
            assert submitting.returncode == 0

    assert ann.run("roll-back", "ann-bot").out == "ann-bot@1 is active, in quick\n"
    again = ann.run("submit", ann.home / "ann-bot-1")
    assert again.err.endswith("ann-bot@1 was submitted before, with the same files: nothing changes\n")


def test_refused_bot_shows_its_log(ann: Author):
    """The package is that of `arena pack`, which leaves the output of the build out."""
    folder = write_bot(ann, "bad")
    packed = run_command("pack", folder, "--output", ann.home / "bad.tar.gz", "--json", environment=dict(os.environ))
    submitted = ann.run("submit", folder, "--no-wait", "--json").json
    assert (submitted["state"], submitted["package"]) == ("queued", json.loads(packed)["hash"])

    with_store(ann.data, lambda store: refuse_build(store, "ann", "ann-bot", "cc bot.c\n\x1b[31mno rule\n"))

    assert ann.run("log", "ann-bot").out == "cc bot.c\n\\x1b[31mno rule\n"
    assert ann.run("log", "ann-bot@bad", "--step", "building").out.startswith("cc bot.c\n")
    missing = ann.run("log", "ann-bot", "--step", "trying", code=64)
    assert "has not reached the step trying, only building" in missing.err
    archive = ann.run("submit", ann.home / "bad.tar.gz", "--no-wait")
    assert archive.out == "ann-bot@bad is queued\n"


def test_owner_who_joined_without_a_bot_reads_a_lost_game_of_the_submitted_one(ann: Author, tmp_path: Path):
    """The bot's token stands for that of the box, which the owner never has."""
    bob = join_without_bot(ann, tmp_path, "bob")
    (bob.home / "bot.py").write_text(LOSER)
    assert "name one of your bots: you have none yet" in bob.run("games", code=64).err
    bob.run("submit", write_bot(bob, "1", "bob-bot"), "--no-wait")
    with_store(bob.data, lambda store: try_version(store, "bob", "bob-bot"))
    boxed = with_store(bob.data, lambda store: store.tokens.create("bob-bot", ["play"], owner="bob"))

    with running_bot(bob, CHEATARENA_ADDRESS=bob.address, CHEATARENA_TOKEN=boxed, CHEATARENA_POOLS="quick"):
        wait_until(lambda: any(each["state"] == "finished" for each in bob.run("games", "--json").json))

    assert bob.credentials()["bots"] == {}
    lost = bob.run("games", "--bot", "bob-bot", "--json").json[-1]
    assert lost["own"][0]["places"] == [2]
    assert "game 0 is over" in bob.run("show", lost["match_id"]).out
    assert "unknown match" in ann.run("show", lost["match_id"], code=64).err
    assert "unknown bot of yours 'bob-bot'; known: " in ann.run("games", "--bot", "bob-bot", code=64).err
    assert bob.run("games", "--faults").out == "no faults\n"
    challenged = bob.run("challenge", "house:quick", "--bot", "bob-bot", code=64)
    assert challenged.err.endswith("it has none; `python -m cheatarena create bob-bot` adds one\n")


# ---- bad input


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        ("rotate loser --overlap 721", 64, "--overlap 721: expected 0 to 720 hours"),
        ("games --limit 0", 64, "--limit: expected 1 to 100000, got '0'"),
        ("games --bot winner", 64, "unknown bot of yours 'winner'; known: "),
        ("challenge loser --bot winner", 64, "it has loser; `python -m cheatarena create winner` adds one"),
        ("create loser", 64, "'ann' has a bot of this name already"),
        ("revoke nobody", 64, "nobody"),
        ("games --server arena.lan", 64, "expected HOST:PORT"),
        ("login arena.example:7", 64, "you have not joined arena.example:7"),
        ("show 01K", 64, "unknown match '01K'"),
        ("show", 64, "the following arguments are required: ID"),
        ("watch", 64, "no match of your bot runs now: `python -m cheatarena games` lists those that are over"),
        ("watch 01K00000000000000000000000", 64, "unknown match '01K00000000000000000000000'"),
        ("challenge nobody", 64, "not connected: nobody"),
        ("challenge house:quick --set max_turns", 64, "--set 'max_turns': expected option=value"),
        ("submit missing", 64, "missing cannot be read: No such file or directory"),
        ("submit /dev/null", 64, "/dev/null is neither the folder of a bot nor an archive"),
        ("submit bot.py", 64, "bot.py: this is no archive, or it is damaged; expected the folder of a bot, or an"),
        ("submit .", 64, "there is no bot.toml in the folder ."),
        ("log nobody", 64, "unknown bot of yours 'nobody'; known: "),
        ("log loser@7", 64, "there is no submission 'loser@7': expected an id, BOT or BOT@VERSION"),
        ("roll-back loser@7", 64, "'loser@7' names a version: expected BOT"),
        ("lose", 64, "invalid choice: 'lose'"),
    ],
)
def test_bad_request_is_one_sentence(ann: Author, words: str, code: int, text: str):
    ended = ann.run(*words.split(), code=code)

    assert (ended.out, ended.err.count("\n")) == ("", 1)
    assert text.format(address=ann.address) in ended.err


def test_server_that_is_gone_and_refused_token_have_the_codes_of_the_arena(ann: Author):
    gone = ann.run("games", code=75, CHEATARENA_TOKEN="x", CHEATARENA_ADDRESS="127.0.0.1:1")
    refused = ann.run("games", code=64, CHEATARENA_TOKEN="x", CHEATARENA_ADDRESS=ann.address)

    assert gone.err == "no answer from 127.0.0.1:1: nothing listens there\n"
    assert refused.err.startswith("the server refused the token")
