"""What a server and a bot import before they are ready. Each module here once made every start slower."""

import os
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from arena.bots.launch.programs import BotProgram, find_bot
from tests.support.commands import ARENA

LATE_IN_A_SERVER = {
    "alembic": "a new or current store needs no migration",
    "jinja2": "only reports are pages",
    "numpy": "only ratings and reports compute",
    "openskill": "as numpy",
    "prometheus_client": "no port for metrics is set",
    "pydantic_settings": "pydantic alone judges the settings",
    "pygments": "rich brings it",
    "rich.console": "a server prints no table, and structlog needs no rich",
    "sqlalchemy.dialects.postgresql": "the store is a file of SQLite",
    "sqlalchemy.ext.asyncio": "the store calls SQLite in a thread of its own",
    "sqlalchemy.orm": "the store has rows, not objects",
    "arena.replays.analytics": "only reports count what bots do",
    "arena.competition.compare": "another command",
    "arena.organizer": "another command",
    "arena.replays.lessons": "another command",
    "arena.author.practice": "another command",
    "arena.organizer.report": "only reports are pages",
    "arena.fleet.runner.runner": "only a runner has nodes",
    "arena.envs": "nobody learns in a server",
    "arena.games.arrays": "as the environments",
    "cheatarena.cheater": "the server does not play",
    "cheatarena.testing": "the server does not play",
}
"""Modules that `arena serve` needs later or never, with the reason."""

LATE_IN_A_BOT = {
    "arena": "the SDK stands alone",
    "cheatarena.author": "a bot does not read its games",
    "cheatarena.cheater": "the other game",
    "cheatarena.testing": "no test runs",
    "cryptography": "gRPC has its own TLS",
    "importlib.metadata": "reads every package that is installed",
    "multiprocessing": "a bot is one process",
    "numpy": "the SDK does not compute",
    "pydantic": "the SDK has three dependencies",
    "unittest": "no test runs",
}
"""Modules that a bot of the SDK needs later or never, with the reason."""


LATE_IN_A_MATCH = {
    "numpy": "a match computes no rating",
    "openskill": "as numpy",
    "arena.envs": "nobody learns in a match",
    "arena.organizer.seal": "no league is played",
    "arena.organizer.view": "as the seal",
}
"""Modules that `arena match` needs never, with the reason."""


def imported(command: Iterable[str], folder: Path, errors: Path, **variables: str) -> set[str]:
    """Return the modules that a Python program has imported when it says READY, or else when it ends.

    It runs in `folder` with these environment variables too, and writes its errors to a file.
    """
    python, *words = command
    with (
        errors.open("wb") as file,
        subprocess.Popen(
            [python, "-X", "importtime", *words],
            cwd=folder,
            env=os.environ | variables,
            stdout=subprocess.PIPE,
            stderr=file,
        ) as process,
    ):
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith(b"READY "):
                process.kill()
    lines = errors.read_text(encoding="utf-8", errors="replace").splitlines()
    return {line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")}


def assert_late(found: set[str], late: Mapping[str, str], what: str) -> None:
    """Fail if one of the late modules was imported."""
    early = [f"{name} ({why})" for name, why in late.items() if name in found]
    assert not early, f"{what} imports at its start: {'; '.join(early)}; `python -X importtime` says from where"


def test_server_starts_without_what_it_needs_late_or_never(tmp_path):
    found = imported([*ARENA, "serve", "--data", "data"], tmp_path, tmp_path / "errors")

    assert {"arena.fleet.assembly", "sqlalchemy", "grpc"} <= found
    assert_late(found, LATE_IN_A_SERVER, "arena serve")


def test_match_is_played_without_what_leagues_need(tmp_path):
    words = ["match", "--bot", "sample:honest", "--seats", "2", "--fill", "sample:honest", "--set", "max_turns=5"]

    found = imported([*ARENA, *words, "--games", "1", "--data", "data"], tmp_path, tmp_path / "errors")

    assert "arena.organizer.report.play_view" in found, "the match was played, and its result shown"
    assert_late(found, LATE_IN_A_MATCH, "arena match")


@pytest.mark.parametrize("name", ["counter", "honest"])
def test_bot_starts_without_what_it_needs_late_or_never(tmp_path, name):
    """It dials a port at which nothing listens, and gives up at once: then all but the game has been imported."""
    sample = find_bot(f"sample:{name}")
    assert isinstance(sample, BotProgram)
    variables = {"CHEATARENA_ADDRESS": "127.0.0.1:1", "CHEATARENA_TOKEN": "any", "CHEATARENA_PATIENCE": "0"}

    found = imported(sample.command, sample.folder, tmp_path / "errors", **variables)

    assert {"cheatarena.session", "grpc.aio"} <= found
    assert_late(found, LATE_IN_A_BOT, "a bot of the SDK")
