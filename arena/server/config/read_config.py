"""Reads the server settings: merges the sources, checks the result and makes it immutable.

The sources, by precedence:

    flags > ARENA_PORT=…, ARENA_LIMITS__SESSIONS=…, ARENA_BOXES__MEMORY_MB=… > the TOML file > defaults

All errors are reported together, each with the name of its setting; only a conflict between settings of one table is
reported alone. Unknown settings are refused.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from typing import Any, Final, get_args, get_type_hints

from annotated_types import Interval
from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config

from arena.bots.launch.box_settings import BoxSettings
from arena.bots.submissions.submission_settings import is_index_host
from arena.errors import OptionError, OptionsError
from arena.server.config.server_config import ServerConfig
from arena.server.node.limits import Limits, settable_limits
from arena.text_files import decode_text, describe_quotes, parse_toml

ENV_PREFIX: Final = "ARENA_"
_TABLES: Final = {
    "limits": "LIMITS__SESSIONS=9",
    "boxes": "BOXES__MEMORY_MB=512",
    "submissions": "SUBMISSIONS__QUEUED=9",
    "retention": "RETENTION__PACK_AFTER_DAYS=90",
    "site": "SITE__NAME=Arena",
}
"""Tables of the file whose settings have environment variables too, each with an example."""
_SETTINGS: Final = TypeAdapter(with_config(ConfigDict(extra="forbid"))(ServerConfig))
"""Checks the settings. Tables and pools, which are plain dataclasses, inherit that unknown settings are refused."""


def read_config(
    file: Path | None = None, flags: Mapping[str, object] | None = None, defaults: Mapping[str, object] | None = None
) -> ServerConfig:
    """A flag whose value is None counts as absent. `defaults` replace the usual ones.

    Raises OptionError if the file cannot be read, NotationError if it is not TOML, and OptionsError with every invalid
    setting.
    """
    told = {name: value for name, value in (flags or {}).items() if value is not None}
    given = _override(_override({**(defaults or {}), **_read_toml(file)}, _read_environment()), told)
    given, fixed = _take_fixed_limits(_split_lists(ServerConfig, given))
    given, faults = _take_wrong_hosts(given)
    faults += fixed
    try:
        config = _SETTINGS.validate_python(given)
    except ValidationError as error:
        faults = [_option_error(dict(each)) for each in error.errors()] + faults
    if faults:
        raise OptionsError(faults)
    return config


def box_variables(boxes: BoxSettings) -> dict[str, str]:
    """Return the variables that give another command of the arena these settings."""
    return {
        f"{ENV_PREFIX}BOXES__{name.upper()}": ",".join(value) if isinstance(value, tuple) else str(value)
        for name, value in asdict(boxes).items()
        if value is not None
    }


def _split_lists(kind: Any, value: Any) -> Any:
    """Split texts at their commas: a variable has a list in this form."""
    if kind == tuple[str, ...] and isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    if is_dataclass(kind) and isinstance(value, dict):
        types = get_type_hints(kind, include_extras=True)
        return {name: _split_lists(types.get(name), each) for name, each in value.items()}
    return value


def _take_fixed_limits(given: dict[str, Any]) -> tuple[dict[str, Any], list[OptionError]]:
    """Return the settings without limits that exist but that no setting changes, and an error for each of those."""
    limits = given.get("limits")
    if not isinstance(limits, dict):
        return given, []
    fixed = {each.name for each in fields(Limits)} - settable_limits()
    kept = {name: value for name, value in limits.items() if name not in fixed}
    faults = [_unknown_setting(f"limits.{name}", limits[name]) for name in limits if name in fixed]
    return given | {"limits": kept}, faults


def _take_wrong_hosts(given: dict[str, Any]) -> tuple[dict[str, Any], list[OptionError]]:
    """Return the settings without package indexes that are no names of hosts, and an error for each of those."""
    submissions = given.get("submissions")
    hosts = submissions.get("package_indexes") if isinstance(submissions, dict) else None
    if not isinstance(submissions, dict) or not isinstance(hosts, list | tuple):
        return given, []
    wrong = [host for host in hosts if isinstance(host, str) and not is_index_host(host)]
    allowed = "expected the name of a host in small letters, without https:// and without a port"
    kept = {**submissions, "package_indexes": tuple(host for host in hosts if host not in wrong)}
    faults = [OptionError("submissions.package_indexes", host, allowed) for host in wrong]
    return given | {"submissions": kept}, faults


def _override(given: Mapping[str, Any], stronger: Mapping[str, Any]) -> dict[str, Any]:
    """In a table, the stronger source overrides only the settings that it has."""
    merged = {**given, **stronger}
    for name in _TABLES:
        table = given.get(name)
        if table is not None and isinstance(stronger.get(name), dict):
            merged[name] = table | stronger[name] if isinstance(table, dict) else table  # which is then refused
    return merged


def _read_environment() -> dict[str, Any]:
    """The case of variables does not matter.

    pydantic-settings could read them too, but a server would take a tenth longer to start.
    """
    variables = {name.upper(): text for name, text in os.environ.items()}
    found = {
        name.removeprefix(ENV_PREFIX).lower(): text for name, text in variables.items() if name.startswith(ENV_PREFIX)
    }
    names = {each.name for each in fields(ServerConfig)}
    settings: dict[str, Any] = {name: text for name, text in found.items() if name in names}
    for table in _TABLES:
        prefix = f"{table}__"
        own = {name.removeprefix(prefix): text for name, text in found.items() if name.startswith(prefix)}
        settings |= {table: own} if own and table not in settings else {}
    return settings


def _read_toml(file: Path | None) -> dict[str, Any]:
    if file is None:
        return {}
    try:
        return parse_toml(decode_text(file.read_bytes(), str(file)), str(file))
    except OSError as error:
        raise OptionError("config", str(file), f"it cannot be read: {error.strerror}") from error


def _option_error(error: Mapping[str, Any]) -> OptionError:
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in error["loc"])
    name = "".join(parts).removeprefix(".")
    if error["type"] == "unexpected_keyword_argument":
        return _unknown_setting(name, error["input"])
    if error["type"] == "dataclass_type":
        variables = f", or variables such as {ENV_PREFIX}{_TABLES[name]}" if name in _TABLES else ""
        return OptionError(name, error["input"], f"expected a table [{name}] in the file{variables}")
    if error["type"] == "tuple_type":
        return OptionError(name, error["input"], 'expected a list, such as ["a", "b"]')
    if error["type"] == "string_type":
        return OptionError(name, error["input"], f"expected {describe_quotes(error['input'])}")
    if numbers := _describe_range(error["loc"]):
        is_fraction = error["type"] == "int_from_float"
        return OptionError(name, error["input"], f"expected {'a whole number, ' if is_fraction else ''}{numbers}")
    return OptionError(name, error["input"], str(error["msg"]).lower().replace("input should be ", "expected ", 1))


def _describe_range(location: Sequence[str | int]) -> str:
    """Return which numbers the setting at this place takes; empty if it takes something else."""
    *path, name = location
    kind: Any = ServerConfig
    for part in path:
        kind = get_args(kind)[0] if isinstance(part, int) else get_type_hints(kind)[part]
    hint = get_type_hints(kind, include_extras=True).get(str(name)) if is_dataclass(kind) else None
    parts = (part for each in (hint, *get_args(hint)) for part in get_args(each))  # also of `Annotated[…] | None`
    for each in parts:
        if isinstance(each, Interval):
            return f"{each.ge} to {each.le}" if each.gt is None else f"above {each.gt}, at most {each.le}"
    return ""


def _unknown_setting(name: str, value: object) -> OptionError:
    return OptionError(name, value, "unknown setting")
