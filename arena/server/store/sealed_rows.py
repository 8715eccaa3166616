"""Reads stored results without the seals of shared deals that are revealed (see `sealed_results`)."""

from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import Connection, select

from arena.errors import StoreDamagedError
from arena.match.referee.ports import GameRow, MatchId, MatchRow
from arena.match.referee.sealed_results import has_sealed_faults, has_sealed_games, open_games, open_results
from arena.server.store.tables import DEALS

MatchWithGames = tuple[MatchRow, Sequence[GameRow]]


def read_seeds(connection: Connection, match_ids: Collection[MatchId]) -> Mapping[MatchId, bytes]:
    """Return the seeds of the deals that are revealed, by match. Raises StoreDamagedError."""
    seed = DEALS.c.revealed["seed"].as_string()
    wanted = select(DEALS.c.match_id, seed).where(DEALS.c.match_id.in_(match_ids), DEALS.c.revealed.is_not(None))
    try:
        return {match_id: bytes.fromhex(text) for match_id, text in connection.execute(wanted)}
    except (ValueError, TypeError) as error:
        raise StoreDamagedError(f"the store has a revealed deal without its seed: {error}") from error


def open_rows(connection: Connection, found: Mapping[MatchId, MatchWithGames]) -> dict[MatchId, MatchWithGames]:
    """Return matches without the seals whose deals are revealed. Raises StoreDamagedError."""
    sealed = [
        match_id for match_id, (row, games) in found.items() if has_sealed_games(games) or has_sealed_faults(row.faults)
    ]
    seeds = read_seeds(connection, sealed) if sealed else {}
    try:
        return {**found, **{match_id: open_results(*found[match_id], seed) for match_id, seed in seeds.items()}}
    except ValueError as error:
        raise StoreDamagedError(f"the store has a strike whose action cannot be read: {error}") from error


def open_game_rows(connection: Connection, match_id: MatchId, games: Sequence[GameRow]) -> Sequence[GameRow]:
    """Return a match's games without seals if its deal is revealed. Raises StoreDamagedError."""
    seed = read_seeds(connection, [match_id]).get(match_id) if has_sealed_games(games) else None
    return games if seed is None else open_games(games, seed)
