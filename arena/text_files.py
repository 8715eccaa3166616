"""Reads the files that people write, whatever their editor puts at the beginning."""

import re
import tomllib
from collections.abc import Iterable
from typing import Any, Final

from arena.errors import NotationError, quote

_MOST_LEVELS: Final = 16
"""How deep tables and lists may be in each other: more than any file needs, and less than Python can walk through."""

_NESTING: Final = f"at most {_MOST_LEVELS} levels of tables and lists"
_LONG_KEY: Final = re.compile(r"""(?<![\w-])(?:(?>[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*+\.[ \t]*+){64}""")
"""A key with at least 64 parts."""
_INTEGER_BITS: Final = 63
"""The bits of TOML's largest whole number, without the sign."""


def decode_text(data: bytes, label: str) -> str:
    """Return the text of a file in UTF-8, without a byte order mark. Raises NotationError, which calls it `label`."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:  # ASCII in UTF-16 is also valid UTF-8
        raise NotationError(label, "UTF-8, not another encoding such as UTF-16: save it as UTF-8")
    return text


def parse_toml(text: str, label: str) -> dict[str, Any]:
    """Return the values of a text in TOML. Raises NotationError, which calls it `label`."""
    if _LONG_KEY.search(text):  # tomllib would take seconds for one with thousands of parts
        raise NotationError(label, f"TOML with {_NESTING}")
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also for a huge number, and for lists nested a thousand deep
        raise NotationError(label, f"TOML ({error})") from error
    level: list[object] = [values]
    for _ in range(_MOST_LEVELS):
        level = [inner for each in level for inner in _inner_values(each)]
        if any(isinstance(each, int) and each.bit_length() > _INTEGER_BITS for each in level):
            raise NotationError(label, "TOML with whole numbers of at most 64 bits")
    if level:
        raise NotationError(label, f"TOML with {_NESTING}")
    return values


def _inner_values(value: object) -> Iterable[object]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def describe_quotes(value: object) -> str:
    """Return what is expected in place of a value that is no text.

    >>> describe_quotes(0.2)
    'a text in quotes: "0.2"'
    """
    is_plain = isinstance(value, bool | int | float)
    return f'a text in quotes: "{quote(value).lower()}"' if is_plain else "a text in quotes"
