"""The entrants of a league, and the rounds in which each takes part."""

from dataclasses import dataclass

from arena.competition.league.model import Entrant


@dataclass(frozen=True, slots=True)
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
        """The entrant's name."""
        return self.entrant.name

    def has_entered(self, number: int) -> bool:
        """Return whether the entrant has entered by this round. An entrant that has since been withdrawn counts too."""
        return self.since <= number

    def is_in(self, number: int) -> bool:
        """Return whether the entrant takes part in this round."""
        return self.since <= number and (self.until is None or number <= self.until)


@dataclass(frozen=True, slots=True)
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

    def names(self) -> list[str]:
        """Return the names of all entries."""
        return [entry.name for entry in self.entries]

    def names_entered(self, number: int) -> list[str]:
        """Return the names that have entered by this round, including withdrawn ones.

        A schedule that is fixed from the start keeps the seats of withdrawn entrants.
        """
        return [entry.name for entry in self.entries if entry.has_entered(number)]

    def names_present(self, number: int) -> list[str]:
        """Return the names that take part in this round."""
        return [entry.name for entry in self.entries if entry.is_in(number)]

    def names_disqualified(self, number: int) -> frozenset[str]:
        """Return the names disqualified before this round."""
        return frozenset(each.name for each in self.entries if each.barred is not None and each.barred < number)

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
