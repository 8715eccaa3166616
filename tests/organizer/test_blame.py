"""A league explains each fault to its bot's author: in its report, in the tables beside it, and in the replay."""

import asyncio
import os
from pathlib import Path

import pytest

from arena.cli.exit_codes import ExitCode
from arena.games.catalogue import games
from arena.match.referee.facts import StrikeKind
from arena.match.referee.ports import MatchId, MatchRow
from arena.match.referee.strike_record import Culprit, StrikeRecord, strike_to_plain
from arena.organizer.file.league_reader import read_league_file
from arena.organizer.play.block_results import MAX_EXPLAINED_STRIKES, select_faults_to_keep
from arena.organizer.report.view import LeagueView
from arena.organizer.seal.open_league import open_league
from arena.organizer.view import league_analytics
from arena.organizer.view.league_analytics import explain_faults
from arena.organizer.view.league_view import build_league_view
from arena.plain_data import to_plain
from arena.server.store.open_store import open_store
from tests.organizer.leagues import start, write_league
from tests.support.commands import run_arena

SLEEPY = """\
import asyncio
from cheatarena import (Bot, Decline, run)

class Sleepy(Bot):
    async def turn(self, table, options):
        await asyncio.sleep(0.25)
        return options.largest_honest() or options.smallest_lie()

    def call_window(self, table, claim):
        return Decline()

if __name__ == "__main__":
    run(Sleepy)
"""


async def view_from(file: Path, data: Path) -> LeagueView:
    async with await open_store(data) as store:
        return await build_league_view(await open_league(read_league_file(file), store), data)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="nodes are there on POSIX alone")
@pytest.mark.long
def test_sleepy_bot_is_blamed_for_what_it_missed(tmp_path, capsys, monkeypatch):
    file, data = write_league(tmp_path / "bots", bots=4, games=4), tmp_path / "data"
    text = file.read_text().replace("[rules]", "[pace_settings]\nturn_ms = 200\ncall_ms = 200\n[rules]")
    file.write_text(text.replace("max_turns = 60", "max_turns = 12"))
    (tmp_path / "bots" / "bot1.py").write_text(SLEEPY)

    run = start("run", file, data, "--nodes", "1")
    _, told = run.communicate(timeout=110)
    view = asyncio.run(view_from(file, data))

    assert run.returncode == 0, told
    faults = [fault for fault in view.faults if fault.name == "bot1"]
    strikes = next(row.strikes for row in view.standings.rows if row.name == "bot1")
    assert len(faults) == sum(strikes.values()) > 0
    missing = next(fault for fault in faults if fault.kind is StrikeKind.MISSING)
    assert "gave no answer to the question 'turn' within 200 ms; the automatic move was made" in missing.sentence
    assert missing.culprit in {Culprit.BOT, Culprit.HOST}
    assert missing.times.bot_us is not None
    assert 100_000 < missing.times.bot_us <= 200_000
    monkeypatch.setattr(league_analytics, "MIN_BLOCKS_FOR_PROCESS", 0)  # now another process reads it
    apart = asyncio.run(view_from(file, data))
    assert (apart.play, apart.faults) == (view.play, view.faults)
    shown = run_arena(capsys, "replay", "show", missing.match_id, "--data", data)
    assert shown.code == ExitCode.YES
    assert " blame " in shown.out


def row_with_faults(count: int) -> MatchRow:
    faults = tuple(to_plain(StrikeRecord(entrant, 0, 0, StrikeKind.LATE)) for entrant in (0, 1) for _ in range(count))
    return MatchRow(MatchId("M"), 1, "j", 0.0, "cheat", "standard", {}, ("Ann", "Bob"), True, faults=faults)


def test_first_faults_of_very_faulty_bot_are_kept_without_cost_to_others():
    kept = select_faults_to_keep(row_with_faults(10), {"Bob": MAX_EXPLAINED_STRIKES - 3})

    assert [fault["entrant"] for fault in kept] == [0] * 10 + [1] * 3


def test_words_of_a_bot_are_not_in_a_report():
    """A report may be published, and the words belong to the bot's owner."""
    crash = StrikeRecord(0, 0, 0, StrikeKind.CRASHED, 3, "turn", no_answer="crashed", words="my secret plan failed")
    block = {"tables": [{"match_id": "M", "seats": ["Ann", "Bob"], "faults": [strike_to_plain(crash)]}]}

    (shown,) = explain_faults(block, games()["cheat"])

    assert "its code raised an exception" in shown.sentence
    assert "secret" not in shown.sentence
