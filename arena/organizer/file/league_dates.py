"""The dates of a league's file: checked, and divided among the rounds of the league's format.

    [[dates]]                                        one entry for each time at which bots have to be online
    rounds = 2                                       optional: the number of rounds on this date
    opens = 2026-12-01 18:00:00+01:00
    closes = 2026-12-01 22:00:00+01:00

If no entry has `rounds`, the rounds are divided evenly, and a play-off gets the last date.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import accumulate, pairwise
from typing import Any, Final

from arena.competition.formats import Format
from arena.competition.league.field import Field
from arena.competition.league.model import RoundDate
from arena.errors import OptionError, OptionsError
from arena.ids import WallTime
from arena.organizer.file.league_schema import DateSchema, ErrorCollector
from arena.plurals import format_count

_DAY_S: Final = 86_400
MAX_DATE_DAYS: Final = 92
"""The largest number of days from the opening to the close of a date."""
MAX_PAUSE_DAYS: Final = 366
"""The largest number of days from now to the first opening, and from each close to the next opening."""
_IS_YEAR_RIGHT: Final = "is the year right?"


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """A date as the league's file has it."""

    opens: WallTime
    closes: WallTime
    rounds: int | None = None
    """The number of rounds on this date; None if the rounds are divided evenly."""


def parse_dates(written: Sequence[DateSchema], faults: ErrorCollector) -> tuple[WrittenDate, ...]:
    """Return the dates of a file, and collect the errors in them. Use the result only if there are no errors."""
    found = []
    for index, each in enumerate(written):
        for name in ("opens", "closes"):
            if getattr(each, name) is None:
                faults.add(f"dates[{index}].{name}", None, "it has to be there")
        if each.opens is None or each.closes is None:
            continue
        found.append(WrittenDate(each.opens.timestamp(), each.closes.timestamp(), each.rounds))
        if reason := _why_not_date(found[-1]):
            faults.add(f"dates[{index}].closes", str(each.closes), reason)
        if len(found) > 1 and (reason := _why_not_after(found[-2], found[-1])):
            faults.add(f"dates[{index}].opens", str(each.opens), reason)
    if len({each.rounds is None for each in written}) > 1:
        index = next(index for index, each in enumerate(written) if each.rounds is None)
        faults.add(f"dates[{index}].rounds", None, "say it of each date or of none")
    return tuple(found)


def assign_rounds(written: Sequence[WrittenDate], league_format: Format, field: Field) -> tuple[RoundDate, ...]:
    """Return the dates with their rounds. Raises OptionsError if they do not suit the format."""
    if not written:
        return ()
    size = league_format.size(field)
    if size.rounds is None:
        raise OptionsError([OptionError("rounds", None, f"a {league_format.name} with dates says how many it has")])
    counts = [each.rounds for each in written if each.rounds is not None]
    total = size.rounds + bool(size.play_off)
    if not counts:
        counts = _divide_rounds(size.rounds, len(written) - bool(size.play_off)) + [1] * bool(size.play_off)
    if sum(counts) != total or len(counts) != len(written) or 0 in counts:
        play_off = ", one of them for the play-off" if size.play_off else ""
        raise OptionsError(
            [
                OptionError(
                    "dates",
                    f"{format_count(len(written), 'date')} for {format_count(sum(counts), 'round')}",
                    f"the league has {total}{play_off}",
                )
            ]
        )
    lasts = list(accumulate(counts))
    dates = tuple(
        RoundDate(last - count + 1, last, each.opens, each.closes)
        for each, count, last in zip(written, counts, lasts, strict=True)
    )
    if faults := list(_find_dependences(dates, league_format, field)):
        raise OptionsError(faults)
    return dates


def check_dates_ahead(dates: Sequence[RoundDate], now: float) -> None:
    """Raise OptionsError if dates of a league that is not sealed yet have passed or are more than a year ahead."""
    faults = [
        OptionError(f"dates[{index}].closes", format_utc(date.closes), f"it has passed already: {_IS_YEAR_RIGHT}")
        for index, date in enumerate(dates)
        if date.closes <= now
    ]
    if not faults and dates and dates[0].opens - now > MAX_PAUSE_DAYS * _DAY_S:
        words = f"it is more than {MAX_PAUSE_DAYS} days ahead: {_IS_YEAR_RIGHT}"
        faults.append(OptionError("dates[0].opens", format_utc(dates[0].opens), words))
    if faults:
        raise OptionsError(faults)


def why_not_close(date: RoundDate, closes: float) -> str:
    """Return why a date cannot be extended to this close; empty if it can."""
    if closes <= date.closes:
        return f"the round closes at {format_utc(date.closes)} already, and can only be extended"
    return _why_not_date(WrittenDate(date.opens, closes))


def describe_dates(dates: Sequence[RoundDate]) -> list[Mapping[str, Any]]:
    """Return dates as plain values to seal; `restore_dates` reads them."""
    return [
        {
            "rounds": date.last - date.first + 1,
            "opens": datetime.fromtimestamp(date.opens, UTC).isoformat(),
            "closes": datetime.fromtimestamp(date.closes, UTC).isoformat(),
        }
        for date in dates
    ]


def restore_dates(values: Sequence[Mapping[str, Any]]) -> tuple[RoundDate, ...]:
    lasts = accumulate(each["rounds"] for each in values)
    return tuple(
        RoundDate(
            last - each["rounds"] + 1,
            last,
            datetime.fromisoformat(each["opens"]).timestamp(),
            datetime.fromisoformat(each["closes"]).timestamp(),
        )
        for each, last in zip(values, lasts, strict=True)
    )


def parse_moment(name: str, text: str) -> datetime:
    """Return a time given in ISO 8601 with an offset. Raises OptionError naming the option `name` for other texts."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = datetime.min  # noqa: DTZ901  has no offset, and so is refused
    if moment.tzinfo is None:
        raise OptionError(name, text, "expected a date and time with its offset, such as 2026-12-10 22:00+01:00")
    return moment


def describe_rounds(first: int, last: int) -> str:
    """Return the rounds of a date in words.

    >>> describe_rounds(2, 2), describe_rounds(1, 10)
    ('round 2', 'rounds 1 to 10')
    """
    return f"round {first}" if first == last else f"rounds {first} to {last}"


def format_utc(moment: float) -> str:
    """Return a time, in seconds since 1970, as text in UTC. Seconds are left out if they are 0.

    >>> format_utc(1_800_000_000.0), format_utc(1_800_000_001.5)
    ('2027-01-15 08:00 UTC', '2027-01-15 08:00:01 UTC')
    """
    text = datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M:%S").removesuffix(":00")
    return f"{text} UTC"


# ---- inside


def _why_not_date(date: WrittenDate) -> str:
    """Return why a date is refused; empty if it is valid."""
    if date.closes <= date.opens:
        return "a date closes after it opens"
    days = (date.closes - date.opens) / _DAY_S
    return (
        f"a date lasts at most {MAX_DATE_DAYS} days, not {days:.0f}: {_IS_YEAR_RIGHT}" if days > MAX_DATE_DAYS else ""
    )


def _why_not_after(before: WrittenDate, date: WrittenDate) -> str:
    """Return why a date cannot follow the one before it; empty if it can."""
    if date.opens < before.opens:
        return f"dates stand in order, and the one before opens at {format_utc(before.opens)}: {_IS_YEAR_RIGHT}"
    days = (date.opens - before.closes) / _DAY_S
    return f"that is {days:.0f} days after the date before: {_IS_YEAR_RIGHT}" if days > MAX_PAUSE_DAYS else ""


def _divide_rounds(rounds: int, dates: int) -> list[int]:
    """Return how many rounds each date gets: as equal as possible, the larger numbers first.

    >>> _divide_rounds(7, 3), _divide_rounds(1, 2), _divide_rounds(1, 0)
    ([3, 2, 2], [1, 0], [])
    """
    return [rounds // dates + (index < rounds % dates) for index in range(dates)]


def _find_dependences(dates: Sequence[RoundDate], league_format: Format, field: Field) -> Iterator[OptionError]:
    """Yield an error for each round that might begin before the results that it depends on are known."""
    for index, date in enumerate(dates):
        for number in range(date.first + 1, date.last + 1):
            if league_format.depends_on_results(number, field):
                reason = f"round {number} is drawn from the results of the round before, so it needs its own date"
                yield OptionError(f"dates[{index}].rounds", date.last - date.first + 1, reason)
                break
    for index, (before, date) in enumerate(pairwise(dates), 1):
        if date.opens < before.closes and league_format.depends_on_results(date.first, field):
            reason = (
                f"round {date.first} is drawn from the results of the round before,"
                f" which closes at {format_utc(before.closes)}: open it after that"
            )
            yield OptionError(f"dates[{index}].opens", format_utc(date.opens), reason)
