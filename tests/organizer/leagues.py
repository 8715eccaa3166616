"""Small leagues for tests: their files, their bots, and their outcomes."""

import json
import sqlite3
import subprocess
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from arena.cli.league import plan
from arena.cli.main import run
from arena.competition.league.model import BlockResult
from arena.organizer.file.league_reader import read_league_file
from arena.organizer.plan.designs import Scoring, TriedDesigns
from arena.organizer.plan.run_trial import run_trial
from arena.organizer.seal.open_league import OpenLeague, open_league
from arena.organizer.seal.randomness import LeagueRandomness
from arena.organizer.seal.seal import seal_league
from arena.server.store.open_store import open_store
from tests.support.commands import ARENA, restore_logging, start_session

LUCK = LeagueRandomness("01ARYZ6S41TSV4RRFFQ69G5FAV", bytes([5]) * 32)

STEADY = """\
import asyncio
from cheatarena import (Bot, Call, Decline, run)

class Steady(Bot):
    async def turn(self, table, options):
        await asyncio.sleep({think})
        return options.largest_honest() or options.smallest_lie()

    def call_window(self, table, claim):
        return Call() if claim.count > {nerve} else Decline()

if __name__ == "__main__":
    run(Steady)
"""
"""Its answers depend on what it is asked alone, so that a league can be compared with another run of it."""


def write_league(
    folder: Path, bots: int = 5, games: int | None = 12, think: float = 0.0, seats: int = 3, **settings: object
) -> Path:
    """Write a league of steady bots that differ in nerve, and return its file. Settings that are None are omitted."""
    folder.mkdir(parents=True, exist_ok=True)
    usual = {"name": "test", "format": "season", "games": games, "seats": seats, "preset": "standard", "tables": 2}
    settings = {**usual, **settings}
    lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items() if value is not None]
    lines += ["[rules]\nmax_turns = 60"]
    for number in range(bots):
        (folder / f"bot{number}.py").write_text(STEADY.format(think=think, nerve=number % 4))
        lines.append(f'[[entrants]]\nbot = "bot{number}.py"')
    file = folder / "league.toml"
    file.write_text("\n".join(lines))
    return file


async def seal(file: Path, data: Path) -> None:
    """Seal a league with fixed randomness."""
    async with await open_store(data) as store:
        await seal_league(read_league_file(file), store, LUCK)


async def league_of(file: Path, data: Path) -> OpenLeague:
    """Open a league for reading."""
    async with await open_store(data) as store:
        return await open_league(read_league_file(file), store)


def forget_judgement(data: Path) -> None:
    """Make a sealed league one that an earlier release sealed."""
    (store,) = data.glob("*.db")
    with closing(sqlite3.connect(store)) as database, database:
        ((sealed,),) = database.execute("SELECT sealed FROM league").fetchall()
        values = {key: value for key, value in json.loads(sealed).items() if key != "judgement"}
        database.execute("UPDATE league SET sealed = ?", [json.dumps(values)])


async def history_of(file: Path, data: Path) -> list[BlockResult]:
    """Return the history of its blocks."""
    return (await league_of(file, data)).ledger.history


def outcome(history: list[BlockResult]) -> list[Any]:
    """Return what two runs of one league share: the seats and places of every game."""
    return [
        (result.block, [(table.seats, table.places, table.termination) for table in result.tables])
        for result in history
    ]


def league(*words: object) -> int:
    """Run `arena league` in this process, and return its exit code."""
    with restore_logging():
        return run(["league", *map(str, words)])


def shorten_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have `arena league plan` play for three seconds, not for up to a minute."""
    monkeypatch.setattr(plan, "run_trial", partial(run_trial, most_s=3.0))


def start(command: str, file: Path, data: Path, *more: str) -> "subprocess.Popen[str]":
    """Run `arena league` as a user would."""
    return start_session([*ARENA, "league", command, str(file), "--data", str(data), *more])


def tried_designs(*, one_table: float, several: float, plain: float = 0.35, blocks: int = 40) -> TriedDesigns:
    """Return what a trial with these standard deviations measured: alike in all blocks, ten scores each."""
    spreads = {Scoring.PLAIN: plain, Scoring.ONE_TABLE: one_table, Scoring.SEVERAL_TABLES: several}
    return TriedDesigns({each: [10 * spread**2] * blocks for each, spread in spreads.items()}, 10 * blocks)
