"""How candidate and baseline answered, from what the store has of the games that count."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from arena.compare.finding import Conduct
from arena.league.model import BlockResult
from arena.match.ports import MatchId
from arena.store.opening import Store

_KINDS: Final = ("late", "illegal", "missing", "gone")


class Sides:
    """All roles of one comparison; grows with its history."""

    def __init__(self, store: Store, roles: Mapping[str, str]) -> None:
        """`roles`: by name at the table."""
        self._store = store
        self._roles = roles
        self._read: set[int] = set()
        self._decisions: Counter[str] = Counter()
        self._faults: dict[str, Counter[str]] = {role: Counter() for role in roles.values()}

    def conduct(self, role: str) -> Conduct:
        """How that program answered, in all its processes."""
        return Conduct(self._decisions[role], {kind: self._faults[role][kind] for kind in _KINDS})

    async def read(self, history: Sequence[BlockResult]) -> None:
        """Read what is new. Raises StoreError."""
        for result in history:
            if result.block.number not in self._read:
                for table in result.tables:
                    await self._add(MatchId(table.match_id))
                self._read.add(result.block.number)

    async def _add(self, match_id: MatchId) -> None:
        row = await self._store.results.match(match_id)
        for name, figures, strikes in zip(row.entrants, row.statistics, row.strikes, strict=True):
            self._decisions[self._roles[name]] += int(figures["decisions"])
            self._faults[self._roles[name]].update(strikes)
