"""Formats numbers for the report: signs, percentages, durations and dates. An unknown number is a dash."""

from collections.abc import Callable
from datetime import UTC, datetime
from math import isfinite
from typing import Final

UNKNOWN: Final = "\N{EN DASH}"
_MINUS: Final = "\N{MINUS SIGN}"


def format_number(value: float | None, digits: int = 0) -> str:
    """Return a number with a space between thousands and a real minus sign.

    >>> format_number(-1234.56, 1), format_number(None)
    ('−1 234.6', '–')
    """  # noqa: RUF002  the output has such characters
    if value is None or not isfinite(value):
        return UNKNOWN
    text = f"{abs(value):,.{digits}f}".replace(",", " ")
    return (_MINUS if value < 0 and text.strip("0. ") else "") + text


def format_signed(value: float | None, digits: int = 3) -> str:
    """Return a difference with its sign, plus or minus.

    >>> format_signed(0.1234), format_signed(-0.1), format_signed(0.0)
    ('+0.123', '−0.100', '0.000')
    """  # noqa: RUF002  the output has such characters
    text = format_number(value, digits)
    return f"+{text}" if value is not None and value > 0 and text.strip("0. ") else text


def format_bounds(low: float | None, high: float | None, write: Callable[[float | None], str] = format_number) -> str:
    """Return an interval in words. None is an open end.

    >>> format_bounds(1.0, 2.0), format_bounds(1.0, None), format_bounds(None, 2.0), format_bounds(None, None)
    ('1 to 2', 'above 1', 'below 2', 'no bounds')
    """
    if low is None and high is None:
        return "no bounds"
    if low is None:
        return f"below {write(high)}"
    return f"above {write(low)}" if high is None else f"{write(low)} to {write(high)}"


def format_percent(value: float | None, digits: int = 0) -> str:
    """Return a share of 1 as a percentage.

    >>> format_percent(0.125), format_percent(0.125, 1), format_percent(None)
    ('12 %', '12.5 %', '–')
    """  # noqa: RUF002  the output has such characters
    return UNKNOWN if value is None else f"{100 * value:.{digits}f} %"


def format_percent_cell(value: float | None) -> str:
    """Return a share of 1 as a percentage without the % sign, for a cell. Only an exact 0 or 1 becomes 0 or 100.

    >>> format_percent_cell(0.5), format_percent_cell(0.999), format_percent_cell(1.0), format_percent_cell(None)
    ('50', '>99', '100', '')
    """
    if value is None:
        return ""
    text = f"{100 * value:.0f}"
    return {"0": "<1", "100": ">99"}.get(text, text) if 0 < value < 1 else text


def format_milliseconds(value: float | None) -> str:
    """Return a duration in milliseconds with its unit.

    >>> format_milliseconds(0.412), format_milliseconds(1250.0)
    ('0.41 ms', '1 250 ms')
    """
    if value is None:
        return UNKNOWN
    return f"{format_number(value, 0 if value >= 100 else 1 if value >= 10 else 2)} ms"


def format_utc_time(at: float) -> str:
    """Return seconds since 1970 as date and time.

    >>> format_utc_time(0)
    '1970-01-01 00:00 UTC'
    """
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")


def format_p_value(value: float) -> str:
    """Return a p-value with four decimals, or as less than 0.0001.

    >>> format_p_value(0.034), format_p_value(0.00001)
    ('0.0340', '< 0.0001')
    """
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}"
