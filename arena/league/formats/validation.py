"""Reasons why a format cannot be played, in one sentence each."""

from collections.abc import Iterator

from arena.errors import OptionError
from arena.league.field import Entry, Field

MIN_SEATS, MAX_SEATS = 2, 10


def why_field_unseatable(name: str, field: Field) -> list[OptionError]:
    """Give the reasons that hold for every format: the size of a table, and too few to fill one."""
    faults = []
    if not MIN_SEATS <= field.seats <= MAX_SEATS:
        faults.append(OptionError("seats", field.seats, f"expected {MIN_SEATS} to {MAX_SEATS} at a table"))
    count = len(field.names_entered(1))
    if count < field.seats:
        wanted = f"expected at least {field.seats} entrants in the first round, one for each seat; there are {count}"
        faults.append(OptionError("format", name, wanted))
    return faults


def options_below_one(**options: int | None) -> list[OptionError]:
    """Refuse every option that is a number below 1."""
    return [
        OptionError(name, number, "expected 1 or more") for name, number in options.items() if _is_below_one(number)
    ]


def _is_below_one(number: int | None) -> bool:
    return number is not None and number < 1


def why_entry_round_invalid(entry: Entry) -> OptionError | None:
    """Refuse an entry before the first round."""
    return OptionError("since", entry.since, "expected a round, from 1") if entry.since < 1 else None


def late_entry_error(name: str, entry: Entry) -> OptionError:
    """Refuse somebody late, whoever it is."""
    return OptionError("since", entry.since, f"nobody can join a {name} late: expected round 1 for {entry.name!r}")


def late_entries(field: Field) -> Iterator[Entry]:
    """Those who come after the first round."""
    return (entry for entry in field.entries if entry.since != 1)


def has_constant_entrants(field: Field) -> bool:
    """Tell whether everybody is in it from the first round to the end."""
    return all(entry.since == 1 and entry.until is None for entry in field.entries)
