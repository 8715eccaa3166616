"""All options of a ruleset of Cheat, and what a move claims."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from cheatarena.cheat.cards import Card, Rank
from cheatarena.terms import choice
from cheatarena.v1 import cheat_pb2, ruleset_pb2

MANY_SEATS = 5
"""From so many seats on two packs are used where the number of packs goes by the seats."""


@dataclass(frozen=True, slots=True)
class Ruleset:
    """All options of a ruleset of Cheat. Names of choices are those of the rules, in lower case."""

    preset: str
    version: str
    decks: int
    """Packs shuffled together, 1 to 251."""
    jokers_per_deck: int
    check: str
    """What a call reveals: ``arbiter``, ``caller``, ``public`` or ``public_plus``."""
    count: frozenset[str]
    """Counts after the first move of a trick: some of ``same``, ``more``, ``less``, ``zero``."""
    rank_start: frozenset[str]
    """Ranks that may start a trick: some of ``a``, ``others``, ``k``."""
    rank_next: frozenset[str]
    """Steps to the next rank, for example ``up1``."""
    passing: str
    """``forced``, ``pass_turn``, ``pass_trick`` or ``single_turn``."""
    exhausted_leader: str
    """``last_mover`` or ``next_player``."""
    max_turns: int
    max_count: int

    copies: int = field(init=False)
    """How many cards of one rank there are in the game, jokers apart."""
    jokers: int = field(init=False)
    """How many jokers there are in the game."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "copies", 4 * self.decks)
        object.__setattr__(self, "jokers", self.jokers_per_deck * self.decks)


@dataclass(slots=True, unsafe_hash=True)  # a value that nobody changes; frozen would make it three times as dear
class Claim:
    """What a seat said it laid. True or not."""

    seat: int
    rank: Rank
    count: int
    cards: tuple[Card, ...] | None = None
    """The cards, where this seat laid them itself. None: unknown."""
    layer: int = 0
    """Names the move within the game; for the table's own use."""

    def __str__(self) -> str:
        return f"seat {self.seat}: {self.count} x {self.rank}"


def read_ruleset(message: ruleset_pb2.Ruleset, seat_count: int) -> Ruleset:
    """Make a plain value of the contract's ruleset."""
    cheat = message.cheat
    decks = cheat.decks or (2 if seat_count >= MANY_SEATS else 1)
    return Ruleset(
        preset=message.preset,
        version=message.version,
        decks=decks,
        jokers_per_deck=cheat.jokers_per_deck,
        check=choice(cheat_pb2.CheatCheck.Name(cheat.check), "CHEAT_CHECK_"),
        count=_choices((cheat_pb2.CheatCount.Name(each) for each in cheat.count), "CHEAT_COUNT_"),
        rank_start=_choices((cheat_pb2.CheatRankStart.Name(each) for each in cheat.rank_start), "CHEAT_RANK_START_"),
        rank_next=_choices((cheat_pb2.CheatRankNext.Name(each) for each in cheat.rank_next), "CHEAT_RANK_NEXT_"),
        passing=choice(cheat_pb2.CheatPassing.Name(cheat.passing), "CHEAT_PASSING_"),
        exhausted_leader=choice(cheat_pb2.CheatExhaustedLeader.Name(cheat.exhausted_leader), "CHEAT_EXHAUSTED_LEADER_"),
        max_turns=cheat.max_turns,
        max_count=cheat.max_count or (4 + cheat.jokers_per_deck) * decks,
    )


def _choices(names: Iterable[str], prefix: str) -> frozenset[str]:
    return frozenset(choice(name, prefix) for name in names)
