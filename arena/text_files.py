"""Reads the files that people write, whatever their editor puts at the beginning."""

import tomllib
from typing import Any

from arena.errors import NotationError


def decode_text(data: bytes, label: str) -> str:
    """Return the text of a file in UTF-8, without a byte order mark. Raises NotationError, which calls it `label`."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:  # ASCII in UTF-16 is also valid UTF-8
        raise NotationError(label, "UTF-8, and it has another encoding, perhaps UTF-16: save it as UTF-8")
    return text


def parse_toml(text: str, label: str) -> dict[str, Any]:
    """Return the values of a text in TOML. Raises NotationError, which calls it `label`."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also for a huge number, and for tables nested a thousand deep
        raise NotationError(label, f"TOML ({error})") from error


def describe_quotes(value: object) -> str:
    """Return what is expected where a text should be and a number or another value is.

    >>> describe_quotes(0.2)
    'a text in quotes: "0.2"'
    """
    is_plain = isinstance(value, bool | int | float)
    return f'a text in quotes: "{str(value).lower()}"' if is_plain else "a text in quotes"
