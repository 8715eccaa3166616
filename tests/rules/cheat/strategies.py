"""Random rulesets for properties."""

from typing import Any

from hypothesis import strategies as st

from arena.rules.cheat.presets import PRESETS
from arena.rules.cheat.ruleset import (
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


def words(choices: Any) -> st.SearchStrategy[list[str]]:
    """Any subset of an enum's words."""
    return st.lists(st.sampled_from([choice.value for choice in choices]), unique=True)


def word(choices: Any) -> st.SearchStrategy[str]:
    """Any of an enum's words."""
    return st.sampled_from([choice.value for choice in choices])


OPTIONS: dict[str, st.SearchStrategy[Any]] = {
    "decks": st.sampled_from([1, 2, 3, "none"]),
    "jokers_per_deck": st.sampled_from([0, 2]),
    "first_mover": word(FirstMover),
    "deal": word(DealMode),
    "extra_cards_to": word(ExtraCards),
    "check": word(CheckMode),
    "count": words(CountStep),
    "rank_start": words(RankStart),
    "rank_next": words(RankStep),
    "rank_mode": word(RankMode),
    "min_count": st.sampled_from([1, 1, 2, 3]),
    "max_count": st.sampled_from(["none", 3, 5, 6]),
    "passing": word(Passing),
    "exhausted_leader": word(ExhaustedLeader),
    "call_mode": word(CallMode),
    "any_caller": st.booleans(),
    "caller_priority": word(CallerPriority),
    "believe": st.booleans(),
    "banish_on_new_trick": st.booleans(),
    "success_new_trick": st.booleans(),
    "failure_new_trick": st.booleans(),
    "success_next": word(AfterCall),
    "failure_next": word(AfterCall),
    "count_lies": st.booleans(),
    "sizes_visible": st.booleans(),
    "opening_face_up": st.booleans(),
    "honest_win": st.booleans(),
    "objective": word(Objective),
    "win_resets_trick": st.booleans(),
    "max_turns": st.integers(1, 150),
}
"""Every option, with values that keep games short."""


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
    drawn = st.tuples(st.sampled_from(sorted(PRESETS)), st.fixed_dictionaries({}, optional=OPTIONS))
    return drawn.map(lambda pair: (pair[0], playable(*pair)))
