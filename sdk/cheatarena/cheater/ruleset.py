"""All options of a ruleset of CHEATER."""

from dataclasses import dataclass

from cheatarena.v1 import ruleset_pb2

TWO_PACK_SEATS = 5
"""This many seats or more play with two packs."""


@dataclass(frozen=True, slots=True)
class Ruleset:
    """All options of a ruleset of CHEATER."""

    preset: str
    """Name of the preset."""
    version: str
    """Version of the game's rules."""
    players_min: int
    """Fewest seats, 2 to 10."""
    players_max: int
    """Most seats, 2 to 10."""
    titles: bool
    """Whether wins in a row within a match earn titles."""
    max_turns: int
    """Number of ended turns after which the game is stopped without a winner."""


def read_ruleset(message: ruleset_pb2.Ruleset, seat_count: int) -> Ruleset:  # noqa: ARG001  as in `RulesetReader`
    cheater = message.cheater
    return Ruleset(
        preset=message.preset,
        version=message.version,
        players_min=cheater.players_min,
        players_max=cheater.players_max,
        titles=cheater.titles,
        max_turns=cheater.max_turns,
    )


def pack_count(seat_count: int) -> int:
    """Return the number of packs of 70 cards for this number of seats."""
    return 2 if seat_count >= TWO_PACK_SEATS else 1
