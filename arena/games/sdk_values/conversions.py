"""Defines the conversions between a game's values in the rules and its values in the SDK."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from arena.match.game import Game
from arena.match.referee.terms import Terms


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
