"""The lines about replays below a result: a command for one match, a short line for each of several."""

from pathlib import Path

from arena.cli.match.replay_hint import MAX_LISTED, replay_lines
from arena.match.referee.match_order import MatchReport
from arena.match.referee.ports import GameSummary, MatchId
from arena.server.config.server_config import DEFAULT_DATA_FOLDER


def report(match_id: str, *places: tuple[int, ...], termination: str = "finished") -> MatchReport:
    games = tuple(GameSummary(game, each, "finished", 10) for game, each in enumerate(places))
    return MatchReport(MatchId(match_id), "ended", games, termination, (), ())


def test_one_match_has_its_command():
    assert list(replay_lines([report("A", (1, 2))], ["ann", "bob"], Path("d"))) == [
        "replay: arena replay show A --data d"
    ]


def test_each_of_several_matches_has_one_short_line():
    """ann: 1 + 1 of two games. In B both have 3, and C was cancelled before a game had ended."""
    reports = [report("A", (1, 2), (1, 2)), report("B", (1, 2), (2, 1)), report("C", termination="cancelled")]

    assert list(replay_lines(reports, ["ann", "bob"], DEFAULT_DATA_FOLDER)) == [
        "matches, each with the bot that came first and its mean place:",
        "  A  2 games  ann 1.00",
        "  B  2 games  ann, bob 1.50",
        "  C  0 games cancelled",
        "replay: arena replay show ID",
    ]


def test_many_matches_are_not_all_listed():
    reports = [report(f"M{number}", (1, 2)) for number in range(MAX_LISTED + 1)]

    lines = list(replay_lines(reports, ["ann", "bob"], DEFAULT_DATA_FOLDER))

    assert len(lines) == MAX_LISTED + 3
    assert lines[-2] == "  and 1 match more: arena replay list --limit 21"
