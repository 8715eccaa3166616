"""Checks whether an attempt at a block counts. If it is void because of the arena, the block is played again.

An attempt is void for one of two reasons:

1. A game was not stored.
2. The machine took time from a bot: the node or the wait for a core used more than a tenth of the time for an answer.

Bots could exploit the second reason, so it has two limits. It makes no block void twice, and it makes at most three
blocks of a league void for the bots of one owner. A bot without an owner has this limit for itself. Beyond these limits
the bot's fault counts, and the record of the fault says who was to blame. Within them, the bot gains nothing either:
see `lower_result`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Final

from arena.competition.league.ports import VOID, BlockRow, LedgerEntry
from arena.errors import EnvironmentFaultError
from arena.match.referee.ports import GameRow, MatchRow
from arena.match.referee.strike_record import Culprit, StrikeRecord, culprit_of
from arena.plain_data import from_plain

MAX_SPARED_BLOCKS: Final = 3
"""Blocks that may be void for one owner's bots."""
MAX_LOST_GAMES: Final = 3
"""How often a block may lose a game. After that, playing the block again does not help."""


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A match from the store, with its games."""

    match: MatchRow
    games: Sequence[GameRow]

    @property
    def is_over(self) -> bool:
        return self.match.state == "ended"


@dataclass(frozen=True, slots=True)
class VoidReason:
    """The reason why an attempt does not count, and the bot whose time was lost."""

    reason: str
    name: str = ""
    """The bot whose time was lost; empty if there is none."""


def why_void(
    row: BlockRow,
    matches: Sequence[StoredMatch | None],
    acts: Sequence[LedgerEntry],
    owners: Mapping[str, str],
    max_spared: float = MAX_SPARED_BLOCKS,
) -> VoidReason | None:
    """Return why an attempt does not count; None if it counts.

    `matches` has the match of each table. All tables have ended. `owners` has each bot's owner by name, empty for none.
    At most `max_spared` blocks are void for one owner's bots. If `max_spared` is infinite, the caller limits these
    blocks. Raises EnvironmentFaultError if the block has lost games too often.
    """
    spared = [act.values for act in acts if act.kind == VOID and act.values.get("name")]
    for match_id, table in zip(row.matches, matches, strict=True):
        if table is None or not table.games:
            _check_lost_games(row, acts)
            return VoidReason(f"game {match_id} was not kept")
        for values in table.match.faults:
            name = table.match.entrants[values["entrant"]]
            is_delayed = culprit_of(from_plain(values, StrikeRecord)) is Culprit.HOST
            if is_delayed and _can_be_spared(name, row, spared, owners, max_spared):
                return VoidReason(f"the machine took time of {name} in game {match_id}", name)
    return None


def _check_lost_games(row: BlockRow, acts: Sequence[LedgerEntry]) -> None:
    """Raise EnvironmentFaultError if a block was void `MAX_LOST_GAMES` times because a game was lost."""
    void = (act.values for act in acts if act.kind == VOID and act.values["block"] == row.number)
    lost = [values for values in void if values.get("by") and not values.get("name")]
    if len(lost) >= MAX_LOST_GAMES:
        raise EnvironmentFaultError(
            f"block {row.number} lost a game {MAX_LOST_GAMES} times: look into the log of its node"
        )


def _can_be_spared(
    name: str, row: BlockRow, spared: Sequence[Mapping[str, Any]], owners: Mapping[str, str], most: float
) -> bool:
    """Return whether a block may be void for this bot. `spared` has the entries of blocks that were void for a bot."""
    if most == inf:
        return True
    same_owner = [
        values for values in spared if (owners.get(name) or name) == (owners.get(values["name"]) or values["name"])
    ]
    return len(same_owner) < most and not any(values["block"] == row.number for values in spared)
