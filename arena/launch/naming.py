"""What programs are called: names of a safe set, and numbers for those that sit twice at a table."""

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
    """Tell whether a text can be a program's name as it is."""
    return _NAME_PATTERN.fullmatch(text) is not None


def safe_name(text: str) -> str:
    """Make a name of any text: what is outside the safe set becomes "-", and what is too long is cut.

    >>> safe_name("my_bot(2)")
    'my_bot-2'
    """
    plain = _UNSAFE_PATTERN.sub("-", unicodedata.normalize("NFKC", text)).strip(_TRIMMED_CHARACTERS)
    return plain[:MAX_NAME_LENGTH].strip(_TRIMMED_CHARACTERS) or "bot"


def number_duplicates(names: Sequence[str]) -> list[str]:
    """Tell apart programs of one name, in order; a name that stands alone stays as it is.

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
    """Give the name with the first number that nobody has."""
    number = 1
    while True:
        suffix = f"#{number}"
        unique = name[: MAX_NAME_LENGTH - len(suffix)] + suffix
        if unique not in taken:
            return unique
        number += 1
