"""Checks the names of bots, owners and tokens, and finds names that people would take for each other."""

import re
import unicodedata
from typing import Final

from arena.errors import OptionError

_NAME_PATTERN: Final = re.compile(r"(?!cat_|cai_)[0-9A-Za-z](?:[0-9A-Za-z ._+#-]{0,30}[0-9A-Za-z])?")
_ALLOWED: Final = (
    "1 to 32 letters a-z, digits, spaces or . _ + # -, with a letter or digit at both ends, not cat_ or cai_ first"
)
_SEPARATORS: Final = " ._+#-"
_LOOK_ALIKES: Final = str.maketrans(
    {"0": "o", "1": "l", "i": "l", "2": "z", "5": "s", "8": "b"} | dict.fromkeys(_SEPARATORS)
)
_LOOK_ALIKE_PAIRS: Final = (("rn", "m"), ("vv", "w"))
"""From the confusables of Unicode (UTS 39), as far as names may contain these characters."""


def normalize_name(name: str, field: str = "name") -> str:
    """Return a name in its canonical form (NFKC).

    If the name is invalid, raises an OptionError that names the option `field`.

    Letters of other scripts are refused, including those that look like Latin letters.
    """
    plain = unicodedata.normalize("NFKC", name)
    if _NAME_PATTERN.fullmatch(plain) is None:
        raise OptionError(field, name, _ALLOWED)
    return plain


def name_skeleton(name: str) -> str:
    """Return a text that is the same for all names that look alike. It is never empty for a canonical name.

    >>> name_skeleton("Corn-1"), name_skeleton("c0m i"), name_skeleton("other")
    ('coml', 'coml', 'other')
    """
    letters = name.casefold().translate(_LOOK_ALIKES)
    for pair, letter in _LOOK_ALIKE_PAIRS:
        letters = letters.replace(pair, letter)
    return letters
