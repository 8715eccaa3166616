"""The house rules as one frozen value. How options are read into it is told in `options`."""

from dataclasses import dataclass

MIN_PARTY_SEATS = 5
"""From so many seats on it is the party version (spec B1)."""


@dataclass(frozen=True, slots=True)
class Ruleset:
    """Every house rule of CHEATER. Source of all fields: spec B1, B7. The seats tell how many packs are used."""

    players_min: int = 2
    """Fewest seats, 2..players_max. Two to four seats play with one pack of 70 cards."""
    players_max: int = 10
    """Most seats, up to 10. Five to ten seats play the party version, with two packs and one CHEATER marker."""
    titles: bool = True
    """Whether wins in a row within a match earn the titles excellent, ultimate and infinite."""
    max_turns: int = 2000
    """Ended turns, lost ones and those cut short by a leaving too, after which the game is stopped, 1..1000000."""


def pack_count(seat_count: int) -> int:
    """How many packs so many seats play with."""
    return 2 if seat_count >= MIN_PARTY_SEATS else 1
