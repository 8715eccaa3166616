"""Options as plain values, read into a checked ruleset and written back. Every fault is reported at once."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from enum import Enum
from typing import Any, TypeVar

from arena.errors import OptionError, OptionNotAvailableError, OptionsError, UnknownNameError
from arena.rules.cheat.cards import pack_size
from arena.rules.cheat.presets import PRESETS
from arena.rules.cheat.ruleset import CheckMode, CountStep, ExhaustedLeader, Passing, RankStart, RankStep, Ruleset

Reader = Callable[[str, object], object]
Choice = TypeVar("Choice", bound=Enum)

PACE_OPTIONS = ("turn_time", "call_time", "min_call_ms", "intermission_s", "max_auto_moves")
"""Fields of spec A2 that belong to a match's pace; a ruleset refuses them."""

LATER_OPTIONS = (
    "first_mover",
    "deal",
    "extra_cards_to",
    "dispute_ms",
    "rank_mode",
    "min_count",
    "max_count",
    "call_mode",
    "any_caller",
    "caller_priority",
    "believe",
    "banish_on_new_trick",
    "success_new_trick",
    "failure_new_trick",
    "success_next",
    "failure_next",
    "count_lies",
    "sizes_visible",
    "opening_face_up",
    "honest_win",
    "objective",
    "win_resets_trick",
)
"""Fields of spec A2 that this version does not play yet."""


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

READERS: Mapping[str, Reader] = {
    "players_min": _whole(2, 100),
    "players_max": _whole(2, 100),
    "decks": _whole(1, 251),
    "jokers_per_deck": _one_number(0, 2),
    "check": _one_of(CheckMode),
    "count": _read_counts,
    "rank_start": _read_rank_start,
    "rank_next": _subset(RankStep),
    "passing": _one_of(Passing),
    "exhausted_leader": _one_of(ExhaustedLeader),
    "max_turns": _whole(1, 1_000_000),
}
"""How each option is read, in the order of the fields."""


def read_ruleset(preset: str, options: Mapping[str, object]) -> Ruleset:
    """Build a checked ruleset. Raises UnknownNameError for the preset, OptionsError naming every refused option."""
    if preset not in PRESETS:
        raise UnknownNameError("preset", preset, tuple(PRESETS))
    given = {**PRESETS[preset], **options}
    faults = _refusals(given)
    values: dict[str, Any] = {}
    for field in READERS.keys() & given.keys():
        try:
            values[field] = READERS[field](field, given[field])
        except OptionError as fault:
            faults.append(fault)
    rules = Ruleset(**values)
    if not faults:
        faults = _conflicts(rules)
    if faults:
        raise OptionsError(sorted(faults, key=_field_order))
    return rules


def write_ruleset(rules: Ruleset) -> dict[str, object]:
    """Give all options as plain values, in the order of the fields; `read_ruleset` reads them back."""
    return {field.name: _plain(getattr(rules, field.name)) for field in fields(rules)}


def refuse_seats(rules: Ruleset, seat_count: int) -> None:
    """Raise OptionsError for more or fewer seats than the ruleset allows."""
    if seat_count < rules.players_min:
        raise OptionsError([OptionError("players_min", rules.players_min, f"the match has {seat_count} seats")])
    if seat_count > rules.players_max:
        raise OptionsError([OptionError("players_max", rules.players_max, f"the match has {seat_count} seats")])


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value.value if isinstance(value, Enum) else value


def _refusals(given: Mapping[str, object]) -> list[OptionError]:
    """Refuse every option that is not a ruleset's, or not one of this version's."""
    return [_refusal(field, value) for field, value in given.items() if field not in READERS]


def _refusal(field: str, value: object) -> OptionError:
    if field in LATER_OPTIONS:
        return OptionNotAvailableError(field, value)
    if field in PACE_OPTIONS:
        return OptionError(field, value, "it belongs to the match's pace, not to the ruleset")
    if field == "seat_order":
        return OptionError(field, value, "the match gives the seats, not the ruleset")
    return OptionError(field, value, "unknown option; known: " + ", ".join(READERS))


def _conflicts(rules: Ruleset) -> list[OptionError]:
    """List the options that are in range but do not go together."""
    faults = []
    if rules.players_min > rules.players_max:
        allowed = f"at most players_max, which is {rules.players_max}"
        faults.append(OptionError("players_min", rules.players_min, allowed))
    cards = pack_size(rules.decks, rules.jokers_per_deck)
    if rules.players_max > cards:
        faults.append(OptionError("players_max", rules.players_max, f"at most one seat for each of the {cards} cards"))
    return faults


def _field_order(fault: OptionError) -> int:
    order = list(READERS)
    return order.index(fault.field) if fault.field in order else len(order)
