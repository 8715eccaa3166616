"""What people see while games are played."""

import asyncio
from dataclasses import replace

from arena.cli.match import progress
from arena.cli.match.progress import RunOverview, overview_of, show_progress
from arena.match.referee.match_order import MatchOrder, MatchReport
from arena.match.referee.ports import GameSummary, MatchId


def report(match_id: str, game_count: int) -> MatchReport:
    games = tuple(GameSummary(game, (1, 2), "finished", 10) for game in range(game_count))
    return MatchReport(MatchId(match_id), "running", games, "", (), ())


async def test_progress_never_decreases(capsys, monkeypatch):
    """Between its end and its result a match is not running anywhere; then it counts once."""
    monkeypatch.setattr(progress, "_REFRESH_INTERVAL_S", 0.001)
    monkeypatch.setattr(progress, "_LINE_INTERVAL_S", 0)
    running = [report("M", 1), report("N", 2)]
    played = RunOverview("cheat", ["a", "b"], 8, [])

    async with show_progress(played, lambda: running, is_quiet=False):
        await asyncio.sleep(0.02)
        running = [report("N", 3)]
        await asyncio.sleep(0.02)
        running = []
        await asyncio.sleep(0.02)
        played.reports.append(report("N", 4))
        await asyncio.sleep(0.02)

    told = [line.partition(";")[0] for line in capsys.readouterr().err.splitlines()]
    assert told == ["3 of 8 games", "4 of 8 games", "5 of 8 games"]


async def test_games_at_the_turn_limit_are_counted(capsys, monkeypatch):
    monkeypatch.setattr(progress, "_LINE_INTERVAL_S", 0)
    stopped = replace(
        report("M", 2), games=(GameSummary(0, (1, 2), "max_turns", 0), GameSummary(1, (1, 2), "finished", 0))
    )
    overview = overview_of(MatchOrder(("a", "b"), options={"max_turns": "70"}, game_count=8), [])

    async with show_progress(overview, lambda: [stopped], is_quiet=False):
        await asyncio.sleep(0.02)

    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("2 of 8 games; 1 of 2 games ended at the limit of 70 turns; mean places: ")
