"""Names of programs: a safe character set, and numbers for names used twice at a table."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Final

MAX_NAME_LENGTH: Final = 32
NAME_RULE: Final = "1 to 32 letters a-z, digits, spaces or . _ + -, with a letter or digit at both ends"

_NAME_PATTERN: Final = re.compile(r"[0-9A-Za-z](?:[0-9A-Za-z ._+-]{0,30}[0-9A-Za-z])?")
_UNSAFE_PATTERN: Final = re.compile(r"[^0-9A-Za-z ._+-]+")
_TRIMMED_CHARACTERS: Final = " ._+-"


def is_valid_name(text: str) -> bool:
    """Return whether a text is a valid program name."""
    return _NAME_PATTERN.fullmatch(text) is not None


def safe_name(text: str) -> str:
    """Return a valid name made from any text: unsafe characters become "-", and the rest is cut to length.

    >>> safe_name("my_bot(2)")
    'my_bot-2'
    """
    plain = _UNSAFE_PATTERN.sub("-", unicodedata.normalize("NFKC", text)).strip(_TRIMMED_CHARACTERS)
    return plain[:MAX_NAME_LENGTH].strip(_TRIMMED_CHARACTERS) or "bot"


def number_duplicates(names: Sequence[str]) -> list[str]:
    """Number programs of the same name, in order; a unique name stays as it is.

    >>> number_duplicates(["A", "B", "A"])
    ['A#1', 'B', 'A#2']
    """
    counts = Counter(names)
    taken = {name for name, count in counts.items() if count == 1}
    result = []
    for name in names:
        unique = name if counts[name] == 1 else _first_free(name, taken)
        taken.add(unique)
        result.append(unique)
    return result


def _first_free(name: str, taken: set[str]) -> str:
    """Return the name with the first number that is not taken."""
    number = 1
    while True:
        suffix = f"#{number}"
        unique = name[: MAX_NAME_LENGTH - len(suffix)] + suffix
        if unique not in taken:
            return unique
        number += 1
