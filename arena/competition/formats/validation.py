"""Checks that all formats share. Each returns its reasons as option errors."""

from collections.abc import Iterator

from arena.competition.league.field import Entry, Field
from arena.errors import OptionError

MIN_SEATS, MAX_SEATS = 2, 10


def why_field_unseatable(name: str, field: Field) -> list[OptionError]:
    """Return why no format can seat this field: its table size is invalid, or its entrants do not fill a table."""
    faults = []
    if not MIN_SEATS <= field.seats <= MAX_SEATS:
        faults.append(OptionError("seats", field.seats, f"expected {MIN_SEATS} to {MAX_SEATS} seats at a table"))
    count = len(field.names_entered(1))
    if count < field.seats:
        expected = f"expected at least {field.seats} entrants in the first round, one for each seat; there are {count}"
        faults.append(OptionError("format", name, expected))
    return faults


def options_below_one(**options: int | None) -> list[OptionError]:
    """Return an error for every option that is a number below 1."""
    return [
        OptionError(name, number, "expected 1 or more")
        for name, number in options.items()
        if number is not None and number < 1
    ]


def why_entry_round_invalid(entry: Entry) -> OptionError | None:
    """Return an error for an entry before round 1, otherwise None."""
    return OptionError("since", entry.since, "expected a round number of 1 or more") if entry.since < 1 else None


def late_entry_error(name: str, entry: Entry) -> OptionError:
    return OptionError("since", entry.since, f"no entrant can join a {name} late: expected round 1 for {entry.name!r}")


def late_entries(field: Field) -> Iterator[Entry]:
    """Return the entries that do not start in the first round."""
    return (entry for entry in field.entries if entry.since != 1)


def has_constant_entrants(field: Field) -> bool:
    """Return whether all entrants take part from the first round to the end."""
    return all(entry.since == 1 and entry.until is None for entry in field.entries)
