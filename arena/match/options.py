"""Reads options. Plain values become typed values, and every refused value becomes a fault."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from arena.errors import OptionError, OptionsError, find_similar
from arena.plurals import format_count

OptionReader: TypeAlias = Callable[[str, object], object]
"""Takes an option's name and plain value, and returns the typed value. Raises OptionError for an invalid value."""


def read_options(
    given: Mapping[str, object], readers: Mapping[str, OptionReader], reserved: Mapping[str, str]
) -> tuple[dict[str, Any], list[OptionError]]:
    """Read the given options. Return the typed values by name, and a fault for each option that is refused.

    Faults come in the order of `readers`; faults of options without a reader come last. `reserved` has the
    error texts of options that users may expect here, but that belong elsewhere.
    """
    values: dict[str, Any] = {}
    faults: list[OptionError] = []
    for field, read in readers.items():
        if field in given:
            try:
                values[field] = read(field, given[field])
            except OptionError as fault:
                faults.append(fault)
    for field, value in given.items():
        if field not in readers:
            faults.append(OptionError(field, value, reserved.get(field) or _unknown_option_text(field, readers)))
    return values, faults


def explain_player_limits(players_min: int, players_max: int) -> str:
    """Return in a sentence how many seats may play."""
    limits = f"{players_min}" if players_min == players_max else f"{players_min} to {players_max}"
    return f"{limits} seats play."


def _unknown_option_text(field: str, known: Iterable[str]) -> str:
    """Return what an unknown option probably means, or else all that are known. The whole list is long."""
    similar = find_similar(field, known)
    return f"unknown option; did you mean {similar}?" if similar else f"unknown option; known: {', '.join(known)}"


def check_player_limits(seat_count: int, players_min: int, players_max: int) -> None:
    """Raise OptionsError if a match has fewer or more seats than its ruleset allows."""
    seats = format_count(seat_count, "seat")
    if seat_count < players_min:
        raise OptionsError([OptionError("players_min", players_min, f"the match has {seats}")])
    if seat_count > players_max:
        raise OptionsError([OptionError("players_max", players_max, f"the match has {seats}")])


def whole_number_reader(first: int, last: int) -> OptionReader:
    """Return a reader of whole numbers from `first` to `last`."""

    def read(field: str, value: object) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and first <= value <= last:
            return value
        raise OptionError(field, value, f"expected a whole number from {first} to {last}")

    return read


def read_flag(field: str, value: object) -> bool:
    """Return a boolean unchanged. Raises OptionError for anything else."""
    if isinstance(value, bool):
        return value
    raise OptionError(field, value, "expected true or false")
