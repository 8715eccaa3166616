"""What a match is about, as plain values: ruleset, pace, names. Made once a match from the contract's messages."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cheatarena.v1 import lobby_pb2, ruleset_pb2

RulesetReader = Callable[[ruleset_pb2.Ruleset, int], Any]
"""Makes plain values of a game's ruleset, given the number of seats too."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How decisions are timed. Times are in seconds."""

    style: str
    """``live``: turn and calls are open together. ``sealed``: in rounds."""
    turn_s: float
    call_s: float
    min_call_s: float
    """Live style: no call is taken sooner after a move."""
    dispute_s: float
    """Live style, where the nearest clockwise counts: after the first call further ones are collected for so long."""
    intermission_s: float
    max_auto_moves: int
    """After so many automatic moves in a row the seat is given up. 0: never."""
    reconnect_grace_s: float
    has_deadlines: bool


@dataclass(frozen=True, slots=True)
class Terms:
    """What is played and how."""

    ruleset: Any
    """The options of the game that is played: `Ruleset` in Cheat, `cheater.Ruleset` in CHEATER."""
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


def read_terms(message: ruleset_pb2.MatchTerms, read_ruleset: RulesetReader) -> Terms:
    """Make plain values of the contract's terms of a match."""
    return Terms(
        ruleset=read_ruleset(message.ruleset, len(message.entrants)),
        pace=_read_pace(message.pace),
        entrants=tuple(message.entrants),
        game_count=message.game_count,
        seating=enum_word(ruleset_pb2.Seating.Name(message.seating), "SEATING_"),
        is_rated=message.rated,
    )


def read_offer(message: lobby_pb2.Offered, read_ruleset: RulesetReader) -> Offer:
    """Make a plain value of an offered seat."""
    return Offer(match=message.match, entrant=message.entrant, terms=read_terms(message.terms, read_ruleset))


def _read_pace(message: ruleset_pb2.Pace) -> Pace:
    return Pace(
        style=enum_word(ruleset_pb2.PaceStyle.Name(message.style), "PACE_STYLE_"),
        turn_s=message.turn_ms / 1000,
        call_s=message.call_ms / 1000,
        min_call_s=message.min_call_ms / 1000,
        dispute_s=message.dispute_ms / 1000,
        intermission_s=message.intermission_ms / 1000,
        max_auto_moves=message.max_auto_moves,
        reconnect_grace_s=message.reconnect_grace_ms / 1000,
        has_deadlines=not message.no_deadlines,
    )


def enum_word(name: str, prefix: str) -> str:
    """Turn the contract's name of a choice into the word for it."""
    return name.removeprefix(prefix).lower()
