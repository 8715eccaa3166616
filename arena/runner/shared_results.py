"""What a node stores of the tables of shared deals, kept until whoever had a table played takes it.

    node ── add_games, end_match ──▶ SharedResults ──▶ ResultStore
                                          └──▶ NodeProcess.play_shared_table

Its rows passed through this process on their way to the store, so nobody has to read them back.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from arena.match.ports import GameRow, MatchId, MatchRow, ResultStore


@dataclass(slots=True)
class _Rows:
    match: MatchRow | None = None
    games: dict[int, GameRow] = field(default_factory=dict)
    """By number: a node adds games again whose keeping it did not hear of."""


class SharedResults:
    """Passes results of one node on to the store."""

    def __init__(self, results: ResultStore) -> None:
        self._results = results
        self._expected: dict[MatchId, _Rows] = {}

    def expect(self, match_id: MatchId) -> None:
        """Keep the rows of this match from now on."""
        self._expected[match_id] = _Rows()

    def take(self, match_id: MatchId) -> tuple[MatchRow, Sequence[GameRow]] | None:
        """Return the rows of an expected match and forget them, games in order; None: it has not ended."""
        rows = self._expected.pop(match_id)
        return None if rows.match is None else (rows.match, [game for _, game in sorted(rows.games.items())])

    async def add_games(self, rows: Sequence[GameRow]) -> None:
        """Store finished games. Raises StoreError."""
        await self._results.add_games(rows)
        for row in rows:
            if row.match_id in self._expected:
                self._expected[row.match_id].games[row.game] = row

    async def end_match(self, row: MatchRow) -> None:
        """Store the final state of a match. Raises StoreError, UnknownNameError."""
        await self._results.end_match(row)
        if row.match_id in self._expected:
            self._expected[row.match_id].match = row
