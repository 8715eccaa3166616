"""Opens a league for reading, and shows its state as text and as JSON."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Column, Table

from arena.cli.bot_argument import submitted_finder
from arena.cli.console import print_json
from arena.cli.league.dates_text import status_lines, waiting_text
from arena.cli.league.running_means import EntrantMean
from arena.cli.result_console import stdout_console
from arena.competition.league.model import BlockResult, TableResult
from arena.competition.league.points import came_last
from arena.competition.league.ports import OPEN
from arena.competition.league.standings import StandingsRow
from arena.errors import OptionError
from arena.fleet.telemetry import set_up_logging
from arena.organizer.file.league_file import read_league_file_lenient
from arena.organizer.play.open_league import OpenLeague, open_league
from arena.organizer.play.remote_access import awaited_path, read_awaited
from arena.organizer.report.standings_text import describe_champion
from arena.organizer.seal.bot_versions import VERSIONS_NOTE, describe_versions
from arena.organizer.view.dates_view import build_dates_view, list_awaited
from arena.organizer.view.league_standings import compute_league_standings
from arena.plain_data import to_finite_plain
from arena.plurals import format_count, format_subject
from arena.replays.narration.text_format import format_rough_duration
from arena.server.config.read_config import read_config
from arena.server.store.data_folder import is_folder_locked
from arena.server.store.open_store import open_store, require_store

MAX_NAMES: int = 3
"""Maximum number of entrants in a progress line."""


def progress_line(
    league: OpenLeague,
    means: Sequence[EntrantMean],
    seconds: float,
    games_before: int,
    awaited: Sequence[str] = (),
    now: float = 0.0,
) -> str:
    """Return the progress in one line. This run began `seconds` ago, after `games_before` games.

    `awaited` are the remote bots that are not connected yet; `now` is in seconds since 1970.
    """
    games = league.ledger.game_count
    if league.ledger.paused.is_set():
        return f"{format_subject(games, 'game')} finished; the league pauses because the store cannot be written"
    rate = (games - games_before) / seconds if seconds else 0.0
    best = ", ".join(f"{mean.name} {mean.score:+.2f}" for mean in means[:MAX_NAMES])
    shown = f"; {best}" if best else ""
    waits = waiting_text(league.dates, awaited, now)
    if league.dates:  # the league waits for its dates, so its rate says nothing about its end
        return f"{_games_text(league)}{shown}{waits}"
    remaining = _remaining_text(league, games, 0.0 if awaited else rate)  # nobody knows when an awaited bot connects
    return f"{_games_text(league)}, {rate:.1f} a second{remaining}{shown}{waits}"


def _remaining_text(league: OpenLeague, games: int, rate: float) -> str:
    """Return the time that the league will still take; empty if unknown."""
    planned, budget_s = league.planned_games, league.format.size(league.schedule.field).budget_s
    if budget_s is not None:
        return f", new rounds start for {format_rough_duration(max(0.0, budget_s - league.ledger.age_s))}"
    return f", about {format_rough_duration((planned - games) / rate)} left" if planned and rate else ""


def resume_text(league: OpenLeague) -> str:
    """Return the progress of a league that is about to be resumed."""
    ledger = league.ledger
    games = sum(len(row.matches) for row in ledger.rows if row.state == OPEN and ledger.is_current(row))
    begun = f"; resuming {format_count(games, 'unfinished game')}" if games else ""
    finished = _games_text(league)
    return f"{finished} {'is' if finished == '1 game' else 'are'} finished{begun}"


def _games_text(league: OpenLeague) -> str:
    """Return how many games have ended, and how many are planned if their number is fixed."""
    games, planned = league.ledger.game_count, league.planned_games
    return format_count(games, "game") if planned is None else f"{games} of {planned} games"


async def open_for_reading(path: Path, data: Path | None) -> OpenLeague:
    """Open a league for reading. Raises RequestError if it was never sealed; then no folder is created."""
    set_up_logging("error")
    folder = read_config(flags={"data": data}).data
    require_store(folder)
    async with await open_store(folder) as store:
        return await open_league(read_league_file_lenient(path, submitted_finder(data)), store)


def read_awaited_bots(league: OpenLeague, data: Path | None) -> Mapping[str, int]:
    """Return how many tables wait for each absent bot; empty if the league does not run."""
    folder = read_config(flags={"data": data}).data
    return read_awaited(awaited_path(folder, league.row.league_id)) if is_folder_locked(folder) else {}


def show_status(league: OpenLeague, is_json: bool, awaited: Mapping[str, int] | None = None) -> None:
    """Show the progress, standings and dates of a league, and how many tables wait for each bot."""
    standing = compute_league_standings(league)
    games, is_over = league.ledger.game_count, league.schedule.is_over
    dates, missing = build_dates_view(league, time.time()), list_awaited(awaited or {})
    replaced = league.replaced_bots
    if is_json:
        rows = [{**to_finite_plain(row), "interval": [row.interval.low, row.interval.high]} for row in standing.rows]
        values = {"league": league.file.name, "seal": league.seal, "games": games, "planned": league.planned_games}
        values |= {"is_over": is_over, "champion": to_finite_plain(standing.champion)}
        if replaced:
            values["replaced"] = to_finite_plain(replaced)
        if dates:
            values["dates"] = to_finite_plain(dates)
        if dates or league.file.has_remote:
            values["awaited"] = to_finite_plain(missing)
        print_json(
            {
                **values,
                "decided_by": standing.decided_by,
                "compares": standing.compares,
                "explained": dict(standing.explained),
                "standings": rows,
            }
        )
        return
    is_bracket, digits = standing.decided_by == "bracket", 0 if standing.decided_by == "rating" else 3
    over = f"over after {format_count(games, 'game')}"
    title = f"{league.file.name}: {over if is_over else _games_text(league)}"
    table = Table("", "bot", "games", "score", "95 %", "wins", "mean place", "faults", title=title)
    for row in standing.rows:
        table.add_row(*_row_cells(row, digits), end_section=row.is_separable and not is_bracket)
    stdout_console().print(table)
    points = "points by place, adjusted for opponents, seat and deal" if standing.explained else "points by place"
    if standing.compares:
        points = "points minus the mean of the others with the same hand and seat"
    score = "rating" if standing.decided_by == "rating" else points
    stdout_console().print(f"score: {score}; decided by {standing.decided_by}")
    if not is_bracket:
        stdout_console().print("a line between two rows means that their scores differ significantly")
    if standing.champion:
        stdout_console().print(describe_champion(standing.champion, league.is_over))
    for name, versions in replaced.items():
        stdout_console().print(f"{name}: {describe_versions(versions)}; {VERSIONS_NOTE}")
    for line in status_lines(dates, missing):
        stdout_console().print(line)


def _row_cells(row: StandingsRow, digits: int) -> tuple[str, ...]:
    if row.score is None:
        return "", row.name, "0", "", "", "", "", ""
    low, high = row.interval.low, row.interval.high
    sign = "+" if digits else ""
    interval = "" if low is None or high is None else f"{low:{sign}.{digits}f} to {high:{sign}.{digits}f}"
    faults = sum(row.strikes.values())
    place = "" if row.place is None else str(row.place)
    mean = f"{row.mean_place:.2f}"
    return (
        place,
        row.name,
        str(row.games),
        f"{row.score:{sign}.{digits}f}",
        interval,
        str(row.first_places),
        mean,
        str(faults or ""),
    )


def show_games(league: OpenLeague, bot: str, lost: bool, faults: bool, is_json: bool) -> None:
    """List games. Raises OptionError if `bot` is not an entrant, or if a filter needs a bot but none is named."""
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
    if is_json:
        print_json(games)
        return
    table = Table("bots and places, by seat", "forfeited", "ended", "block", Column("game", no_wrap=True))
    for game in games:
        seats = ", ".join(f"{name} {place}" for name, place in zip(game["seats"], game["places"], strict=True))
        table.add_row(seats, ", ".join(game["forfeits"]), game["termination"], str(game["block"]), game["match_id"])
    stdout_console().print(table)


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
