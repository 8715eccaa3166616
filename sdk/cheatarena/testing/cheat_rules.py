"""Builds ruleset messages of Cheat from words."""

from collections.abc import Mapping
from typing import Any

from cheatarena.cheat.ruleset import OPTION_WORDS
from cheatarena.v1 import cheat_pb2

STANDARD: Mapping[str, Any] = {
    "decks": 1,
    "jokers_per_deck": 2,
    "check": "public",
    "count": ("same", "more", "less", "zero"),
    "rank_start": ("a", "others", "k"),
    "rank_next": ("same", "up1", "up1_wrap", "down1", "down1_wrap"),
    "passing": "forced",
    "exhausted_leader": "last_mover",
    "max_turns": 2000,
    "min_count": 1,
    "first_mover": "random",
    "deal": "round_robin",
    "extra_cards_to": "first_dealt",
    "rank_mode": "step",
    "call_mode": "window",
    "any_caller": True,
    "caller_priority": "first",
    "success_next": "no_change",
    "failure_next": "no_change",
    "sizes_visible": True,
    "objective": "places",
}
"""The options of the preset ``standard``. Options that are not listed are off."""


def ruleset_message(options: Mapping[str, Any]) -> cheat_pb2.CheatRuleset:
    """Return the preset ``standard`` with these changes. Options have the names and values that `Ruleset` uses.

    >>> ruleset_message({"passing": "pass_turn"}).passing == cheat_pb2.CHEAT_PASSING_PASS_TURN
    True
    """
    given = {**STANDARD, **options}
    return cheat_pb2.CheatRuleset(**{name: _enum_number(name, value) for name, value in given.items()})


def _enum_number(name: str, value: Any) -> Any:
    """Return the enum number of a word, or the list of numbers for several words. Return other values unchanged."""
    numbers = {word: number for number, word in OPTION_WORDS[name].items()}
    if not numbers:
        return value
    return numbers[value] if isinstance(value, str) else [numbers[each] for each in value]
