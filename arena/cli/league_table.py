"""How a league stands, as people and machines read it on a terminal."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from rich.table import Table

from arena.cli.console import out, show_json
from arena.errors import OptionError
from arena.hosting.league import OpenLeague
from arena.league.model import BlockResult, TableResult
from arena.league.points import block_scores, can_compare

SHOWN: int = 3
"""So many names fit into a line of progress."""


def means_of(league: OpenLeague) -> list[tuple[str, int, float, float]]:
    """Name, games, mean score and mean place of everybody who has played, best first."""
    history = league.ledger.history
    compares = can_compare(history)
    scores, places = defaultdict[str, list[float]](list), defaultdict[str, list[int]](list)
    for result in history:
        for name, score in block_scores(result, compares=compares).items():
            scores[name].append(score.value)
        for table in result.tables:
            for name, place in zip(table.seats, table.places, strict=True):
                places[name].append(place)
    rows = [
        (name, len(values), sum(values) / len(values), sum(places[name]) / len(values))
        for name, values in scores.items()
    ]
    return sorted(rows, key=lambda row: -row[2])


def line_of(league: OpenLeague, seconds: float, before: int) -> str:
    """One line of progress; `before` so many blocks were done when this run began, `seconds` ago."""
    history = league.ledger.history
    games = sum(len(result.tables) for result in history)
    new = sum(len(result.tables) for result in history[before:])
    planned = league.form.size(league.schedule.field).games
    rate = new / seconds if seconds else 0.0
    left = "" if not planned or not rate else f", about {_length((planned - games) / rate)} left"
    best = ", ".join(f"{name} {mean:+.2f}" for name, _, mean, _ in means_of(league)[:SHOWN])
    return f"{games} of {planned or '?'} games, {rate:.1f} a second{left}; {best}"


def show(league: OpenLeague, is_json: bool) -> None:
    """Show how far a league has got and who stands where."""
    rows, history = means_of(league), league.ledger.history
    games = sum(len(result.tables) for result in history)
    planned = league.form.size(league.schedule.field).games
    if is_json:
        standings = [
            {"name": name, "games": count, "score": mean, "mean_place": place} for name, count, mean, place in rows
        ]
        show_json({"league": league.file.name, "games": games, "planned": planned, "standings": standings})
        return
    table = Table("", "bot", "games", "score", "mean place", title=f"{league.file.name}: {games} of {planned} games")
    for number, (name, count, mean, place) in enumerate(rows, 1):
        table.add_row(str(number), name, str(count), f"{mean:+.3f}", f"{place:.2f}")
    out().print(table)


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


def _length(seconds: float) -> str:
    """A length of time in words.

    >>> _length(40), _length(600), _length(9000)
    ('40 s', '10 min', '2.5 h')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
