"""Counts how often a schedule puts two entrants of one owner into the same block, and how often each of them plays."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from arena.competition.league.field import Field
from arena.competition.league.model import PLAY_OFF, Block


@dataclass(frozen=True, slots=True)
class OwnerMeetings:
    """What a schedule does with the entrants of one owner, who has at least two."""

    owner: str
    names: tuple[str, ...]
    shared_blocks: int
    """Number of blocks with at least two of these entrants, at the same table or at two tables."""
    games_each: Fraction
    """Mean number of games of these entrants."""
    games_of_others: Fraction
    """Mean number of games of all other entrants; 0 if there are none."""


def count_owner_meetings(blocks: Sequence[Block], field: Field) -> list[OwnerMeetings]:
    """Return the meetings of each owner with several entrants, by the owner's name. Play-off blocks are left out."""
    counting = [block for block in blocks if block.label != PLAY_OFF]
    games = Counter(name for block in counting for name in block.names)
    return [
        OwnerMeetings(
            owner,
            names,
            sum(len(set(names) & set(block.names)) > 1 for block in counting),
            _mean(games[name] for name in names),
            _mean(games[name] for name in field.names() if name not in names),
        )
        for owner, names in sorted(_shared_owners(field).items())
    ]


def _shared_owners(field: Field) -> dict[str, tuple[str, ...]]:
    """Return the names of the entrants of each owner who has several."""
    groups: dict[str, tuple[str, ...]] = {}
    for entrant in (entry.entrant for entry in field.entries if entry.entrant.owner):
        groups[entrant.owner] = (*groups.get(entrant.owner, ()), entrant.name)
    return {owner: names for owner, names in groups.items() if len(names) > 1}


def _mean(counts: Iterable[int]) -> Fraction:
    listed = list(counts)
    return Fraction(sum(listed), len(listed)) if listed else Fraction(0)
