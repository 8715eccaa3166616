"""The schema of a league file: its keys, their types, and the line of each key for error messages.

A value of the wrong type is reported and left out, so that the rest can be read and checked too. `league_reader` checks
whether the values make sense.
"""

import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from datetime import date, datetime, time
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from arena.errors import OptionError, OptionsError, describe_refused_option
from arena.text_files import describe_quotes

RuleValue = str | int | bool | list[str] | list[int]
KeyPath = tuple[str | int, ...]

_HEADER: Final = re.compile(r"\s*\[(\[?)\s*([\w.-]+)\s*\]")
_KEY: Final = re.compile(r"\s*([\w.-]+)\s*=")
_NO_SUCH_VALUE: Final = object()
ONE_LINE_RULE: Final = "one line of printable text, with no blank at either end"


def is_one_line(text: str) -> bool:
    """Return whether a text is one printable line, so that people can copy it exactly."""
    return text.isprintable() and text == text.strip() != ""


def _check_one_line(text: str) -> str:
    """Return the text if it is empty or one line; otherwise raise PydanticCustomError."""
    if text and not is_one_line(text):
        raise PydanticCustomError("one_line", f"Input should be {ONE_LINE_RULE}")
    return text


def _check_moment(value: object) -> object:
    """Return a date and time that has an offset from UTC; otherwise raise PydanticCustomError."""
    if not isinstance(value, datetime) or value.tzinfo is None:
        allowed = "a date and time with its offset, without quotes, such as 2026-12-01 18:00:00+01:00"
        raise PydanticCustomError("moment", "Input should be {allowed}", {"allowed": allowed})
    return value


Moment = Annotated[datetime, BeforeValidator(_check_moment)]


class EntrantSchema(BaseModel):
    """An entrant as the file has it. Missing texts are empty."""

    model_config = ConfigDict(extra="forbid", strict=True)

    bot: Annotated[str, Field(min_length=1)] = ""
    name: str = ""
    owner: Annotated[str, Field(max_length=64)] = ""
    environment: dict[str, str] = {}


class DateSchema(BaseModel):
    """A date as the file has it; missing keys are None."""

    model_config = ConfigDict(extra="forbid", strict=True)

    opens: Moment | None = None
    closes: Moment | None = None
    rounds: Annotated[int, Field(ge=1, le=100_000)] | None = None


class LeagueSchema(BaseModel):
    """A league as the file has it. Missing keys have their defaults."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str = ""
    format: str = ""
    games: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    rounds: Annotated[int, Field(ge=1, le=100_000)] | None = None
    passes: Annotated[int, Field(ge=1, le=1_000)] | None = None
    bye: Annotated[float, Field(ge=0, le=1)] | None = None
    challenger: str | None = None
    tables: Annotated[int, Field(ge=1, le=64)] | None = None
    play_off: Annotated[int, Field(ge=0, le=100_000)] | None = None
    budget: str | None = None
    seats: Annotated[int, Field(ge=2, le=10)] = 4
    game: str = ""
    preset: str = ""
    rules: dict[str, RuleValue] = {}
    pace: Literal["sealed", "live"] = "sealed"
    pace_settings: dict[str, int | bool] = {}
    anonymous: bool = False
    decided_by: Literal["points", "rating"] = "points"
    untrusted: bool | None = None
    submitted_from: str = ""
    public_entropy: Annotated[str, Field(max_length=200), AfterValidator(_check_one_line)] = ""
    dates: Annotated[list[DateSchema], Field(max_length=1_000)] = []
    bots: str = ""
    entrants: list[EntrantSchema] = []


MOST_FAULTS: Final = 100
"""The most errors of a file that are reported at once."""


class LeagueFileError(OptionError):
    """An error in a file. `line` is the key's line, counted from 1, or None if it is unknown."""

    def __init__(self, field: str, value: object, allowed: str, line: int | None = None) -> None:
        super().__init__(field, value, allowed)
        self.line = line

    def __str__(self) -> str:
        where = self.field if self.line is None else f"{self.field} (line {self.line})"
        return describe_refused_option(where, self.value, self.allowed)


class ErrorCollector:
    """Collects the errors in one file. An error inside a key that is already reported is skipped."""

    def __init__(self, text: str) -> None:
        self.all: list[LeagueFileError] = []
        self._lines = find_key_lines(text)

    def add(self, key: str, value: object, expected: str) -> None:
        """Report an error; after MOST_FAULTS of them, report nothing more. A value of None: the key is missing."""
        if len(self.all) < MOST_FAULTS and not any(
            key == each.field or key.startswith((f"{each.field}.", f"{each.field}[")) for each in self.all
        ):
            self.all.append(self.make_error(key, value, expected))

    def add_all(self, error: OptionsError) -> None:
        for each in error.faults:
            self.add(each.field, each.value, each.allowed)

    def make_error(self, key: str, value: object, expected: str) -> LeagueFileError:
        """Return an error without reporting it."""
        # the last place is the entrant that should have the key
        places = (key, f"rules.{key}", f"pace_settings.{key}", key.rpartition(".")[0])
        line = next((self._lines[place] for place in places if place in self._lines), None)
        return LeagueFileError(key, value, expected, line)


def parse_league_schema(given: Mapping[str, Any], faults: ErrorCollector) -> LeagueSchema:
    """Return the valid part of a file, and report the rest."""
    values = deepcopy(dict(given))
    try:
        return LeagueSchema(**values)
    except ValidationError as error:
        reasons: dict[KeyPath, dict[str, None]] = {}
        for each in error.errors():
            if path := _longest_existing_path(each["loc"], given):
                reasons.setdefault(path, {})[_reason_of(each)] = None
    for path, texts in reasons.items():
        key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")
        value = _value_at(path, given)
        shown = str(value) if isinstance(value, date | time) else value  # dates of TOML, as they are written
        faults.add(key, shown, " or ".join(texts))
        _remove_value(path, values)
    return LeagueSchema(**values)


def find_key_lines(text: str) -> dict[str, int]:
    """Return the line, counted from 1, of each TOML key, such as `seats`, `rules.max_turns` or `entrants[0].bot`."""
    lines: dict[str, int] = {}
    section, counts = "", dict[str, int]()
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            section = _section_key(header[2], counts, is_new=bool(header[1]))
            lines.setdefault(section, number)
        elif key := _KEY.match(line):
            lines.setdefault(f"{section}.{key[1]}".lstrip("."), number)
    return lines


# ---- inside


def _reason_of(error: ErrorDetails) -> str:
    """Return why pydantic refuses a value."""
    if error["type"] == "extra_forbidden":
        return "unknown key"
    text = describe_quotes(error["input"]) if error["type"] == "string_type" else error["msg"]
    return f"expected {text.removeprefix('Input should be ').lower()}"


def _section_key(name: str, counts: dict[str, int], is_new: bool) -> str:
    """Return the key of a TOML table. `is_new` says that the table is the next item of a list."""
    if is_new:
        counts[name] = counts.get(name, -1) + 1
    first, dot, rest = name.partition(".")
    return f"{first}[{counts[first]}]{dot}{rest}" if first in counts else name


def _longest_existing_path(path: Sequence[str | int], values: Any) -> KeyPath:
    """Return the part of an error's path that exists in the file. Pydantic may add the name of a type at its end."""
    for length in range(len(path), 0, -1):
        if _value_at(path[:length], values) is not _NO_SUCH_VALUE:
            return tuple(path[:length])
    return ()


def _value_at(path: Sequence[str | int], values: Any) -> Any:
    for part in path:
        try:
            values = values[part]
        except (KeyError, IndexError, TypeError):
            return _NO_SUCH_VALUE
    return values


def _remove_value(path: KeyPath, values: Any) -> None:
    """Remove a value. An item of a list becomes an empty TOML table, so that later items keep their numbers."""
    *way, last = path
    holder = _value_at(way, values)
    if isinstance(holder, list):
        holder[int(last)] = {}
    elif isinstance(holder, dict):
        holder.pop(last, None)
