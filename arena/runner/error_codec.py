"""Errors of the arena as they cross the line: by name, with their text, their notes and what they know besides."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from arena import errors
from arena.errors import ArenaError, OptionError, OptionsError

_FAULTS: Final = "faults"


class ErrorMessage(msgspec.Struct, frozen=True, omit_defaults=True):
    """An error."""

    kind: str
    """Name of a class in `arena.errors`."""
    text: str
    attributes: Mapping[str, Any] = {}
    notes: Sequence[str] = ()
    faults: Sequence["ErrorMessage"] = ()
    """Of an OptionsError, each refused option."""


def describe_error(error: ArenaError) -> ErrorMessage:
    """Describe an error. One that is defined elsewhere is described as the nearest of `arena.errors` that it is."""
    kind = next(kind for kind in type(error).__mro__ if getattr(errors, kind.__name__, None) is kind)
    own = {name: _to_plain(value) for name, value in vars(error).items() if name not in (_FAULTS, "__notes__")}
    faults = [describe_error(fault) for fault in error.faults] if isinstance(error, OptionsError) else []
    return ErrorMessage(kind.__name__, str(error), own, getattr(error, "__notes__", ()), faults)


def restore_error(message: ErrorMessage) -> ArenaError:
    """Give the error that was described, with its text and attributes as they were."""
    kind: type[ArenaError] = getattr(errors, message.kind)
    error = kind.__new__(kind, message.text)
    Exception.__init__(error, message.text)
    for name, value in message.attributes.items():
        setattr(error, name, tuple(value) if isinstance(value, list) else value)
    if isinstance(error, OptionsError):
        error.faults = tuple(fault for fault in map(restore_error, message.faults) if isinstance(fault, OptionError))
    for note in message.notes:
        error.add_note(note)
    return error


def _to_plain(value: object) -> object:
    """What crosses the line of an error's attribute: plain values as they are, anything else as its text."""
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return value
    if isinstance(value, Sequence):
        return [_to_plain(each) for each in value]
    return str(value)
