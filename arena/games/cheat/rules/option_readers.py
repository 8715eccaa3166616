"""One reader for each option. A reader turns a plain value into the option's type, or refuses the value."""

from collections.abc import Mapping
from enum import Enum
from typing import TypeVar

from arena.errors import OptionError
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
from arena.match.options import OptionReader, read_flag, whole_number_reader

Choice = TypeVar("Choice", bound=Enum)

NONE = "none"
"""The plain value of an unset number."""
MAX_DECKS = 251
MAX_CLAIM_PER_DECK = 6
"""Most cards that a claim may name for each deck: four of a rank and two jokers."""


def _number_choice_reader(*allowed: int) -> OptionReader:
    def read(field: str, value: object) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and value in allowed:
            return value
        raise OptionError(field, value, "expected one of " + ", ".join(map(str, allowed)))

    return read


def _choice_reader(choices: type[Choice]) -> OptionReader:
    words = {choice.value: choice for choice in choices}

    def read(field: str, value: object) -> Choice:
        if isinstance(value, str) and value in words:
            return words[value]
        raise OptionError(field, value, "expected one of " + ", ".join(words))

    return read


def _subset_reader(choices: type[Choice]) -> OptionReader:
    """Return a reader of lists that consist of words of an enum, each at most once.

    The reader returns the members in the order of the enum.
    """
    words = [choice.value for choice in choices]

    def read(field: str, value: object) -> tuple[Choice, ...]:
        if isinstance(value, list | tuple) and all(word in words for word in value) and len(set(value)) == len(value):
            return tuple(choice for choice in choices if choice.value in value)
        raise OptionError(field, value, "expected a list of different words from " + ", ".join(words))

    return read


def _read_counts(field: str, value: object) -> object:
    """Read the counts. A list that names none of same, more and less gets all three."""
    steps = _READ_COUNT_SUBSET(field, value)
    assert isinstance(steps, tuple)
    if set(steps) <= {CountStep.ZERO}:
        return (CountStep.SAME, CountStep.MORE, CountStep.LESS, *steps)
    return steps


def _read_rank_start(field: str, value: object) -> object:
    """Read the ranks that may start a trick. An empty list means all of them."""
    return _READ_START_SUBSET(field, value) or tuple(RankStart)


_READ_COUNT_SUBSET = _subset_reader(CountStep)
_READ_START_SUBSET = _subset_reader(RankStart)


def _optional_reader(read: OptionReader, allowed: str = "") -> OptionReader:
    """Return a reader that accepts `none` and all values of `read`; `allowed` replaces its own text of these values."""

    def read_or_none(field: str, value: object) -> object:
        if value is None or value == NONE:
            return None
        try:
            return read(field, value)
        except OptionError as refusal:
            raise OptionError(field, value, f"{allowed or refusal.allowed}, or {NONE}") from None

    return read_or_none


OPTION_READERS: Mapping[str, OptionReader] = {
    "players_min": whole_number_reader(2, 100),
    "players_max": whole_number_reader(2, 100),
    "decks": _optional_reader(whole_number_reader(1, MAX_DECKS)),
    "jokers_per_deck": _number_choice_reader(0, 2),
    "first_mover": _choice_reader(FirstMover),
    "deal": _choice_reader(DealMode),
    "extra_cards_to": _choice_reader(ExtraCards),
    "check": _choice_reader(CheckMode),
    "count": _read_counts,
    "rank_start": _read_rank_start,
    "rank_next": _subset_reader(RankStep),
    "rank_mode": _choice_reader(RankMode),
    "min_count": whole_number_reader(1, MAX_CLAIM_PER_DECK * MAX_DECKS),
    "max_count": _optional_reader(
        whole_number_reader(1, MAX_CLAIM_PER_DECK * MAX_DECKS),
        f"expected a whole number from 1 to {MAX_CLAIM_PER_DECK} for each deck",
    ),
    "passing": _choice_reader(Passing),
    "exhausted_leader": _choice_reader(ExhaustedLeader),
    "call_mode": _choice_reader(CallMode),
    "any_caller": read_flag,
    "caller_priority": _choice_reader(CallerPriority),
    "believe": read_flag,
    "banish_on_new_trick": read_flag,
    "success_new_trick": read_flag,
    "failure_new_trick": read_flag,
    "success_next": _choice_reader(AfterCall),
    "failure_next": _choice_reader(AfterCall),
    "count_lies": read_flag,
    "sizes_visible": read_flag,
    "opening_face_up": read_flag,
    "honest_win": read_flag,
    "objective": _choice_reader(Objective),
    "win_resets_trick": read_flag,
    "max_turns": whole_number_reader(1, 1_000_000),
}
"""The reader of each option, in the order of the fields of `Ruleset`."""
