"""Reads and writes options of rules and paces as text: on the wire, on a command line, in a file."""

import re
from typing import Final

_NOT_SET: Final = "none"
_WHOLE_NUMBER: Final = re.compile(r"-?[0-9]{1,9}")


def parse_option_text(example: object, text: str) -> object:
    """Return the value of an option's text, in the type of its default, `example`.

    The type is a number, true or false, or a list with commas. A default of `none` stands for a number that is not set,
    so the text is read as a number. Text that does not fit the type is returned unchanged.
    """
    if isinstance(example, bool):
        return {"true": True, "false": False}.get(text.lower(), text)
    if isinstance(example, int) or example == _NOT_SET:
        return int(text) if _WHOLE_NUMBER.fullmatch(text) else text
    if isinstance(example, list | tuple):
        return [word.strip() for word in text.split(",") if word.strip()]
    return text


def format_option(value: object) -> str:
    """Return a plain value as it is written on the command line."""
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
