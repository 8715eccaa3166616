"""Converts errors of the arena to values that another process can receive, and back."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from arena import errors
from arena.errors import ArenaError, OptionError, OptionsError, quote

_FAULTS: Final = "faults"
_MOST_BITS: Final = 63
"""The bits of the largest numbers that every msgspec encodes."""


class PlainError(msgspec.Struct, frozen=True, omit_defaults=True):
    """The form in which an error of the arena is sent."""

    kind: str
    """Name of the error's class in `arena.errors`."""
    text: str
    attributes: Mapping[str, Any] = {}
    notes: Sequence[str] = ()
    faults: Sequence["PlainError"] = ()
    """One error for each refused option; empty unless the error is an OptionsError."""


def describe_error(error: ArenaError) -> PlainError:
    """Return an error as a value. A class defined elsewhere becomes its nearest base class in `arena.errors`."""
    kind = next(kind for kind in type(error).__mro__ if getattr(errors, kind.__name__, None) is kind)
    own = {name: _to_plain(value) for name, value in vars(error).items() if name not in (_FAULTS, "__notes__")}
    faults = [describe_error(fault) for fault in error.faults] if isinstance(error, OptionsError) else []
    return PlainError(kind.__name__, str(error), own, getattr(error, "__notes__", ()), faults)


def restore_error(plain: PlainError) -> ArenaError:
    """Return the error of `describe_error`, with its original text, attributes and notes."""
    kind: type[ArenaError] = getattr(errors, plain.kind)
    # This bypasses the `__init__` of the class, which would build the text from arguments that were not sent.
    error = kind.__new__(kind, plain.text)
    Exception.__init__(error, plain.text)
    for name, value in plain.attributes.items():
        setattr(error, name, tuple(value) if isinstance(value, list) else value)
    if isinstance(error, OptionsError):
        error.faults = tuple(fault for fault in map(restore_error, plain.faults) if isinstance(fault, OptionError))
    for note in plain.notes:
        error.add_note(note)
    return error


def _to_plain(value: object) -> object:
    """Convert an attribute to a number, text, bytes or list. A value of any other kind is quoted."""
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return quote(value)
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return value
    if isinstance(value, Sequence):
        return [_to_plain(each) for each in value]
    return quote(value)
