"""Implements `PoolStore` of `arena.competition.pools.ports` in memory, for tests and studies of the matchmaker."""

from collections.abc import Collection, Mapping, Sequence

from arena.competition.pools.ports import FitRow, PlayedGame, RoundRow, SeasonRow, SeatingRow
from arena.match.referee.ports import MatchId


class MemoryPoolStore:
    """Keeps what the matchmaker stores in dictionaries. A test adds games and fits itself."""

    def __init__(self) -> None:
        self.seasons: dict[tuple[str, int], SeasonRow] = {}
        self.rounds: dict[str, RoundRow] = {}
        self.seatings: dict[MatchId, SeatingRow] = {}
        self.games: dict[tuple[str, int], list[PlayedGame]] = {}
        self.fits: dict[tuple[str, int], FitRow] = {}
        self.ended: set[MatchId] = set()

    async def newest_season(self, pool: str) -> SeasonRow | None:
        """Return the newest season of a pool."""
        return max((row for row in self.seasons.values() if row.pool == pool), key=lambda row: row.season, default=None)

    async def open_season(self, row: SeasonRow) -> None:
        """Add a season."""
        self.seasons.setdefault((row.pool, row.season), row)

    async def add_round(self, row: RoundRow) -> None:
        """Store a round."""
        self.rounds[row.round_id] = row

    async def add_seating(self, row: SeatingRow) -> None:
        """Store a seating."""
        self.seatings[row.match_id] = row

    async def drop_seatings(self, match_ids: Collection[MatchId]) -> None:
        """Remove seatings."""
        for match_id in match_ids:
            self.seatings.pop(match_id, None)

    async def unended_seatings(self, pool: str) -> Sequence[SeatingRow]:
        """Return the seatings whose matches have not ended."""
        return [row for row in self.seatings.values() if row.pool == pool and row.match_id not in self.ended]

    async def newest_fit(self, pool: str, season: int) -> FitRow | None:
        """Return the newest fit."""
        return self.fits.get((pool, season))

    async def played_games(
        self, pool: str, season: int, after: int | None = None, among: Collection[MatchId] = ()
    ) -> Sequence[PlayedGame]:
        """Return the games that a test has added."""
        games = self.games.get((pool, season), [])
        numbers = {match_id: number for number, match_id in enumerate(self.seatings, start=1)}
        return [game for game in games if after is None or numbers[game.match_id] > after or game.match_id in among]

    async def recent_meetings(self, pool: str, limit: int) -> Sequence[Sequence[str]]:
        """Return the bots of the newest matches."""
        rows = [row for row in self.seatings.values() if row.pool == pool]
        return [[each.bot for each in row.seated] for row in rows[: -limit - 1 : -1]]

    async def versions(self, pool: str, season: int) -> Mapping[str, Sequence[str]]:
        """Return the versions of each bot."""
        found: dict[str, dict[str, None]] = {}
        for row in self.seatings.values():
            if (row.pool, row.season) == (pool, season):
                for each in row.seated:
                    found.setdefault(each.bot, {})[each.version] = None
        return {bot: list(versions) for bot, versions in found.items()}
