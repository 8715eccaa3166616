"""Opens a league for reading, and shows its state as text and as JSON."""

import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from rich.table import Column, Table

from arena.cli.bot_argument import submitted_finder
from arena.cli.command_settings import set_up_command
from arena.cli.league.progress import games_text
from arena.cli.present import present
from arena.cli.result_console import wrap_lines
from arena.competition.league.accomplice_screen import screen_for_accomplices
from arena.competition.league.model import BlockResult, TableResult
from arena.competition.league.points import came_last
from arena.competition.league.standings import Standings, StandingsRow
from arena.errors import OptionError
from arena.organizer.file.league_dates import describe_rounds, format_utc
from arena.organizer.file.league_reader import read_league_file_lenient
from arena.organizer.report.standings_text import describe_champion
from arena.organizer.report.view import AwaitedBot, DateView, EntrantGames
from arena.organizer.seal.league_files import awaited_path, is_league_held, read_awaited
from arena.organizer.seal.ledger_entries import VERSIONS_NOTE, describe_versions
from arena.organizer.seal.open_league import OpenLeague, open_league
from arena.organizer.view.league_standings import compute_league_standings, regular_results
from arena.organizer.view.league_view import build_dates_view, list_awaited
from arena.plain_data import to_finite_plain
from arena.plurals import format_count
from arena.server.store.data_folder import require_store
from arena.server.store.open_store import Store, open_store


@asynccontextmanager
async def read_league(path: Path, data: Path | None) -> AsyncIterator[tuple[OpenLeague, Store]]:
    """Open a league for reading. Raises RequestError if it was never sealed; then no folder is created."""
    folder = set_up_command(data).data
    require_store(folder)
    async with await open_store(folder) as store:
        yield await open_league(read_league_file_lenient(path, submitted_finder(folder)), store), store


async def read_status(path: Path, data: Path | None) -> tuple[OpenLeague, Mapping[str, int]]:
    """Return a league, and how many tables wait for each absent bot; none if the league does not run."""
    async with read_league(path, data) as (league, store):
        league_id = league.row.league_id
        is_running = is_league_held(store.folder, league_id)
        return league, read_awaited(awaited_path(store.folder, league_id)) if is_running else {}


def show_status(league: OpenLeague, is_json: bool, awaited: Mapping[str, int] | None = None) -> None:
    standing = compute_league_standings(league)
    dates, missing = build_dates_view(league, time.time()), list_awaited(awaited or {})
    lines = _status_lines(league, standing, status_lines(dates, missing))
    present(lambda: _status_values(league, standing, dates, missing), is_json, lines)


def _status_lines(league: OpenLeague, standing: Standings, more: Iterable[str]) -> Iterator[object]:
    is_bracket, games = standing.decided_by == "bracket", format_count(league.ledger.game_count, "game")
    state = f"over after {games}" if league.schedule.is_over else games_text(league)
    table = Table(
        "", "bot", "games", "score", "95 %", "wins", "mean place", "faults", title=f"{league.file.name}: {state}"
    )
    for row in standing.rows:
        cells = _row_cells(row, digits=0 if standing.decided_by == "rating" else 3)
        table.add_row(*cells, end_section=row.is_separable and not is_bracket)
    yield table
    yield f"score: {_score_text(standing)}; decided by {standing.decided_by}"
    if not is_bracket:
        yield "a line between two rows means that their scores differ significantly"
    if standing.champion:
        accomplices, judgement = screen_for_accomplices(regular_results(league)), league.schedule.field.judgement
        yield from wrap_lines([describe_champion(standing.champion, league.is_over, accomplices, judgement)])
    versions = league.replaced_bots.items()
    yield from wrap_lines(f"{name}: {describe_versions(each)}; {VERSIONS_NOTE}" for name, each in versions)
    yield from wrap_lines(more)


def _status_values(
    league: OpenLeague, standing: Standings, dates: Sequence[DateView], missing: Sequence[AwaitedBot]
) -> dict[str, Any]:
    has_dates = bool(dates)
    return {
        "league": league.file.name,
        "seal": league.seal,
        "games": league.ledger.game_count,
        "planned": league.planned_games,
        "is_over": league.schedule.is_over,
        "champion": to_finite_plain(standing.champion),
        **({"replaced": to_finite_plain(league.replaced_bots)} if league.replaced_bots else {}),
        **({"dates": to_finite_plain(dates)} if has_dates else {}),
        **({"awaited": to_finite_plain(missing)} if has_dates or league.file.has_remote else {}),
        "decided_by": standing.decided_by,
        "compares": standing.compares,
        "explained": dict(standing.explained),
        "standings": [
            {**to_finite_plain(row), "interval": [row.interval.low, row.interval.high]} for row in standing.rows
        ],
    }


def _score_text(standing: Standings) -> str:
    """Return the meaning of the scores of a table."""
    if standing.decided_by == "rating":
        return "rating"
    if standing.compares:
        return "points minus the mean of the others with the same hand and seat"
    return "points by place, adjusted for opponents, seat and deal" if standing.explained else "points by place"


def _row_cells(row: StandingsRow, digits: int) -> Sequence[str]:
    if row.score is None:
        return "", row.name, "0", "", "", "", "", ""
    low, high = row.interval.low, row.interval.high
    form = f"{'+' if digits else ''}.{digits}f"
    return (
        "" if row.place is None else str(row.place),
        row.name,
        str(row.games),
        format(row.score, form),
        "" if low is None or high is None else f"{low:{form}} to {high:{form}}",
        str(row.first_places),
        f"{row.mean_place:.2f}",
        str(sum(row.strikes.values()) or ""),
    )


def status_lines(dates: Sequence[DateView], awaited: Sequence[AwaitedBot]) -> Iterator[str]:
    """Yield lines with the times of each date and the games of each entrant, then lines with the awaited bots."""
    for date in dates:
        when = f"{format_utc(date.opens)} to {format_utc(date.closes)}"
        yield f"{describe_rounds(date.first, date.last)}: {when}, {date.state}"
        drawn = [] if date.is_drawn else ["more when the results before are there"]
        if words := [*map(_entrant_text, date.entrants), *drawn]:
            yield f"  {', '.join(words)}"
    if awaited:
        bots = [f"{bot.name} ({format_count(bot.tables, 'table')})" for bot in awaited]
        yield f"awaited now: {', '.join(bots)}"


def _entrant_text(each: EntrantGames) -> str:
    forfeited = f" ({each.forfeited} forfeited)" if each.forfeited else ""
    return f"{each.name} {each.played} of {each.games}{forfeited}"


def show_games(league: OpenLeague, bot: str, lost: bool, faults: bool, is_json: bool) -> None:
    """Raises OptionError if `bot` is not an entrant, or if a filter needs a bot but none is named."""
    if bot and bot not in league.file.bots:
        raise OptionError("bot", bot, f"expected one of {', '.join(league.file.bots)}")
    if (lost or faults) and not bot:
        raise OptionError("bot", bot, "--lost and --faults need a bot: name it with --bot")
    games = [
        _game_as_dict(result, table)
        for result in league.ledger.history
        for table in result.tables
        if _is_selected(table, bot, lost, faults)
    ]
    present(games, is_json, _game_lines(games))


def _game_lines(games: Sequence[Mapping[str, Any]]) -> Iterator[Table]:
    table = Table("bots and places, by seat", "forfeited", "ended", "block", Column("game", no_wrap=True))
    for game in games:
        seats = ", ".join(f"{name} {place}" for name, place in zip(game["seats"], game["places"], strict=True))
        table.add_row(seats, ", ".join(game["forfeits"]), game["termination"], str(game["block"]), game["match_id"])
    yield table


def _is_selected(table: TableResult, bot: str, lost: bool, faults: bool) -> bool:
    if not bot:
        return True
    if bot not in table.seats:
        return False
    seat = table.seats.index(bot)
    has_fault = bool(table.strikes) and any(table.strikes[seat].values())
    return (not lost or came_last(table.places, seat)) and (not faults or has_fault)


def _game_as_dict(result: BlockResult, table: TableResult) -> dict[str, Any]:
    return {
        "match_id": table.match_id,
        "block": result.block.number,
        "round": result.block.round,
        "seats": list(table.seats),
        "places": list(table.places),
        "termination": table.termination,
        "forfeits": sorted(table.forfeits),
    }
