"""One reader per option: turn a plain value into the option's type, or refuse it."""

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import TypeVar

from arena.errors import OptionError
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

OptionReader = Callable[[str, object], object]
Choice = TypeVar("Choice", bound=Enum)

NONE = "none"
"""The plain value of an unset number."""
MAX_DECKS = 251
MAX_CLAIM_PER_DECK = 6
"""Most cards that a claim may name for each deck: four of a rank and two jokers."""


def _whole_number_reader(first: int, last: int) -> OptionReader:
    """Return a reader of whole numbers in first..last."""

    def read(field: str, value: object) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and first <= value <= last:
            return value
        raise OptionError(field, value, f"a whole number from {first} to {last}")

    return read


def _number_choice_reader(*allowed: int) -> OptionReader:
    """Return a reader that accepts only these numbers."""

    def read(field: str, value: object) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and value in allowed:
            return value
        raise OptionError(field, value, "one of " + ", ".join(map(str, allowed)))

    return read


def _choice_reader(choices: type[Choice]) -> OptionReader:
    """Return a reader of one word of an enum."""
    words = {choice.value: choice for choice in choices}

    def read(field: str, value: object) -> Choice:
        if isinstance(value, str) and value in words:
            return words[value]
        raise OptionError(field, value, "one of " + ", ".join(words))

    return read


def _subset_reader(choices: type[Choice]) -> OptionReader:
    """Return a reader of lists of distinct enum words; the result is in the enum's order."""
    words = [choice.value for choice in choices]

    def read(field: str, value: object) -> tuple[Choice, ...]:
        if isinstance(value, list | tuple) and _are_distinct(value) and all(word in words for word in value):
            return tuple(choice for choice in choices if choice.value in value)
        raise OptionError(field, value, "a list of different words from " + ", ".join(words))

    return read


def _are_distinct(values: Iterable[object]) -> bool:
    seen = list(values)
    return all(value not in seen[:index] for index, value in enumerate(seen))


def _read_counts(field: str, value: object) -> object:
    """Read the counts; a list without same, more and less gets all three."""
    steps = _READ_COUNT_SUBSET(field, value)
    assert isinstance(steps, tuple)
    if set(steps) <= {CountStep.ZERO}:
        return (CountStep.SAME, CountStep.MORE, CountStep.LESS, *steps)
    return steps


def _read_rank_start(field: str, value: object) -> object:
    """Read the ranks that start a trick; an empty list means all."""
    return _READ_START_SUBSET(field, value) or tuple(RankStart)


_READ_COUNT_SUBSET = _subset_reader(CountStep)
_READ_START_SUBSET = _subset_reader(RankStart)


def _optional_reader(read: OptionReader, allowed: str) -> OptionReader:
    """Return a reader that also accepts `none`; `allowed` describes what `read` accepts."""

    def read_or_none(field: str, value: object) -> object:
        if value is None or value == NONE:
            return None
        try:
            return read(field, value)
        except OptionError:
            raise OptionError(field, value, f"{allowed}, or {NONE}") from None

    return read_or_none


def _read_flag(field: str, value: object) -> bool:
    """Read true or false."""
    if isinstance(value, bool):
        return value
    raise OptionError(field, value, "true or false")


OPTION_READERS: Mapping[str, OptionReader] = {
    "players_min": _whole_number_reader(2, 100),
    "players_max": _whole_number_reader(2, 100),
    "decks": _optional_reader(_whole_number_reader(1, MAX_DECKS), f"a whole number from 1 to {MAX_DECKS}"),
    "jokers_per_deck": _number_choice_reader(0, 2),
    "first_mover": _choice_reader(FirstMover),
    "deal": _choice_reader(DealMode),
    "extra_cards_to": _choice_reader(ExtraCards),
    "check": _choice_reader(CheckMode),
    "count": _read_counts,
    "rank_start": _read_rank_start,
    "rank_next": _subset_reader(RankStep),
    "rank_mode": _choice_reader(RankMode),
    "min_count": _whole_number_reader(1, MAX_CLAIM_PER_DECK * MAX_DECKS),
    "max_count": _optional_reader(
        _whole_number_reader(1, MAX_CLAIM_PER_DECK * MAX_DECKS), "a whole number from 1 to 6 for each deck"
    ),
    "passing": _choice_reader(Passing),
    "exhausted_leader": _choice_reader(ExhaustedLeader),
    "call_mode": _choice_reader(CallMode),
    "any_caller": _read_flag,
    "caller_priority": _choice_reader(CallerPriority),
    "believe": _read_flag,
    "banish_on_new_trick": _read_flag,
    "success_new_trick": _read_flag,
    "failure_new_trick": _read_flag,
    "success_next": _choice_reader(AfterCall),
    "failure_next": _choice_reader(AfterCall),
    "count_lies": _read_flag,
    "sizes_visible": _read_flag,
    "opening_face_up": _read_flag,
    "honest_win": _read_flag,
    "objective": _choice_reader(Objective),
    "win_resets_trick": _read_flag,
    "max_turns": _whole_number_reader(1, 1_000_000),
}
"""The reader of each option, in field order."""
