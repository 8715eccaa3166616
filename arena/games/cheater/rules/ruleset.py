"""The house rules as one frozen value. `ruleset_options` builds it from plain options."""

from dataclasses import dataclass

MIN_PARTY_SEATS = 5
"""Smallest number of seats of the party version (spec B1)."""


@dataclass(frozen=True, slots=True)
class Ruleset:
    """Every house rule of CHEATER (spec B1, B7). The number of packs is no option: it follows from the seat count."""

    players_min: int = 2
    """Fewest seats, 2..players_max. Two to four seats play with one pack of 70 cards."""
    players_max: int = 10
    """Most seats, up to 10. Five to ten seats play the party version, with two packs and one CHEATER marker."""
    titles: bool = True
    """Whether several wins in a row within a match earn the titles excellent, ultimate and infinite."""
    max_turns: int = 2000
    """Number of turns after which the game is stopped, 1..1000000. Lost and broken-off turns count too."""


def pack_count(seat_count: int) -> int:
    """Return the number of packs for this number of seats."""
    return 2 if seat_count >= MIN_PARTY_SEATS else 1
