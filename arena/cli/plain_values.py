"""Takes option values without pydantic where nothing is to be checked, because importing pydantic makes starts slow.

Typer gives every value to pydantic, even the default of an option that is not given, and loads pydantic for that. This
takes a tenth of the time in which `arena serve` starts.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from typer.core import TyperArgument, TyperOption

_ASK_PYDANTIC: Final = object()
_GET_CONVERTER: Final = TyperOption.get_runtime_param


def load_pydantic_late() -> None:
    """Let all parameters of Typer take plain values; pydantic still converts or refuses all others."""
    for kind in (TyperArgument, TyperOption):
        kind.get_runtime_param = _get_plain_values  # type: ignore[method-assign,assignment]  # Typer has no setting for it


class _PlainValues:
    """Stands in for Typer's object that converts the values of a parameter, and asks for that one only if needed."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return a value as the command gets it. Raises Typer's BadParameter."""
        taken = _take(value, param)
        return _GET_CONVERTER(param).coerce(value, param=param, ctx=ctx) if taken is _ASK_PYDANTIC else taken


def _get_plain_values(_param: Any) -> _PlainValues:
    return _PlainValues()


def _take(value: Any, param: Any) -> Any:
    """Return a plain value as the command gets it, and any other as _ASK_PYDANTIC."""
    kind, info = param.type_descriptor.annotation, param.type_descriptor.parameter_info
    if value is None:
        return () if param.multiple or param.nargs == -1 else None
    if info.parser is not None or param.nargs not in (1, -1):
        return _ASK_PYDANTIC
    if kind == list[str]:
        return list(value) if isinstance(value, list | tuple) and _are_texts(value) else _ASK_PYDANTIC
    if type(value) is kind and (value is param.default or kind is str):
        return value
    if kind is Path and isinstance(value, str | Path) and _is_plain_path(value, info):
        return Path(value)
    return _take_number(value, kind, info) if isinstance(value, str) else _ASK_PYDANTIC


def _are_texts(values: Iterable[Any]) -> bool:
    return all(isinstance(each, str) for each in values)


def _is_plain_path(value: str | Path, info: Any) -> bool:
    """Return whether Typer would take a path as it is: it only asks whether a path that exists can be read."""
    has_wishes = info.exists or info.writable or info.resolve_path or info.allow_dash or info.path_type
    return (
        not has_wishes
        and info.file_okay
        and info.dir_okay
        and (os.access(value, os.R_OK) or not os.access(value, os.F_OK))
    )


def _take_number(text: str, kind: Any, info: Any) -> Any:
    """Return a whole number in plain digits that is within its bounds."""
    if kind is not int or info.clamp or not (text.isascii() and text.isdigit()) or len(text) > 9:
        return _ASK_PYDANTIC
    number = int(text)
    is_within = (info.min is None or number >= info.min) and (info.max is None or number <= info.max)
    return number if is_within else _ASK_PYDANTIC
