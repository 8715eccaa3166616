"""The conduct of candidate and baseline: how they answered in the games that count, read from the store."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from arena.competition.compare.comparison_result import RoleConduct
from arena.competition.league.model import BlockResult
from arena.match.referee.facts import STRIKE_NAMES
from arena.match.referee.ports import MatchId
from arena.server.store.open_store import Store

_DECISIONS: Final = "decisions"


class RoleConductReader:
    """Reads how the roles of one comparison answered, block by block."""

    def __init__(self, store: Store, roles: Mapping[str, str]) -> None:
        """`roles` maps the name of each entrant to its role."""
        self._store = store
        self._roles = roles
        self._sums: dict[int, dict[str, Counter[str]]] = {}
        """Counts of decisions and faults, by block number and role."""

    def conduct_of(self, role: str, blocks: Iterable[BlockResult]) -> RoleConduct:
        """Return a role's conduct in these blocks, over all its processes. `read_new` must have read the blocks."""
        total: Counter[str] = Counter()
        for result in blocks:
            total.update(self._sums[result.block.number][role])
        return RoleConduct(total[_DECISIONS], {kind: total[kind] for kind in STRIKE_NAMES})

    async def read_new(self, history: Iterable[BlockResult]) -> None:
        """Read the blocks that were not read before. Raises StoreError."""
        for result in history:
            if result.block.number not in self._sums:
                sums: dict[str, Counter[str]] = {role: Counter() for role in self._roles.values()}
                for table in result.tables:
                    row = await self._store.results.match(MatchId(table.match_id))
                    for name, figures, strikes in zip(row.entrants, row.statistics, row.strikes, strict=True):
                        sums[self._roles[name]].update({_DECISIONS: int(figures["decisions"]), **strikes})
                self._sums[result.block.number] = sums
