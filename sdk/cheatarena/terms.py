"""What a match is about, as plain values: ruleset, pace, names. Made once a match from the contract's messages."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from cheatarena.cards import Card, Rank
from cheatarena.v1 import cheat_pb2, lobby_pb2, ruleset_pb2

MANY_SEATS = 5
"""From so many seats on two packs are used where the number of packs goes by the seats."""

GAME = "cheat"
"""The game that this package plays, by its name in Hello and in the contract."""


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


@dataclass(frozen=True, slots=True)
class Pace:
    """How decisions are timed. Times are in seconds."""

    style: str
    """``live``: turn and calls are open together. ``sealed``: in rounds."""
    turn_s: float
    call_s: float
    min_call_s: float
    """Live style: no call is taken sooner after a move."""
    intermission_s: float
    max_auto_moves: int
    """After so many automatic moves in a row the seat is given up. 0: never."""
    reconnect_grace_s: float
    has_deadlines: bool


@dataclass(frozen=True, slots=True)
class Terms:
    """What is played and how."""

    ruleset: Ruleset
    pace: Pace
    entrants: tuple[str, ...]
    """Names by entrant; empty in an anonymous match."""
    game_count: int
    seating: str
    """``fixed`` or ``rotated``: how entrants change seats between games."""
    is_rated: bool


@dataclass(frozen=True, slots=True)
class Offer:
    """A seat that is offered."""

    match: int
    entrant: int
    """The index that the bot would have among the entrants."""
    terms: Terms


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


def read_terms(message: ruleset_pb2.MatchTerms) -> Terms:
    """Make plain values of the contract's terms of a match of Cheat."""
    return Terms(
        ruleset=_read_ruleset(message.ruleset, len(message.entrants)),
        pace=_read_pace(message.pace),
        entrants=tuple(message.entrants),
        game_count=message.game_count,
        seating=_choice(ruleset_pb2.Seating.Name(message.seating), "SEATING_"),
        is_rated=message.rated,
    )


def read_offer(message: lobby_pb2.Offered) -> Offer:
    """Make a plain value of an offered seat."""
    return Offer(match=message.match, entrant=message.entrant, terms=read_terms(message.terms))


def _read_ruleset(message: ruleset_pb2.Ruleset, seat_count: int) -> Ruleset:
    cheat = message.cheat
    decks = cheat.decks or (2 if seat_count >= MANY_SEATS else 1)
    return Ruleset(
        preset=message.preset,
        version=message.version,
        decks=decks,
        jokers_per_deck=cheat.jokers_per_deck,
        check=_choice(cheat_pb2.CheatCheck.Name(cheat.check), "CHEAT_CHECK_"),
        count=_choices((cheat_pb2.CheatCount.Name(each) for each in cheat.count), "CHEAT_COUNT_"),
        rank_start=_choices((cheat_pb2.CheatRankStart.Name(each) for each in cheat.rank_start), "CHEAT_RANK_START_"),
        rank_next=_choices((cheat_pb2.CheatRankNext.Name(each) for each in cheat.rank_next), "CHEAT_RANK_NEXT_"),
        passing=_choice(cheat_pb2.CheatPassing.Name(cheat.passing), "CHEAT_PASSING_"),
        exhausted_leader=_choice(
            cheat_pb2.CheatExhaustedLeader.Name(cheat.exhausted_leader), "CHEAT_EXHAUSTED_LEADER_"
        ),
        max_turns=cheat.max_turns,
        max_count=cheat.max_count or (4 + cheat.jokers_per_deck) * decks,
    )


def _read_pace(message: ruleset_pb2.Pace) -> Pace:
    return Pace(
        style=_choice(ruleset_pb2.PaceStyle.Name(message.style), "PACE_STYLE_"),
        turn_s=message.turn_ms / 1000,
        call_s=message.call_ms / 1000,
        min_call_s=message.min_call_ms / 1000,
        intermission_s=message.intermission_ms / 1000,
        max_auto_moves=message.max_auto_moves,
        reconnect_grace_s=message.reconnect_grace_ms / 1000,
        has_deadlines=not message.no_deadlines,
    )


def _choice(name: str, prefix: str) -> str:
    return name.removeprefix(prefix).lower()


def _choices(names: Iterable[str], prefix: str) -> frozenset[str]:
    return frozenset(_choice(name, prefix) for name in names)
