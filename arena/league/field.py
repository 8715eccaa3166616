"""Who takes part in a league, and in which rounds of it."""

from dataclasses import dataclass

from arena.league.model import Entrant


@dataclass(frozen=True, slots=True)
class Entry:
    """An entrant and the rounds in which it takes part."""

    entrant: Entrant
    since: int = 1
    """The first one; above 1 for somebody who came late."""
    until: int | None = None
    """The last one; None: it has not been withdrawn."""
    barred: int | None = None
    """The last one before it was disqualified; None: it has not been."""

    @property
    def name(self) -> str:
        """The entrant's name."""
        return self.entrant.name

    def has_entered(self, number: int) -> bool:
        """Tell whether it is in the league in this round, or was before it was withdrawn."""
        return self.since <= number

    def is_in(self, number: int) -> bool:
        """Tell whether it takes part in this round."""
        return self.since <= number and (self.until is None or number <= self.until)


@dataclass(frozen=True, slots=True)
class Field:
    """All entrants of a league, how many of them sit at a table, and the seed from which lots are drawn.

    The order of the entries decides nothing: wherever names are equal otherwise, lots decide.
    """

    entries: tuple[Entry, ...]
    seats: int
    """At each table, 2 to 10."""
    seed: bytes
    """The schedule's; the same seed, field and results give the same blocks on every machine."""

    def names(self) -> list[str]:
        """Everybody who is ever in it."""
        return [entry.name for entry in self.entries]

    def names_entered(self, number: int) -> list[str]:
        """Who has come by this round, withdrawn or not: they have seats in a schedule that is fixed."""
        return [entry.name for entry in self.entries if entry.has_entered(number)]

    def names_present(self, number: int) -> list[str]:
        """Who takes part in this round."""
        return [entry.name for entry in self.entries if entry.is_in(number)]

    def names_disqualified(self, number: int) -> frozenset[str]:
        """Who was disqualified before this round."""
        return frozenset(each.name for each in self.entries if each.barred is not None and each.barred < number)

    def owners(self) -> dict[str, str]:
        """Who answers for each name: equal for two names of one owner, for everybody else a value of its own."""
        return {entry.name: _owner(entry.entrant) for entry in self.entries}


def _owner(entrant: Entrant) -> str:
    return f"owner {entrant.owner}" if entrant.owner else f"itself {entrant.name}"
