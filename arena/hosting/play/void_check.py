"""Whether an attempt at a block can count, or was spoilt by us: then it is void, listed, and played again.

Spoilt is a block with a game that was not kept, and one in which a bot lost its time to the machine: its node or its
wait for a core took more than a tenth of the time that it had. Nobody shall bring that about whenever it likes: no
block is void twice for it, and for the sake of one owner's bots (of one bot, where it has no owner) three blocks of a
league are and no more. Afterwards such a fault counts, and says who was to blame.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Final

from arena.errors import EnvironmentFaultError
from arena.league.ports import VOID, BlockRow, LedgerEntry
from arena.match.ports import GameRow, MatchRow
from arena.match.strike_record import Culprit, StrikeRecord, culprit_of
from arena.plain_data import from_plain

MAX_SPARED_BLOCKS: Final = 3
"""Blocks that are void for the sake of one owner's bots."""
MAX_LOST_GAMES: Final = 3
"""So often a block may lose a game; then something is wrong that playing it again does not mend."""


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """What the store has of a match."""

    match: MatchRow
    games: Sequence[GameRow]

    @property
    def is_over(self) -> bool:
        """Whether nothing of it is left to play."""
        return self.match.state == "ended"


@dataclass(frozen=True, slots=True)
class VoidReason:
    """Why an attempt does not count."""

    reason: str
    name: str = ""
    """Whose time it was; empty: nobody's."""


def why_void(
    row: BlockRow,
    kept: Sequence[StoredMatch | None],
    acts: Sequence[LedgerEntry],
    owners: Mapping[str, str],
    max_spared: float = MAX_SPARED_BLOCKS,
) -> VoidReason | None:
    """Say why an attempt cannot count; None: it counts. `kept`: of each of its tables, when all were played.

    `owners`: by name, empty for those who have none; for the sake of one's bots no more than `max_spared` blocks are
    void; infinitely many where somebody else counts them. Raises EnvironmentFaultError when a block has lost its games
    too often.
    """
    spared = [act.values for act in acts if act.kind == VOID and act.values.get("name")]
    for match_id, table in zip(row.matches, kept, strict=True):
        if table is None or not table.games:
            _check_lost_games(row, acts)
            return VoidReason(f"game {match_id} was not kept")
        held_up = (
            name for name in _delayed_entrants(table.match) if _can_be_spared(name, row, spared, owners, max_spared)
        )
        if name := next(held_up, ""):
            return VoidReason(f"the machine took time of {name} in game {match_id}", name)
    return None


def _check_lost_games(row: BlockRow, acts: Sequence[LedgerEntry]) -> None:
    ours = (act.values for act in acts if act.kind == VOID and act.values["block"] == row.number)
    lost = [values for values in ours if values.get("by") and not values.get("name")]
    if len(lost) >= MAX_LOST_GAMES:
        raise EnvironmentFaultError(
            f"block {row.number} lost a game {MAX_LOST_GAMES} times: look into the log of its node"
        )


def _delayed_entrants(match: MatchRow) -> Iterator[str]:
    """Who lost time to the machine."""
    for values in match.faults:
        if culprit_of(from_plain(values, StrikeRecord)) is Culprit.HOST:
            yield match.entrants[values["entrant"]]


def _can_be_spared(
    name: str, row: BlockRow, spared: Sequence[Mapping[str, Any]], owners: Mapping[str, str], most: float
) -> bool:
    """Whether a block may be void for the sake of this bot, after all for which some were."""
    if most == inf:
        return True
    mine = [values for values in spared if (owners.get(name) or name) == (owners.get(values["name"]) or values["name"])]
    return len(mine) < most and not any(values["block"] == row.number for values in spared)
