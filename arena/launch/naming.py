"""The names of programs: which characters a name may have, and how programs that share a name are numbered."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import count
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
    """Number the programs that share a name, in order; a unique name stays as it is.

    >>> number_duplicates(["A", "B", "A"])
    ['A#1', 'B', 'A#2']
    """
    counts = Counter(names)
    taken = {name for name in names if counts[name] == 1}
    result = []
    for name in names:
        suffixes = (f"#{number}" for number in count(1))
        numbered = (name[: MAX_NAME_LENGTH - len(suffix)] + suffix for suffix in suffixes)
        unique = name if counts[name] == 1 else next(each for each in numbered if each not in taken)
        taken.add(unique)
        result.append(unique)
    return result
