"""Keeps the rows that a node stores for a table of a shared deal, until the caller that ordered the table takes them.

    node ── add_games, end_match ──▶ SharedResults ──▶ ResultStore
                                          └──▶ NodeProcess.play_shared_table

The rows pass through this process on their way to the store, so they need not be read back.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from arena.match.referee.ports import GameRow, MatchId, MatchRow, ResultStore


@dataclass(slots=True)
class _Rows:
    match: MatchRow | None = None
    games: dict[int, GameRow] = field(default_factory=dict)
    """Games by number. A node adds a game again if no reply said that the game is stored."""


class SharedResults:
    """The result store as one node sees it; implements `ResultStore`.

    It keeps the rows of expected matches. It returns games without their events, because events are large and the node
    knows them.
    """

    def __init__(self, results: ResultStore) -> None:
        self._results = results
        self.add_match = results.add_match
        self.move_matches = results.move_matches
        self.match = results.match
        self.summaries = results.summaries
        self._expected: dict[MatchId, _Rows] = {}

    def expect(self, match_id: MatchId) -> None:
        """Keep the rows of this match from now on."""
        self._expected[match_id] = _Rows()

    def take(self, match_id: MatchId) -> tuple[MatchRow, Sequence[GameRow]] | None:
        """Return and forget the rows of an expected match, with its games in order; None if its end was not stored."""
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

    async def games(self, match_id: MatchId) -> Sequence[GameRow]:
        """Return a match's finished games in order, without their events."""
        return [replace(row, events=b"") for row in await self._results.games(match_id)]
