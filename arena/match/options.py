"""Reads options: plain values become typed values, every refused value a fault. Reads and writes them as text too."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

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
        raise OptionsError(
            [OptionError("players_min", players_min, f"expected at most {seat_count}: the match has {seats}")]
        )
    if seat_count > players_max:
        raise OptionsError(
            [OptionError("players_max", players_max, f"expected at least {seat_count}: the match has {seats}")]
        )


def whole_number_reader(first: int, last: int) -> OptionReader:
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


_NOT_SET: Final = "none"
_WHOLE_NUMBER: Final = re.compile(r"-?[0-9]{1,9}")


def parse_option_text(example: object, text: str) -> object:
    """Return the value of an option's text, in the type of its default, `example`.

    The type is a number, true or false, or a list with commas. A default of `none` stands for a number that is not set,
    so the text is read as a number. Text that does not fit the type is returned unchanged.
    """
    if isinstance(example, bool):
        return {"true": True, "false": False}.get(text.lower(), text)
    if isinstance(example, int) or example == _NOT_SET:
        return int(text) if _WHOLE_NUMBER.fullmatch(text) else text
    if isinstance(example, list | tuple):
        return [word.strip() for word in text.split(",") if word.strip()]
    return text


def format_option(value: object) -> str:
    """Return a plain value as it is written on the command line."""
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
