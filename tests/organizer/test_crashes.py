"""Bots that crash or do not start harm only themselves."""

import asyncio
import os
from pathlib import Path

import pytest

from arena.bots.launch.programs import RemoteBot
from arena.competition.league.ports import LedgerEntry
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.organizer.file.league_reader import read_league_file
from arena.organizer.report.view import LeagueView
from arena.organizer.seal.open_league import open_league
from arena.organizer.view.league_text import describe_ledger_entry
from arena.organizer.view.league_view import build_league_view
from arena.server.store.open_store import open_store
from tests.organizer.leagues import history_of, league, write_league

pytestmark = pytest.mark.skipif(os.name != "posix", reason="nodes are there on POSIX alone")

DIES = """\
import os
from cheatarena import (Bot, run)

class Dier(Bot):
    def turn(self, table, options):
        print("I had enough", flush=True)
        os._exit(7)

if __name__ == "__main__":
    run(Dier)
"""


async def acts_of(data: Path) -> list[LedgerEntry]:
    async with await open_store(data) as store:
        return list(await store.leagues.ledger_entries("test"))


async def view_of(file: Path, data: Path) -> LeagueView:
    async with await open_store(data) as store:
        return await build_league_view(await open_league(read_league_file(file), store), data)


def play_league(capsys: pytest.CaptureFixture[str], folder: Path, bot: str) -> tuple[Path, Path, str]:
    """Play a league of four, one of them with this program; return its file, its data and its output."""
    file = write_league(folder / "bots", bots=4, games=6, seats=3)
    (folder / "bots" / "bot1.py").write_text(bot)
    capsys.readouterr()
    code = league("run", file, "--data", folder / "data", "--nodes", 1)
    told = capsys.readouterr().err
    assert code == 0, told
    return file, folder / "data", told


@pytest.mark.slow
@pytest.mark.parametrize("bot", [DIES, "raise SystemExit(3)"])
def test_crashing_bot_is_restarted_three_times_then_forfeits(capsys, tmp_path, bot):
    file, data, told = play_league(capsys, tmp_path, bot)

    acts = asyncio.run(acts_of(data))
    again = "bot1 ended by itself or did not start, and is started again when it is needed"
    assert [told.count(f"{again} ({time} of 3 times in 100 games, then it forfeits): ") for time in (1, 2, 3)] == [
        1,
        1,
        1,
    ]
    assert told.count("bot1 forfeits from here on: ") == 1
    assert [act.kind for act in acts] == ["restarted"] * 3 + ["away"]
    assert {act.values["name"] for act in acts} == {"bot1"}
    view = asyncio.run(view_of(file, data))
    assert [each.what.partition(" (")[2] for each in view.incidents[:3]] == [
        f"{time} of 3 times in 100 games, then it forfeits)" for time in (1, 2, 3)
    ]
    history = asyncio.run(history_of(file, data))
    games = [table for result in history for table in result.tables]
    assert len(games) == 6
    forfeited = [table for table in games if "bot1" in table.seats]
    assert forfeited
    assert all("bot1" in table.forfeits for table in forfeited)
    assert all(table.places[table.seats.index("bot1")] == 3 for table in forfeited)
    assert not any({"bot0", "bot2", "bot3"} & table.forfeits for table in games)


def test_remote_bot_is_awaited_rather_than_restarted():
    how = "ann did not connect within 60 s"
    act = LedgerEntry(1, 0.0, "restarted", {"name": "ann", "how": how, "time": 2, "of": 3})

    told = describe_ledger_entry(act, {"ann": BotEntrant("ann", RemoteBot("ann"))})

    assert told == f"ann is not there and is waited for again (2 of 3 times, then it forfeits): {how}"
