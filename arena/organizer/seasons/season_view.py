"""The `LeagueView` of a season of a pool, so that its report is like that of a league."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from arena import __version__
from arena.competition.league.accomplices import Accomplices
from arena.competition.league.head_to_head import HeadToHead
from arena.competition.league.model import Block, BlockResult, Entrant
from arena.competition.league.rating import Ratings
from arena.competition.league.standings import compute_standings
from arena.competition.pools.accomplices import find_accomplices
from arena.competition.pools.ports import (
    MAX_HALF_WIDTH,
    MIN_GAMES,
    PlayedGame,
    SeasonBot,
    SeasonRow,
    is_provisional,
)
from arena.competition.pools.season_ratings import weights_seed
from arena.competition.pools.season_results import SeasonResults
from arena.games.catalogue import games as all_games
from arena.ids import WallTime
from arena.match.referee.terms import terms_from_plain
from arena.organizer.report.view import EntrantView, LeagueGame, LeagueView, Progress, win_probabilities
from arena.organizer.view.league_standings import rate_over_time
from arena.organizer.view.league_text import describe_ruleset, describe_timing
from arena.plurals import format_count
from arena.replays.narration.text_format import format_rough_duration


def build_season_view(
    season: SeasonRow, games: Sequence[PlayedGame], bots: Mapping[str, SeasonBot], *, is_over: bool, now: WallTime
) -> LeagueView:
    """Return the view of a season. `games` are in the order of their matches.

    Each game counts as a block of its own in the table, since the games of a match have deals of their own.
    """
    results = SeasonResults.from_games(games, bots)
    table, seed = _single_games(results.played), weights_seed(season.pool, season.season)
    counts = [0 if each.block.label else len(each.tables) for each in results.blocks]
    accomplices = find_accomplices(results, bots) if games else {}
    course, rated = rate_over_time(
        results.blocks, counts, seed, results.game_counts, results.first_versions, accomplices=accomplices
    )
    unranked = {} if rated is None else dict(_find_unranked(results, rated))
    ranked = None if rated is None else replace(rated, unranked=unranked)
    standings = compute_standings(list(results.programs), table, seed=seed, ratings=ranked)
    terms = terms_from_plain(dict(season.settings["terms"]) | {"entrants": ()}, all_games())
    state = "over" if is_over else "running"
    return LeagueView(
        title=f"{season.pool}, season {season.season}",
        progress=Progress(state, is_over, len(games), None, len(table), now),
        ruleset=describe_ruleset(terms),
        pace=describe_timing(terms.pace),
        format=_describe_format(season, terms.game_count),
        entrants=[
            _entrant_view(name, program, bots, unranked.get(name, "")) for name, program in results.programs.items()
        ],
        standings=standings,
        kind="season",
        notes=[*_notes(results, bots), *_suspicions(accomplices)],
        ratings=() if rated is None else rated.rows,
        win_probabilities=() if rated is None else win_probabilities(rated),
        course=course,
        meetings=HeadToHead.from_results([row.name for row in standings.rows], table),
        games=[LeagueGame(result.block, 1, result.tables[0]) for result in table],
        made_by=f"cheatarena {__version__}",
    )


def _single_games(results: Sequence[BlockResult]) -> list[BlockResult]:
    """Return a block for each game, numbered in order."""
    tables = (table for result in results for table in result.tables)
    return [BlockResult(Block(number, 1, (table.seats,)), (table,)) for number, table in enumerate(tables, start=1)]


def _describe_format(season: SeasonRow, game_count: int) -> str:
    seats = season.settings["seats"]
    words = [f"pool, tables of {seats}", f"{format_count(game_count, 'game')} a match"]
    if season.ends_at is not None:
        words.append(f"a season of {format_rough_duration(season.ends_at - season.started_at)}")
    words.append("opponents are drawn by rating, waiting time and recent meetings")
    return "; ".join(words)


def _find_unranked(results: SeasonResults, rated: Ratings) -> Iterator[tuple[str, str]]:
    """Yield the names that have no rank, each with the reason: a bot is ranked by the version that played last."""
    counts = results.rated_counts
    for row in rated.rows:
        bot, _ = results.programs[row.name]
        if row.name != bot:
            yield row.name, f"an earlier version of {bot}"
        elif is_provisional(row.rating, row.interval.low, row.interval.high, counts[row.name]):
            yield row.name, "provisional"


def _entrant_view(name: str, program: tuple[str, str], bots: Mapping[str, SeasonBot], unranked: str) -> EntrantView:
    bot, version = program
    known = bots.get(bot, SeasonBot(bot))
    remark = ", ".join(part for part in ("house bot" if known.is_house else "", unranked) if part)
    kind = "local" if known.is_house else "remote"
    return EntrantView(Entrant(name, known.owner, version), kind, remark)


def _notes(results: SeasonResults, bots: Mapping[str, SeasonBot]) -> Iterator[str]:
    yield "Bots connect by themselves: nobody can check that a bot is the same program all the time."
    if len(results.programs) > len({bot for bot, _ in results.programs.values()}):
        yield (
            "A bot with several versions has a row for each. In the fit, made-up games link a version to the one before"
            " it, so that a new version does not begin afresh."
        )
    if any(known.is_house for known in bots.values()):
        yield "House bots take seats for which no other bot waits."
    yield (
        f"A bot with fewer than {MIN_GAMES} games that count, or an interval that reaches over {MAX_HALF_WIDTH:.0f}"
        " points to a side, is provisional: it has no place and stands below the others."
    )
    yield "The mean rating over all seats of all games is 1500."


def _suspicions(accomplices: Accomplices) -> Iterator[str]:
    for name, helpers in sorted(accomplices.items()):
        others = ", ".join(sorted(helpers))
        yield (
            f"{name} left {others} behind more often than strengths explain. Its rating is the lower of those with and"
            " without their games together. Look at these games."
        )
