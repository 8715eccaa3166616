"""Reads the server settings: merges the sources, checks the result and makes it immutable.

The sources, by precedence:

    flags > ARENA_PORT=…, ARENA_LIMITS__SESSIONS=…, ARENA_BOXES__MEMORY_MB=… > the TOML file > defaults

All errors are reported together, each with the name of its setting. Unknown settings are refused.
"""

import os
from collections.abc import Mapping
from dataclasses import MISSING, Field, asdict, fields
from pathlib import Path
from typing import Annotated, Any, Final, get_type_hints

import pydantic
from annotated_types import Len
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, create_model

from arena.bots.launch.box_settings import BoxSettings
from arena.bots.submissions.submission_settings import SubmissionSettings
from arena.competition.pools.pool_settings import MAX_POOLS, PoolSettings
from arena.errors import OptionError, OptionsError
from arena.server.config.server_config import ServerConfig
from arena.server.node.limits import Limits, settable_limits
from arena.text_files import decode_text, describe_quotes, parse_toml

ENV_PREFIX: Final = "ARENA_"
_TABLES: Final = ("limits", "boxes", "submissions")
"""Tables of the file whose settings have environment variables too."""
_EXAMPLES: Final = {
    "limits": "LIMITS__SESSIONS=9",
    "boxes": "BOXES__MEMORY_MB=512",
    "submissions": "SUBMISSIONS__QUEUED=9",
}


def _split_commas(value: object) -> object:
    """Return the parts of a comma-separated text. An environment variable contains a list in this form."""
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


_CommaSeparated: Any = Annotated[tuple[str, ...], BeforeValidator(_split_commas)]


def _model_fields(declaration: type) -> dict[str, Any]:
    """Return the fields of a dataclass as `create_model` takes them: each type with its bounds, and the default."""
    types = get_type_hints(declaration, include_extras=True)
    listed = {name: _CommaSeparated if kind == tuple[str, ...] else kind for name, kind in types.items()}
    return {each.name: (listed[each.name], _default_of(each)) for each in fields(declaration)}


def _default_of(each: "Field[Any]") -> Any:
    """Return the default of a setting for `create_model`."""
    if each.default_factory is not MISSING:
        return pydantic.Field(default_factory=each.default_factory)
    return each.default


_SettableLimits: type[BaseModel] = create_model(
    "_SettableLimits",
    __config__=ConfigDict(extra="forbid"),
    **{name: definition for name, definition in _model_fields(Limits).items() if name in settable_limits()},
)
_BoxModel: Any = create_model("_Boxes", __config__=ConfigDict(extra="forbid"), **_model_fields(BoxSettings))
_PoolModel: Any = create_model("_Pool", __config__=ConfigDict(extra="forbid"), **_model_fields(PoolSettings))
_SubmissionModel: Any = create_model(
    "_Submissions", __config__=ConfigDict(extra="forbid"), **_model_fields(SubmissionSettings)
)
_Settings: type[BaseModel] = create_model(
    "_Settings",
    __config__=ConfigDict(extra="forbid"),
    **_model_fields(ServerConfig)
    | {
        "limits": (_SettableLimits, _SettableLimits()),
        "boxes": (_BoxModel, _BoxModel()),
        "pools": (Annotated[tuple[_PoolModel, ...], Len(0, MAX_POOLS)], ()),
        "submissions": (_SubmissionModel, _SubmissionModel()),
    },
)


def read_config(file: Path | None = None, flags: Mapping[str, object] | None = None) -> ServerConfig:
    """Read and check the settings. A flag whose value is None counts as absent.

    Raises OptionError if the file cannot be read, NotationError if it is not TOML, and OptionsError with every invalid
    setting.
    """
    told = {name: value for name, value in (flags or {}).items() if value is not None}
    given = _override(_override(_read_toml(file), _read_environment()), told)
    try:
        values = _Settings(**given).model_dump()
    except ValidationError as error:
        raise OptionsError([_option_error(dict(each)) for each in error.errors()]) from error
    tables = {
        "limits": Limits(**values["limits"]),
        "boxes": BoxSettings(**values["boxes"]),
        "submissions": SubmissionSettings(**values["submissions"]),
        "pools": tuple(PoolSettings(**each) for each in values["pools"]),
    }
    return ServerConfig(**values | tables)


def box_variables(boxes: BoxSettings) -> dict[str, str]:
    """Return the variables that give another command of the arena these settings of boxes."""
    return {
        f"{ENV_PREFIX}BOXES__{name.upper()}": ",".join(value) if isinstance(value, tuple) else str(value)
        for name, value in asdict(boxes).items()
        if value is not None
    }


def _override(given: Mapping[str, Any], stronger: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of two sources. Of a table, the stronger source overrides only the settings that it has."""
    merged = {**given, **stronger}
    for name in _TABLES:
        table = given.get(name)
        if table is not None and isinstance(stronger.get(name), dict):
            merged[name] = table | stronger[name] if isinstance(table, dict) else table  # which is then refused
    return merged


def _read_environment() -> dict[str, Any]:
    """Return the settings that the environment has, by name. The case of variables does not matter.

    pydantic-settings could read them too, but a server would take a tenth longer to start.
    """
    variables = {name.upper(): text for name, text in os.environ.items()}
    found = {
        name.removeprefix(ENV_PREFIX).lower(): text for name, text in variables.items() if name.startswith(ENV_PREFIX)
    }
    settings: dict[str, Any] = {name: text for name, text in found.items() if name in _Settings.model_fields}
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
    if error["type"] == "extra_forbidden":
        return OptionError(name, error["input"], "unknown setting")
    if error["type"] == "model_type":
        variables = f", or variables such as {ENV_PREFIX}{_EXAMPLES[name]}" if name in _EXAMPLES else ""
        return OptionError(name, error["input"], f"expected a table [{name}] in the file{variables}")
    if error["type"] == "tuple_type":
        return OptionError(name, error["input"], 'expected a list, such as ["a", "b"]')
    if error["type"] == "string_type":
        return OptionError(name, error["input"], f"expected {describe_quotes(error['input'])}")
    return OptionError(name, error["input"], str(error["msg"]).lower())
