"""Makes ids that sort by the time of their creation: ULIDs, 26 characters in Crockford's base 32."""

import os
import time
from collections.abc import Callable
from typing import Final, TypeAlias

WallTime: TypeAlias = float
"""Seconds since 1970, by a clock that may be set."""
ID_LENGTH: Final = 26
"""Characters of an id: 10 for the time, 16 for the random part."""
_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32 leaves out I, L, O and U, which are easily misread."""


def new_id(wall_clock: Callable[[], float] = time.time, draw: Callable[[int], bytes] = os.urandom) -> str:
    """Return a new id: 48 bits for the milliseconds since 1970, then 80 random bits.

    `wall_clock` returns seconds since 1970; `draw` takes a count and returns that many random bytes.

    >>> new_id(lambda: 1469918176.385, bytes)
    '01ARYZ6S410000000000000000'
    """
    return _write_number(_draw_number(wall_clock, draw))


class AscendingIds:
    """Makes ids in ascending order, also within one millisecond and after the clock is set back.

    Readers of the store remember the newest id that they have read, and look for matches after it.
    """

    def __init__(self, wall_clock: Callable[[], float] = time.time, draw: Callable[[int], bytes] = os.urandom) -> None:
        self._wall_clock, self._draw = wall_clock, draw
        self._newest = -1

    def new_id(self) -> str:
        number = _draw_number(self._wall_clock, self._draw)
        if number <= self._newest:
            number = self._newest + 1 + int.from_bytes(self._draw(8))  # a random step, so that nobody can guess it
        self._newest = number
        return _write_number(number)


def id_time(text: str) -> float | None:
    """Return the time at which an id was made, in seconds since 1970; None if the text is not an id.

    >>> id_time("01ARYZ6S41TSV4RRFFQ69G5FAV")
    1469918176.385
    """
    if len(text) != ID_LENGTH or not set(text) <= set(_ALPHABET):
        return None
    number = 0
    for character in text[:10]:
        number = number << 5 | _ALPHABET.index(character)
    return number / 1000


def _draw_number(wall_clock: Callable[[], float], draw: Callable[[int], bytes]) -> int:
    return round(wall_clock() * 1000) << 80 | int.from_bytes(draw(10))


def _write_number(number: int) -> str:
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(5 * (ID_LENGTH - 1), -1, -5))
