"""The names of programs: which characters a name may have, and how programs that share a name are numbered."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import count
from typing import Final

from arena.names import MAX_NAME_LENGTH, is_readable_name

NAME_RULE: Final = (
    "expected 1 to 32 letters and digits of one script, spaces or . _ + -, with a letter or digit at both ends"
)

_SEPARATORS: Final = " ._+-"
"""Without #, which numbers the programs that share a name."""
_UNSAFE_PATTERN: Final = re.compile(r"[^0-9A-Za-z ._+-]+")


def is_valid_name(text: str) -> bool:
    return is_readable_name(text, _SEPARATORS)


def normalize_program_name(text: str) -> str:
    """Return a name in the form in which the server knows it (NFKC). A file name may have another form."""
    return unicodedata.normalize("NFKC", text)


def safe_name(text: str) -> str:
    """Return a valid name made from any text: unsafe characters become "-", and the rest is cut to length.

    >>> safe_name("my_bot(2)"), safe_name("Zoë!"), safe_name("\U0001f600")
    ('my_bot-2', 'Zoë', 'bot')
    """
    plain = normalize_program_name(text)
    letters = "".join(each if _is_letter(each) or each in _SEPARATORS else "\0" for each in plain)
    for candidate in (re.sub("\0+", "-", letters), _UNSAFE_PATTERN.sub("-", plain)):
        name = candidate.strip(_SEPARATORS)[:MAX_NAME_LENGTH].strip(_SEPARATORS)
        if is_valid_name(name):
            return name
    return "bot"


def _is_letter(character: str) -> bool:
    """Return whether a character is a letter, a digit or a mark of a letter."""
    return character.isalnum() or unicodedata.category(character).startswith("M")


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
