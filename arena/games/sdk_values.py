"""Turns values of the arena into values of the SDK and back, without messages, for bots in the same process.

The `wire` of a game does the same for bots at the other end of a connection. Tests compare the two.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from arena.match.game import Game
from arena.match.referee.facts import StrikeIssued
from arena.match.referee.pace import Pace
from arena.match.referee.terms import Terms
from cheatarena.match_facts import Strike
from cheatarena.terms import Pace as BotPace
from cheatarena.terms import Terms as BotTerms


@dataclass(frozen=True, slots=True, eq=False)
class SdkValues:
    """A game and the conversions of its values."""

    game: Game
    facts: Mapping[type, Callable[[Any], Any]]
    """The functions that return the fact of each public and private part of an event, by the type of the part."""
    legal_options: Mapping[type, tuple[str, Callable[[Any], Any]]]
    """By type of a question's options: the name of the kind of question, and a function that returns what is legal.

    The name is that of the kind in the SDK's `Game.kinds`.
    """
    ruleset: Callable[[Terms], Any]
    """Returns the ruleset of terms."""
    actions: Mapping[type, Callable[[Any], Any]]
    """The functions that return the action of a bot's answer, by the type of the answer.

    Numbers out of range become values that the rules refuse with a reason.
    """


_MS_PER_S = 1000


def terms_for_bots(terms: Terms, values: SdkValues) -> BotTerms:
    """Return the terms of a match as its bots see them; `values` are those of the game."""
    return BotTerms(
        ruleset=values.ruleset(terms),
        pace=_pace_for_bots(terms.pace),
        entrants=("",) * len(terms.entrants) if terms.anonymous else terms.entrants,
        game_count=terms.game_count,
        seating=terms.seating.value,
        is_rated=terms.rated,
    )


def strike_for_bot(struck: StrikeIssued, game: int) -> Strike:
    """Return a strike as its bot sees it; `game` is the 0-based number of the game."""
    return Strike(struck.kind.value, struck.prompt_id, struck.reason.upper(), game)


def _pace_for_bots(pace: Pace) -> BotPace:
    return BotPace(
        style=pace.style.value,
        turn_s=pace.turn_ms / _MS_PER_S,
        call_s=pace.call_ms / _MS_PER_S,
        min_call_s=pace.min_call_ms / _MS_PER_S,
        dispute_s=pace.dispute_ms / _MS_PER_S,
        intermission_s=pace.intermission_ms / _MS_PER_S,
        max_auto_moves=pace.max_auto_moves,
        reconnect_grace_s=pace.reconnect_grace_ms / _MS_PER_S,
        has_deadlines=not pace.no_deadlines,
        has_fixed_windows=pace.fixed_window,
        has_lag_purse=pace.lag_purse,
    )
