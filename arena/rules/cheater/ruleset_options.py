"""Build a validated ruleset from plain options, and write it back. All faults are reported at once."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from arena.errors import OptionError, OptionsError, UnknownNameError
from arena.rules.cheater.presets import PRESETS
from arena.rules.cheater.ruleset import Ruleset

OptionReader = Callable[[str, object], object]

PACE_OPTIONS = ("turn_time", "call_time", "intermission_s", "max_auto_moves")
"""Options of spec part A that belong to the match's pace; a ruleset refuses them."""


def _whole_number_reader(first: int, last: int) -> OptionReader:
    """Return a reader of whole numbers in first..last."""

    def read(field: str, value: object) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and first <= value <= last:
            return value
        raise OptionError(field, value, f"a whole number from {first} to {last}")

    return read


def _read_flag(field: str, value: object) -> bool:
    """Read true or false."""
    if isinstance(value, bool):
        return value
    raise OptionError(field, value, "true or false")


OPTION_READERS: Mapping[str, OptionReader] = {
    "players_min": _whole_number_reader(2, 10),
    "players_max": _whole_number_reader(2, 10),
    "titles": _read_flag,
    "max_turns": _whole_number_reader(1, 1_000_000),
}
"""The reader of each option, in field order."""


def build_ruleset(preset: str, options: Mapping[str, object]) -> Ruleset:
    """Build and validate a ruleset. Raises UnknownNameError (preset) or OptionsError (all refused options)."""
    if preset not in PRESETS:
        raise UnknownNameError("preset", preset, tuple(PRESETS))
    given = {**PRESETS[preset], **options}
    faults = [_unknown_option_fault(field, value) for field, value in given.items() if field not in OPTION_READERS]
    values: dict[str, Any] = {}
    for field in [field for field in OPTION_READERS if field in given]:
        try:
            values[field] = OPTION_READERS[field](field, given[field])
        except OptionError as fault:
            faults.append(fault)
    rules = Ruleset(**values)
    if not faults and rules.players_min > rules.players_max:
        faults = [OptionError("players_min", rules.players_min, f"at most players_max, which is {rules.players_max}")]
    if faults:
        raise OptionsError(sorted(faults, key=_field_order))
    return rules


def ruleset_options(rules: Ruleset) -> dict[str, object]:
    """Return all options as plain values, in field order; `build_ruleset` reads them back."""
    return asdict(rules)


def check_seat_count(rules: Ruleset, seat_count: int) -> None:
    """Raise OptionsError if the ruleset does not allow this number of seats."""
    if seat_count < rules.players_min:
        raise OptionsError([OptionError("players_min", rules.players_min, f"the match has {seat_count} seats")])
    if seat_count > rules.players_max:
        raise OptionsError([OptionError("players_max", rules.players_max, f"the match has {seat_count} seats")])


def _unknown_option_fault(field: str, value: object) -> OptionError:
    if field in PACE_OPTIONS:
        return OptionError(field, value, "not set here: it belongs to the match's pace, not to the ruleset")
    if field == "packs":
        return OptionError(field, value, "not an option: 2 to 4 seats play with one pack, 5 to 10 with two")
    return OptionError(field, value, "unknown option; known: " + ", ".join(OPTION_READERS))


def _field_order(fault: OptionError) -> int:
    order = list(OPTION_READERS)
    return order.index(fault.field) if fault.field in order else len(order)
