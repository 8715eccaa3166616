"""Random rulesets for properties."""

from typing import Any

from hypothesis import strategies as st

from arena.rules.cheat.ruleset import CheckMode, CountStep, ExhaustedLeader, Passing, RankStart, RankStep


def words(choices: Any) -> st.SearchStrategy[list[str]]:
    """Any subset of an enum's words."""
    return st.lists(st.sampled_from([choice.value for choice in choices]), unique=True)


def standard_options() -> st.SearchStrategy[dict[str, Any]]:
    """Any options that `standard` can be played with; decks and turns kept small so that games are short."""
    return st.fixed_dictionaries(
        {},
        optional={
            "decks": st.integers(1, 3),
            "jokers_per_deck": st.sampled_from([0, 2]),
            "check": st.sampled_from([choice.value for choice in CheckMode]),
            "count": words(CountStep),
            "rank_start": words(RankStart),
            "rank_next": words(RankStep),
            "passing": st.sampled_from([choice.value for choice in Passing]),
            "exhausted_leader": st.sampled_from([choice.value for choice in ExhaustedLeader]),
            "max_turns": st.integers(1, 150),
        },
    )
