"""Reasons why a format cannot be played, in one sentence each."""

from collections.abc import Iterator

from arena.errors import OptionError
from arena.league.field import Entry, Field

FEWEST_SEATS, MOST_SEATS = 2, 10


def why_not_seated(name: str, field: Field) -> list[OptionError]:
    """Give the reasons that hold for every format: the size of a table, and too few to fill one."""
    faults = []
    if not FEWEST_SEATS <= field.seats <= MOST_SEATS:
        faults.append(OptionError("seats", field.seats, f"expected {FEWEST_SEATS} to {MOST_SEATS} at a table"))
    count = len(field.entered(1))
    if count < field.seats:
        wanted = f"expected at least {field.seats} entrants in the first round, one for each seat; there are {count}"
        faults.append(OptionError("format", name, wanted))
    return faults


def below_one(**options: int | None) -> list[OptionError]:
    """Refuse every option that is a number below 1."""
    return [OptionError(name, number, "expected 1 or more") for name, number in options.items() if _is_low(number)]


def _is_low(number: int | None) -> bool:
    return number is not None and number < 1


def why_not_first(entry: Entry) -> OptionError | None:
    """Refuse an entry before the first round."""
    return OptionError("since", entry.since, "expected a round, from 1") if entry.since < 1 else None


def not_late(name: str, entry: Entry) -> OptionError:
    """Refuse somebody late, whoever it is."""
    return OptionError("since", entry.since, f"nobody can join a {name} late: expected round 1 for {entry.name!r}")


def late(field: Field) -> Iterator[Entry]:
    """Those who come after the first round."""
    return (entry for entry in field.entries if entry.since != 1)


def is_settled(field: Field) -> bool:
    """Tell whether everybody is in it from the first round to the end."""
    return all(entry.since == 1 and entry.until is None for entry in field.entries)
