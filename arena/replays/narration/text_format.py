"""Formats text for all narrations: durations, lists, places and the protocol's refusals."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from arena.match.referee.orders import Refusal
from arena.plurals import format_count

_REPEATS: Final = re.compile(r"(?<![^ ])(\S+)(?: \1){2,}(?![^ ,;])")
_FORMULA_STARTS: Final = tuple("=+-@\t\r\n＝＋－＠")  # noqa: RUF001  the wide forms count as well
"""Characters that a cell must not begin with: OWASP, "CSV Injection"."""

REFUSALS: Mapping[str, str] = {
    Refusal.UNKNOWN_PROMPT: "it names no question that this bot was asked recently",
    Refusal.LATE: "it came too late",
    Refusal.ALREADY_ANSWERED: "the question was answered already",
    Refusal.ACTION_ID_CONFLICT: "its action id was used for another answer",
    Refusal.TOO_EARLY: "it came before answers counted",
    Refusal.MALFORMED: "it cannot be read",
    Refusal.NOTE_TOO_LONG: "its note is too long",
    Refusal.ENTROPY_MISMATCH: "its entropy is not what it had promised",
}
"""Texts of the protocol's refusals. The refusals of a game's rules have texts in the phrasing of that game."""


def format_duration(us: int) -> str:
    """Return a duration in microseconds as text, in ms or s.

    >>> format_duration(412), format_duration(8_250), format_duration(2_000_000)
    ('0.4 ms', '8.2 ms', '2 s')
    """
    if us < 100_000:
        return f"{us / 1000:.1f} ms"
    return f"{us / 1000:.0f} ms" if us < 1_000_000 else f"{round(us / 1_000_000, 3):g} s"


def format_rough_duration(seconds: float) -> str:
    """Return a duration in seconds as rounded text, in s, min, h or days.

    >>> [format_rough_duration(seconds) for seconds in (40, 600, 9_000, 604_800)]
    ['40 s', '10 min', '2.5 h', '7 days']
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172_800 else format_count(round(seconds / 86_400, 1), "day", "g")


def format_seconds(us: int) -> str:
    """Return microseconds as seconds, with three decimals.

    >>> format_seconds(1_234_567)
    '1.235'
    """
    return f"{us / 1_000_000:.3f}"


def join_words(words: Iterable[object], last: str = "and") -> str:
    """Join words as in a sentence, with `last` before the final one.

    >>> join_words("ABC"), join_words("AB", "or"), join_words("A")
    ('A, B and C', 'A or B', 'A')
    """
    texts = [str(word) for word in words]
    return f" {last} ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def format_seats(numbers: Sequence[int]) -> str:
    """Return seat numbers as text.

    >>> format_seats([1]), format_seats([0, 2])
    ('seat 1', 'seats 0 and 2')
    """
    return f"seat{'s' if len(numbers) != 1 else ''} {join_words(numbers)}"


def escape_unprintable(text: str) -> str:
    r"""Make text from outside safe to print: replace every unprintable character by its escape.

    >>> print(escape_unprintable("a\x1b[2Jb"))
    a\x1b[2Jb
    """
    if text.isprintable():  # as nearly always, and a page has thousands of texts
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


@lru_cache(1 << 14)  # names and endings repeat
def safe_cell_text(text: str) -> str:
    """Return the text made harmless for a spreadsheet: a formula gets an apostrophe, controls become escapes.

    >>> safe_cell_text("=SUM(A1)"), safe_cell_text("a-b")
    ("'=SUM(A1)", 'a-b')
    """
    return ("'" if text.lstrip(" ").startswith(_FORMULA_STARTS) else "") + escape_unprintable(text)


def fold_repeats(text: str) -> str:
    """Return a text in which a word that stands three or more times in a row is written once, with its number.

    >>> fold_repeats("holds AC AC AC AC KD KD")
    'holds 4*AC KD KD'
    """
    return _REPEATS.sub(lambda found: f"{len(found[0].split())}*{found[1]}", text)


def format_places(places: Iterable[tuple[str, int]]) -> str:
    """Return names with their places, the best place first.

    >>> format_places([("Ann", 2), ("Bob", 1)])
    '1 Bob, 2 Ann'
    """
    return ", ".join(f"{place} {name}" for name, place in sorted(places, key=lambda each: each[1]))
