"""Reads the server settings: merges the sources, checks the result and makes it immutable.

The sources, by precedence:

    flags > ARENA_PORT=…, ARENA_LIMITS__SESSIONS=… > the TOML file > defaults

All errors are reported together, each with the name of its setting. Unknown settings are refused.
"""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, Final, get_args, get_type_hints

from arena.config.server_config import ServerConfig
from arena.errors import NotationError, OptionError, OptionsError
from arena.node.limits import Limits, settable_limits

ENV_PREFIX: Final = "ARENA_"
_LIMITS: Final = "limits"
_LIMITS_ENV_PREFIX: Final = "ARENA_LIMITS__"


def read_config(file: Path | None = None, flags: Mapping[str, object] | None = None) -> ServerConfig:
    """Read and check the settings. A flag whose value is None counts as absent.

    Raises OptionError if the file cannot be read, NotationError if it is not TOML, and OptionsError with every invalid
    setting.
    """
    settings, limits = _types_of(ServerConfig), _types_of(Limits)
    limits = {name: kind for name, kind in limits.items() if name in settable_limits()}
    given_flags = {name: value for name, value in (flags or {}).items() if value is not None}
    sources = (_read_toml(file), _read_environment(settings), given_flags)
    given = {name: value for source in sources for name, value in source.items() if name != _LIMITS}
    given = {name: value for name, value in given.items() if not _is_default(name, value)}
    faults: list[OptionError] = []
    values = _check(given, settings, "", faults)
    chosen_limits = _check(_merge_limits(sources, faults), limits, f"{_LIMITS}.", faults)
    if faults:
        raise OptionsError(faults)
    return ServerConfig(**values, limits=Limits(**chosen_limits))


def _is_default(name: str, value: Any) -> bool:
    """Return whether a setting has the value that it would have anyway."""
    default = getattr(ServerConfig(), name, None)
    return type(value) is type(default) and bool(value == default)


def _types_of(declaration: type) -> dict[str, Any]:
    """Return the types of a dataclass's fields with their bounds, except of fields that hold other settings."""
    types = get_type_hints(declaration, include_extras=True)
    return {each.name: types[each.name] for each in fields(declaration) if each.default is not MISSING}


def _read_environment(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that are in the environment; upper and lower case are the same there."""
    variables = {name.upper(): text for name, text in os.environ.items()}
    named = {name: ENV_PREFIX + name.upper() for name in (*settings, _LIMITS)}
    found: dict[str, Any] = {name: variables[variable] for name, variable in named.items() if variable in variables}
    limits = {
        name.removeprefix(_LIMITS_ENV_PREFIX).lower(): text
        for name, text in variables.items()
        if name.startswith(_LIMITS_ENV_PREFIX)
    }
    return found | {_LIMITS: limits} if limits else found


def _merge_limits(sources: tuple[Mapping[str, Any], ...], faults: list[OptionError]) -> dict[str, Any]:
    """Return the given limits; later sources take precedence. Add a fault for a source whose limits have no names."""
    merged: dict[str, Any] = {}
    for limits in (source.get(_LIMITS, {}) for source in sources):
        if isinstance(limits, Mapping):
            merged |= limits
        else:
            faults.append(OptionError(_LIMITS, limits, "input should be a valid dictionary"))
    return merged


def _check(
    given: Mapping[str, Any], types: Mapping[str, Any], prefix: str, faults: list[OptionError]
) -> dict[str, Any]:
    """Return the valid settings as values of their types. Add the faults of the others, whose names get a prefix."""
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in types:
            faults.append(OptionError(prefix + name, value, "unknown setting"))
            continue
        try:
            values[name] = _convert(prefix + name, value, types[name])
        except OptionsError as error:
            faults += error.faults
    return values


def _convert(name: str, value: Any, kind: Any) -> Any:
    """Return a setting as a value of its type. Raises OptionsError."""
    if isinstance(value, Path) and Path in (kind, *get_args(kind)):
        return value
    from pydantic import TypeAdapter, ValidationError  # noqa: PLC0415  slow to import, and often only a path is set

    if kind == tuple[str, ...] and isinstance(value, str):  # the form of a list in an environment variable
        value = tuple(part.strip() for part in value.split(",") if part.strip())
    try:
        return TypeAdapter(kind).validate_python(value)
    except ValidationError as error:
        raise OptionsError(
            [
                OptionError(".".join([name, *map(str, fault["loc"])]), fault["input"], fault["msg"].lower())
                for fault in error.errors()
            ]
        ) from error


def _read_toml(file: Path | None) -> dict[str, Any]:
    if file is None:
        return {}
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise OptionError("config", str(file), f"it cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise NotationError(str(file), f"TOML ({error})") from error
