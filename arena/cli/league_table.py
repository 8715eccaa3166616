"""How a league stands, as people and machines read it on a terminal."""

from collections.abc import Iterator
from typing import Any

from rich.table import Table

from arena.cli.console import out, show_json
from arena.errors import OptionError
from arena.hosting.league import OpenLeague
from arena.hosting.standing import champion_words, regular_of, standings_of
from arena.league.champion import Champion
from arena.league.model import BlockResult, TableResult
from arena.league.points import block_scores, can_compare
from arena.league.standings import Standing
from arena.league.tally import tallies
from arena.replays.words import length

SHOWN: int = 3
"""So many names fit into a line of progress."""


def means_of(league: OpenLeague) -> list[tuple[str, int, float, float]]:
    """Name, games, mean score and mean place of everybody who has played, best first."""
    history = regular_of(league)
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
    rate = new / seconds if seconds else 0.0
    best = ", ".join(f"{name} {mean:+.2f}" for name, _, mean, _ in means_of(league)[:SHOWN])
    shown = f"; {best}" if best else ""
    return f"{_games_of(league)}, {rate:.1f} a second{_left(league, games, rate)}{shown}"


def _left(league: OpenLeague, games: int, rate: float) -> str:
    """How long it will go on, as far as that is known."""
    planned, budget_s = league.planned, league.form.size(league.schedule.field).budget_s
    if budget_s is not None:
        return f", new rounds for {length(max(0.0, budget_s - league.ledger.age_s))}"
    return f", about {length((planned - games) / rate)} left" if planned and rate else ""


def _games_of(league: OpenLeague) -> str:
    """How many games are over, and of how many."""
    games, planned = sum(len(result.tables) for result in league.ledger.history), league.planned
    return f"{games} games" if planned is None else f"{games} of {planned} games"


def show(league: OpenLeague, is_json: bool) -> None:
    """Show how far a league has got and who stands where."""
    standing = standings_of(league)
    games, is_over = sum(len(result.tables) for result in league.ledger.history), league.schedule.is_over
    if is_json:
        rows = [_plain(row) for row in standing.rows]
        values = {"league": league.file.name, "seal": league.seal, "games": games, "planned": league.planned}
        values |= {"is_over": is_over, "champion": _plain_champion(standing.champion)}
        show_json({**values, "decided_by": standing.decided_by, "compares": standing.compares, "standings": rows})
        return
    is_bracket, digits = standing.decided_by == "bracket", 0 if standing.decided_by == "rating" else 3
    title = f"{league.file.name}: {f'over after {games} games' if is_over else _games_of(league)}"
    table = Table("", "bot", "games", "score", "95 %", "wins", "mean place", "faults", title=title)
    for row in standing.rows:
        table.add_row(*_cells(row, digits), end_section=row.is_separable and not is_bracket)
    out().print(table)
    words = {True: "points less those of the same hand and seat", False: "points by place"}
    score = "rating" if standing.decided_by == "rating" else words[standing.compares]
    out().print(f"score: {score}; decided by {standing.decided_by}")
    if not is_bracket:
        out().print("a line between two rows: their scores can be told apart")
    if standing.champion:
        out().print(champion_words(standing.champion))


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


def _plain_champion(champion: Champion | None) -> dict[str, Any] | None:
    if champion is None:
        return None
    return {"name": champion.name, "by": str(champion.by), "contenders": list(champion.contenders)}


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
