"""The entrants of a league, the rounds in which each takes part, and how often two of one owner share a block."""

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Final

from arena.competition.league.judgement import Judgement
from arena.competition.league.model import PLAY_OFF, Block, Entrant
from arena.match.value_class import value_class


@value_class()
class Entry:
    """An entrant and the rounds in which it takes part."""

    entrant: Entrant
    since: int = 1
    """The first round; above 1 for a late entrant."""
    until: int | None = None
    """The last round; None if the entrant was not withdrawn."""
    barred: int | None = None
    """The last round before the entrant was disqualified; None if the entrant was not disqualified."""

    @property
    def name(self) -> str:
        return self.entrant.name

    def has_entered(self, number: int) -> bool:
        """Return whether the entrant has entered by this round. An entrant that has since been withdrawn counts too."""
        return self.since <= number

    def is_in(self, number: int) -> bool:
        """Return whether the entrant takes part in this round."""
        return self.since <= number and (self.until is None or number <= self.until)


@value_class()
class Departed:
    """The entrants that have left a league and therefore cannot be champion."""

    disqualified: frozenset[str] = frozenset()
    """They have no place in the standings either."""
    withdrawn: frozenset[str] = frozenset()
    """They keep their place. Empty in a league that `crowns_withdrawn`."""


NOBODY: Final = Departed()


@value_class()
class Field:
    """All entrants of a league, the table size, and the seed of the lots.

    The order of the entries has no effect, because lots break all ties between names.
    """

    entries: tuple[Entry, ...]
    seats: int
    """Number of seats at each table, 2 to 10."""
    seed: bytes
    """Seed of the schedule. The same seed, field and results give the same blocks on every machine."""
    keeps_owners_apart: bool = True
    """Whether a block has fewer tables, or bots of one owner take turns, so that no two of them are in a block.

    False for a league whose schedule was sealed before this rule. Its blocks have as many tables as possible.
    """
    judgement: Judgement = Judgement.NEW
    """How the results are judged."""

    def names(self) -> list[str]:
        return [entry.name for entry in self.entries]

    def names_entered(self, number: int) -> list[str]:
        """Return the names that have entered by this round, including withdrawn ones.

        A schedule that is fixed from the start keeps the seats of withdrawn entrants.
        """
        return [entry.name for entry in self.entries if entry.has_entered(number)]

    def names_present(self, number: int) -> list[str]:
        """Return the names that take part in this round."""
        return [entry.name for entry in self.entries if entry.is_in(number)]

    def find_departed(self, number: int) -> Departed:
        """Return who has left before this round."""
        barred = {each.name for each in self.entries if each.barred is not None and each.barred < number}
        gone = {each.name for each in self.entries if each.until is not None and each.until < number}
        return Departed(frozenset(barred), frozenset() if self.judgement.crowns_withdrawn else frozenset(gone - barred))

    def owners(self) -> dict[str, str]:
        """Return, for each name, a key for its owner. A name without an owner has a key of its own."""
        return {
            entry.name: f"owner {entry.entrant.owner}" if entry.entrant.owner else f"itself {entry.name}"
            for entry in self.entries
        }

    @property
    def has_shared_owners(self) -> bool:
        """Whether an owner has several entrants."""
        return len(set(self.owners().values())) < len(self.entries)


@value_class()
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
