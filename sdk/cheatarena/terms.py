"""The terms of a match as plain values: ruleset, pace and names. They are converted once per match."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cheatarena.v1 import lobby_pb2, ruleset_pb2

RulesetReader = Callable[[ruleset_pb2.Ruleset, int], Any]
"""Converts a ruleset message and the number of seats to a game's plain ruleset."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How decisions are timed. Times are in seconds."""

    style: str
    """``live``: a seat may move while other seats may still call the last move.

    ``sealed``: the server first asks whether other seats call the last move, and then asks for the next move.
    """
    turn_s: float
    """Time for a turn."""
    call_s: float
    """Time for a call window or another reaction."""
    min_call_s: float
    """Shortest time between a move and a call of that move; only for ``live``."""
    dispute_s: float
    """Time after the first call in which other seats may still call the same move.

    It applies only in ``live``, and only if the ruleset's `caller_priority` is ``nearest_clockwise``.
    """
    intermission_s: float
    """The longest break between games; 0 means none."""
    max_auto_moves: int
    """Number of automatic moves in a row after which the server gives a seat up; 0 means never."""
    reconnect_grace_s: float
    """How long a seat's clock stands still while its connection is lost, in the whole match; 0 means never."""
    has_deadlines: bool
    """Whether answers have to come in time."""
    has_fixed_windows: bool = False
    """Whether every window lasts its whole time; only for ``sealed``."""
    has_lag_purse: bool = False
    """Whether seats get extra time to make up for network delay. The deadlines that are shown include this time."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What a match is played by: rules, timing, entrants and seating."""

    ruleset: Any
    """Options of the game: `Ruleset` in Cheat, `cheater.Ruleset` in CHEATER."""
    pace: Pace
    """How decisions are timed."""
    entrants: tuple[str, ...]
    """The name of each entrant; every name is empty in an anonymous match."""
    game_count: int
    """Number of games."""
    seating: str
    """``fixed`` or ``rotated``: how entrants change seats between games."""
    is_rated: bool
    """Whether the match counts for ratings."""


@dataclass(frozen=True, slots=True)
class Offer:
    """An offered seat."""

    match: int
    """The match's number on its node."""
    entrant: int
    """The index that the bot gets among the entrants if it accepts."""
    terms: Terms
    """The terms of the match."""


def read_terms(message: ruleset_pb2.MatchTerms, read_ruleset: RulesetReader) -> Terms:
    pace = message.pace
    return Terms(
        ruleset=read_ruleset(message.ruleset, len(message.entrants)),
        pace=Pace(
            style=enum_word(ruleset_pb2.PaceStyle.Name(pace.style), "PACE_STYLE_"),
            turn_s=pace.turn_ms / 1000,
            call_s=pace.call_ms / 1000,
            min_call_s=pace.min_call_ms / 1000,
            dispute_s=pace.dispute_ms / 1000,
            intermission_s=pace.intermission_ms / 1000,
            max_auto_moves=pace.max_auto_moves,
            reconnect_grace_s=pace.reconnect_grace_ms / 1000,
            has_deadlines=not pace.no_deadlines,
            has_fixed_windows=pace.fixed_window,
            has_lag_purse=pace.lag_purse,
        ),
        entrants=tuple(message.entrants),
        game_count=message.game_count,
        seating=enum_word(ruleset_pb2.Seating.Name(message.seating), "SEATING_"),
        is_rated=message.rated,
    )


def read_offer(message: lobby_pb2.Offered, read_ruleset: RulesetReader) -> Offer:
    return Offer(match=message.match, entrant=message.entrant, terms=read_terms(message.terms, read_ruleset))


def enum_word(name: str, prefix: str) -> str:
    """Return the name of an enum value in lower case, without its prefix."""
    return name.removeprefix(prefix).lower()
