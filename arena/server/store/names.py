"""Checks the names of bots, owners and tokens, and finds names that people would take for each other."""

import unicodedata
from typing import Final

from arena.errors import OptionError
from arena.names import SEPARATORS, fold_look_alikes, is_readable_name

_SECRETS: Final = ("cat_", "cai_")
"""What the secrets of tokens and the codes of invitations begin with. A name that did so could be taken for one."""
_ALLOWED: Final = (
    "1 to 32 letters and digits of one script, spaces or . _ + # -, with a letter or digit at both ends,"
    " not cat_ or cai_ first"
)


def normalize_name(name: str, field: str = "name") -> str:
    """Return a name in its canonical form (NFKC).

    If the name is invalid, raises an OptionError that names the option `field`.

    Letters of several scripts are refused, unless people write them together (`arena.names`).
    """
    plain = unicodedata.normalize("NFKC", name)
    if plain.startswith(_SECRETS) or not is_readable_name(plain):
        raise OptionError(field, name, _ALLOWED)
    return plain


def name_skeleton(name: str) -> str:
    """Return a text that is the same for all names that look alike. It is never empty for a canonical name.

    >>> name_skeleton("Corn-1"), name_skeleton("c0m i"), name_skeleton("other")
    ('coml', 'coml', 'other')
    """
    return fold_look_alikes(name, ignored=SEPARATORS)
