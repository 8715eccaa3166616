"""Random rulesets for properties."""

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Any

from hypothesis import strategies as st

from arena.games.cheat.rules.presets import PRESETS
from arena.games.cheat.rules.ruleset import (
    AfterCall,
    CallerPriority,
    CallMode,
    CheckMode,
    CountStep,
    DealMode,
    ExhaustedLeader,
    ExtraCards,
    FirstMover,
    Objective,
    Passing,
    RankMode,
    RankStart,
    RankStep,
)


def words(choices: Iterable[Enum]) -> list[str]:
    """Return the words of an enum."""
    return [choice.value for choice in choices]


OPTIONS: Mapping[str, Sequence[Any]] = {
    "decks": (1, 2, 3, "none"),
    "jokers_per_deck": (0, 2),
    "first_mover": words(FirstMover),
    "deal": words(DealMode),
    "extra_cards_to": words(ExtraCards),
    "check": words(CheckMode),
    "count": words(CountStep),
    "rank_start": words(RankStart),
    "rank_next": words(RankStep),
    "rank_mode": words(RankMode),
    "min_count": (1, 1, 2, 3),
    "max_count": ("none", 3, 5, 6),
    "passing": words(Passing),
    "exhausted_leader": words(ExhaustedLeader),
    "call_mode": words(CallMode),
    "any_caller": (False, True),
    "caller_priority": words(CallerPriority),
    "believe": (False, True),
    "banish_on_new_trick": (False, True),
    "success_new_trick": (False, True),
    "failure_new_trick": (False, True),
    "success_next": words(AfterCall),
    "failure_next": words(AfterCall),
    "count_lies": (False, True),
    "sizes_visible": (False, True),
    "opening_face_up": (False, True),
    "honest_win": (False, True),
    "objective": words(Objective),
    "win_resets_trick": (False, True),
}
"""Every option except `max_turns`, with values that keep games short."""
LISTS = ("count", "rank_start", "rank_next")
"""Options that take a list of these values."""


def playable(preset: str, options: dict[str, Any]) -> dict[str, Any]:
    """Change what does not go together with the rest (spec A2), so that every draw can be played."""
    chosen = {"max_turns": 150, **options, "players_min": 2, "players_max": 10}
    whole = {"call_mode": "window", "any_caller": True, **PRESETS[preset], **chosen}
    if whole.get("rank_mode") == "rotation" or whole.get("rank_start"):
        chosen["opening_face_up"] = False
    if whole["call_mode"] == "turn_action" and whole["any_caller"]:
        chosen["any_caller"] = False
    return chosen


def rulesets() -> st.SearchStrategy[tuple[str, dict[str, Any]]]:
    """Draw a preset and any playable options; decks and turns stay small so that games are short."""
    options: dict[str, st.SearchStrategy[Any]] = {name: st.sampled_from(values) for name, values in OPTIONS.items()}
    options |= {name: st.lists(options[name], unique=True) for name in LISTS}
    options["max_turns"] = st.integers(1, 150)
    drawn = st.tuples(st.sampled_from(sorted(PRESETS)), st.fixed_dictionaries({}, optional=options))
    return drawn.map(lambda pair: (pair[0], playable(*pair)))
