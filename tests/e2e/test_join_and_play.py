"""An author who has nothing but the SDK, an address and an invitation plays over TLS, and nobody handles a token."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.server.rpc.local_authority import LocalAuthority
from tests.support.commands import ARENA, run_arena, start_command

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are otherwise there")

BOT = """
from cheatarena import Bot, Decline, run

class Plain(Bot):
    def turn(self, table, options):
        return options.largest_honest() or options.smallest_lie()

    def call_window(self, table, claim):
        return Decline()

run(Plain)
"""


def author_environment(home: Path, **settings: str) -> dict[str, str]:
    """An environment with a home folder, and none of the arena's settings."""
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "LANG") if name in os.environ}
    return kept | {"HOME": str(home)} | settings


def run_command(
    *arguments: object, environment: dict[str, str], code: int = 0, time_s: float = 60, shows_all: bool = False
) -> str:
    """Run a command of the arena, and return its stdout; with `shows_all`, its stderr before it."""
    ended = subprocess.run(
        [*ARENA, *map(str, arguments)], env=environment, capture_output=True, text=True, timeout=time_s, check=False
    )
    assert ended.returncode == code, ended.stderr
    return ended.stderr + ended.stdout if shows_all else ended.stdout


@contextmanager
def running_bot(program: Path, environment: dict[str, str]) -> Iterator[None]:
    process = subprocess.Popen([sys.executable, program], env=environment, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.kill()
        process.wait(10)


@pytest.mark.slow
def test_two_authors_join_and_their_bots_play(capsys, tmp_path):
    pair = (authority := LocalAuthority(tmp_path / "tls")).issue_server_certificate(["127.0.0.1"])
    data, program = tmp_path / "data", tmp_path / "bot.py"
    program.write_text(BOT)
    options = ["--tls-cert", pair.certificate, "--tls-key", pair.key, "--tls-on-loopback"]
    with start_command("serve", "--data", data, *options) as server:
        address = server.wait_for_line("READY", 60).split()[1]
        bots = {}
        for owner in ("ann", "bob"):
            code = run_arena(capsys, "invite", "create", "--data", data).out.strip()
            bots[owner] = author_environment(tmp_path / owner)
            flags = ["--owner", owner, "--bot", f"{owner}-bot", "--ca", authority.certificate]
            run_command("join", address, code, *flags, environment=bots[owner])

        with running_bot(program, bots["ann"]), running_bot(program, bots["bob"]):
            players = ["--bot", "remote:ann-bot", "--bot", "remote:bob-bot", "--games", 2, "--call-ms", 2000, "--json"]
            players.append("--no-fixed-window")  # a busy machine may take long for an answer
            organizer = author_environment(tmp_path, CHEATARENA_CA=str(authority.certificate))
            played = run_command("match", *players, "--server", address, "--data", data, environment=organizer)

    result = json.loads(played)
    assert len(result["games"]) == 2
    assert not any("cat_" in line for line in (*server.out, *server.err, played))
