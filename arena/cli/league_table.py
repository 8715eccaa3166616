"""How a league stands, as people and machines read it on a terminal."""

from collections.abc import Iterator
from typing import Any

from rich.table import Table

from arena.cli.console import out, show_json
from arena.errors import OptionError
from arena.hosting.league import OpenLeague
from arena.hosting.standing import standings_of
from arena.league.model import BlockResult, TableResult
from arena.league.points import block_scores, can_compare
from arena.league.standings import Standing
from arena.league.tally import tallies

SHOWN: int = 3
"""So many names fit into a line of progress."""


def means_of(league: OpenLeague) -> list[tuple[str, int, float, float]]:
    """Name, games, mean score and mean place of everybody who has played, best first."""
    history = league.ledger.history
    compares = can_compare(history)
    counted = tallies(list(league.file.players), ((each, block_scores(each, compares=compares)) for each in history))
    rows = [
        (name, tally.games, sum(tally.scores.values()) / tally.games, tally.place_sum / tally.games)
        for name, tally in counted.items()
        if tally.games
    ]
    return sorted(rows, key=lambda row: -row[2])


def line_of(league: OpenLeague, seconds: float, before: int) -> str:
    """One line of progress; `before` so many blocks were done when this run began, `seconds` ago."""
    history = league.ledger.history
    games = sum(len(result.tables) for result in history)
    if league.ledger.paused.is_set():
        return f"{games} games are over; the store cannot be written, the league pauses until it can"
    new = sum(len(result.tables) for result in history[before:])
    planned = league.form.size(league.schedule.field).games
    rate = new / seconds if seconds else 0.0
    left = "" if not planned or not rate else f", about {length((planned - games) / rate)} left"
    best = ", ".join(f"{name} {mean:+.2f}" for name, _, mean, _ in means_of(league)[:SHOWN])
    return f"{games} of {planned or '?'} games, {rate:.1f} a second{left}{best and f'; {best}'}"


def show(league: OpenLeague, is_json: bool) -> None:
    """Show how far a league has got and who stands where."""
    standing = standings_of(league)
    games = sum(len(result.tables) for result in league.ledger.history)
    planned = league.form.size(league.schedule.field).games
    if is_json:
        rows = [_plain(row) for row in standing.rows]
        values = {"league": league.file.name, "seal": league.seal, "games": games, "planned": planned}
        show_json({**values, "decided_by": standing.decided_by, "compares": standing.compares, "standings": rows})
        return
    is_bracket, digits = standing.decided_by == "bracket", 0 if standing.decided_by == "rating" else 3
    title = f"{league.file.name}: {games} of {planned or '?'} games"
    table = Table("", "bot", "games", "score", "95 %", "wins", "mean place", "faults", title=title)
    for row in standing.rows:
        table.add_row(*_cells(row, digits), end_section=row.is_separable and not is_bracket)
    out().print(table)
    words = {True: "points less those of the same hand and seat", False: "points by place"}
    score = "rating" if standing.decided_by == "rating" else words[standing.compares]
    out().print(f"score: {score}; decided by {standing.decided_by}")
    if not is_bracket:
        out().print("a line between two rows: their scores can be told apart")


def _cells(row: Standing, digits: int) -> tuple[str, ...]:
    if row.score is None:
        return "", row.name, "0", "", "", "", "", ""
    low, high = row.interval.low, row.interval.high
    sign = "+" if digits else ""
    interval = "" if low is None or high is None else f"{low:{sign}.{digits}f} to {high:{sign}.{digits}f}"
    faults = row.forfeits + sum(row.strikes.values())
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


def _plain(row: Standing) -> dict[str, Any]:
    return {
        "place": row.place,
        "name": row.name,
        "games": row.games,
        "score": row.score,
        "interval": [row.interval.low, row.interval.high],
        "first_places": row.first_places,
        "mean_place": row.mean_place,
        "forfeits": row.forfeits,
        "strikes": row.strikes,
        "is_separable": row.is_separable,
        "is_disqualified": row.is_disqualified,
    }


def show_games(league: OpenLeague, bot: str, lost: bool, faults: bool, is_json: bool) -> None:
    """List games. Raises OptionError for a bot that is no entrant, or a wish that needs one."""
    if bot and bot not in league.file.players:
        raise OptionError("bot", bot, f"expected one of {', '.join(league.file.players)}")
    if (lost or faults) and not bot:
        raise OptionError("bot", bot, "--lost and --faults are asked of one bot: name it with --bot")
    found = [_game(result, table) for result, table in _tables(league) if _is_wanted(table, bot, lost, faults)]
    if is_json:
        show_json(found)
        return
    table = Table("game", "block", "seats and places", "ended")
    for game in found:
        seats = ", ".join(f"{name} {place}" for name, place in zip(game["seats"], game["places"], strict=True))
        table.add_row(game["match_id"], str(game["block"]), seats, game["termination"])
    out().print(table)


def _tables(league: OpenLeague) -> Iterator[tuple[BlockResult, TableResult]]:
    for result in league.ledger.history:
        for table in result.tables:
            yield result, table


def _is_wanted(table: TableResult, bot: str, lost: bool, faults: bool) -> bool:
    if not bot:
        return True
    if bot not in table.seats:
        return False
    seat = table.seats.index(bot)
    has_fault = bool(table.strikes) and any(table.strikes[seat].values())
    return (not lost or table.places[seat] == max(table.places)) and (not faults or has_fault)


def _game(result: BlockResult, table: TableResult) -> dict[str, Any]:
    return {
        "match_id": table.match_id,
        "block": result.block.number,
        "round": result.block.round,
        "seats": list(table.seats),
        "places": list(table.places),
        "termination": table.termination,
        "forfeits": sorted(table.forfeits),
    }


def length(seconds: float) -> str:
    """A length of time in words.

    >>> length(40), length(600), length(9000)
    ('40 s', '10 min', '2.5 h')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
