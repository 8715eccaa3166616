"""Writes refused options as the user typed them: `--seats 0: …`, instead of the key that files and the protocol use."""

import itertools
import shlex
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from arena.errors import OptionError

_FLAG_NAMES: Final[Mapping[str, str]] = {"game_count": "games", "web_port": "web"}
"""The names of flags whose keys have another name."""
_NOTHING: Final = ("", "None", "0", "[]")
"""The texts of values that stand for a flag that was not given."""


def refusal_text(fault: OptionError, words: Sequence[str], flags: Collection[str]) -> str:
    """Return a sentence that says which part of the command line is refused, and why.

    `words` is the command line, and `flags` has all flags of its command. If the refused value comes from elsewhere,
    such as a file or the environment, return the error's own text, which names the key.
    """
    where = None if type(fault) is not OptionError else _find_typed(fault, words, flags)
    return str(fault) if where is None else f"{where}: {fault.allowed}"


def _find_typed(fault: OptionError, words: Sequence[str], flags: Collection[str]) -> str | None:
    """Return the part of the command line that a fault is about; None if there is none."""
    setting = next((text for text in _values_of("--set", words) if text.partition("=")[0] == fault.field), None)
    if setting is not None:
        return f"--set {_quote(setting)}"
    prefixed = f"{fault.field}:{fault.value}"  # as in remote:NAME
    if prefixed in words:
        return _quote(prefixed)
    flag = f"--{_FLAG_NAMES.get(fault.field, fault.field).replace('_', '-')}"
    if flag not in flags:
        return None
    if fault.value is True or fault.value == flag:
        return flag if flag in words else None
    value, typed = str(fault.value), _values_of(flag, words)
    if not typed:
        return f"{flag} is missing" if value in _NOTHING else None
    if value in typed or any(value.startswith(f"{text}: ") for text in typed):  # FILE, or a key in FILE
        return f"{flag} {_quote(value) if value in typed else value}"
    return f"{flag} {_quote(typed[0])}" if len(typed) == 1 else None


def _quote(text: str) -> str:
    """Return a value as it is typed in a shell, on one line."""
    return shlex.quote(text) if text.isprintable() else repr(text)


def _values_of(flag: str, words: Sequence[str]) -> list[str]:
    """Return the values that were typed for a flag."""
    after = [following for word, following in itertools.pairwise(words) if word == flag]
    return [*after, *(word.removeprefix(f"{flag}=") for word in words if word.startswith(f"{flag}="))]
