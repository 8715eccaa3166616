"""How each option is read from a plain value: what it takes, and the refusal of everything else."""

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

Reader = Callable[[str, object], object]
Choice = TypeVar("Choice", bound=Enum)

NONE = "none"
"""The plain value of a number that is not set."""
MOST_DECKS = 251
MOST_OF_A_DECK = 6
"""So many cards of each deck a claim may name at most."""


def _whole(first: int, last: int) -> Reader:
    """Read a whole number in first..last."""

    def read(field: str, value: object) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and first <= value <= last:
            return value
        raise OptionError(field, value, f"a whole number from {first} to {last}")

    return read


def _one_number(*allowed: int) -> Reader:
    """Read one of a few numbers."""

    def read(field: str, value: object) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and value in allowed:
            return value
        raise OptionError(field, value, "one of " + ", ".join(map(str, allowed)))

    return read


def _one_of(choices: type[Choice]) -> Reader:
    """Read one word of a closed choice."""
    words = {choice.value: choice for choice in choices}

    def read(field: str, value: object) -> Choice:
        if isinstance(value, str) and value in words:
            return words[value]
        raise OptionError(field, value, "one of " + ", ".join(words))

    return read


def _subset(choices: type[Choice]) -> Reader:
    """Read a list of different words; the order given does not matter."""
    words = [choice.value for choice in choices]

    def read(field: str, value: object) -> tuple[Choice, ...]:
        if isinstance(value, list | tuple) and _are_different(value) and all(word in words for word in value):
            return tuple(choice for choice in choices if choice.value in value)
        raise OptionError(field, value, "a list of different words out of " + ", ".join(words))

    return read


def _are_different(values: Iterable[object]) -> bool:
    seen = list(values)
    return all(value not in seen[:index] for index, value in enumerate(seen))


def _read_counts(field: str, value: object) -> object:
    """Read the counts; without any of same, more, less these three are switched on."""
    steps = _COUNT_SUBSET(field, value)
    assert isinstance(steps, tuple)
    if set(steps) <= {CountStep.ZERO}:
        return (CountStep.SAME, CountStep.MORE, CountStep.LESS, *steps)
    return steps


def _read_rank_start(field: str, value: object) -> object:
    """Read the ranks that start a trick; an empty list means all."""
    return _START_SUBSET(field, value) or tuple(RankStart)


_COUNT_SUBSET = _subset(CountStep)
_START_SUBSET = _subset(RankStart)


def _or_none(read: Reader, allowed: str) -> Reader:
    """Read nothing, or what another reader takes."""

    def read_or_none(field: str, value: object) -> object:
        if value is None or value == NONE:
            return None
        try:
            return read(field, value)
        except OptionError:
            raise OptionError(field, value, f"{allowed}, or {NONE}") from None

    return read_or_none


def _switch(field: str, value: object) -> bool:
    """Read true or false."""
    if isinstance(value, bool):
        return value
    raise OptionError(field, value, "true or false")


READERS: Mapping[str, Reader] = {
    "players_min": _whole(2, 100),
    "players_max": _whole(2, 100),
    "decks": _or_none(_whole(1, MOST_DECKS), f"a whole number from 1 to {MOST_DECKS}"),
    "jokers_per_deck": _one_number(0, 2),
    "first_mover": _one_of(FirstMover),
    "deal": _one_of(DealMode),
    "extra_cards_to": _one_of(ExtraCards),
    "check": _one_of(CheckMode),
    "count": _read_counts,
    "rank_start": _read_rank_start,
    "rank_next": _subset(RankStep),
    "rank_mode": _one_of(RankMode),
    "min_count": _whole(1, MOST_OF_A_DECK * MOST_DECKS),
    "max_count": _or_none(_whole(1, MOST_OF_A_DECK * MOST_DECKS), "a whole number from 1 to 6 for each deck"),
    "passing": _one_of(Passing),
    "exhausted_leader": _one_of(ExhaustedLeader),
    "call_mode": _one_of(CallMode),
    "any_caller": _switch,
    "caller_priority": _one_of(CallerPriority),
    "believe": _switch,
    "banish_on_new_trick": _switch,
    "success_new_trick": _switch,
    "failure_new_trick": _switch,
    "success_next": _one_of(AfterCall),
    "failure_next": _one_of(AfterCall),
    "count_lies": _switch,
    "sizes_visible": _switch,
    "opening_face_up": _switch,
    "honest_win": _switch,
    "objective": _one_of(Objective),
    "win_resets_trick": _switch,
    "max_turns": _whole(1, 1_000_000),
}
"""How each option is read, in the order of the fields."""
