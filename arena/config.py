"""Settings of a server: read once from flags, environment and file, checked whole, then frozen.

    flags  before  ARENA_PORT=…, ARENA_LIMITS__SESSIONS=…  before  the TOML file  before  defaults

Every fault is named at once, and where it stands. What is unknown is refused.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from arena.errors import NotationError, OptionError, OptionsError

ENV_PREFIX: Final = "ARENA_"
DEFAULT_DATA_FOLDER: Final = Path("arena-data")
"""Where a server keeps its things unless told otherwise."""


@dataclass(frozen=True, slots=True)
class Config:
    """How a server runs."""

    data: Path = DEFAULT_DATA_FOLDER
    """Data folder; made if it is missing."""
    host: str = "127.0.0.1"
    """Name or address to listen on."""
    port: int = 0
    """0 = any free one."""
    metrics_port: int | None = None
    """For Prometheus, on the same host; 0 = any free one, None = no figures."""
    grace_s: float = 5.0
    """Seconds that running matches may go on after a stop is asked for."""
    log_level: str = "info"
    journal: Literal["process", "disk"] = "process"
    """What an acknowledged decision survives: the end of the server's process, or a power cut too."""
    limits: Mapping[str, int] = field(default_factory=dict)
    """By name, those that differ from the defaults of `arena.node.limits.Limits`."""


Port = Annotated[int, Field(ge=0, le=65535)]
Count = Annotated[int, Field(ge=1, le=1_000_000)]
Size = Annotated[int, Field(ge=1024, le=1 << 30)]


class _Limits(BaseModel):
    """What a server puts up with."""

    model_config = ConfigDict(extra="forbid")

    sessions: Count | None = None
    sessions_a_token: Count | None = None
    joins_a_minute: Count | None = None
    connections_an_address: Count | None = None
    binds_loopback: bool | None = None
    matches: Count | None = None
    messages_a_second: Count | None = None
    outbox_bytes: Size | None = None
    outbox_bytes_a_seat: Size | None = None
    streams_a_connection: Count | None = None


class _Settings(BaseSettings):
    """The same as `Config`, as it is read and checked."""

    model_config = SettingsConfigDict(env_prefix=ENV_PREFIX, env_nested_delimiter="__", extra="forbid")

    data: Path = DEFAULT_DATA_FOLDER
    host: Annotated[str, Field(min_length=1)] = "127.0.0.1"
    port: Port = 0
    metrics_port: Port | None = None
    grace_s: Annotated[float, Field(ge=0, le=86_400)] = 5.0
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    journal: Literal["process", "disk"] = "process"
    limits: _Limits = _Limits()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Flags, environment, file: in this order. No other place is looked at."""
        del dotenv_settings, file_secret_settings
        assert isinstance(init_settings, InitSettingsSource)
        given = dict(init_settings.init_kwargs)
        file = InitSettingsSource(settings_cls, given.pop("_from_file"))
        return InitSettingsSource(settings_cls, given), env_settings, file


def read_config(file: Path | None = None, flags: Mapping[str, object] | None = None) -> Config:
    """Give the settings. A flag that is None was not given.

    Raises NotationError for a file that is not TOML, OptionError for one that cannot be read, OptionsError naming every
    refused setting.
    """
    given: dict[str, Any] = {name: value for name, value in (flags or {}).items() if value is not None}
    given["_from_file"] = _read_toml(file)  # taken out again above
    try:
        read = _Settings(**given)
    except ValidationError as error:
        raise OptionsError([_option_error(dict(each)) for each in error.errors()]) from error
    values: dict[str, Any] = {name: getattr(read, name) for name in Config.__dataclass_fields__}
    return Config(**values | {"limits": read.limits.model_dump(exclude_none=True)})


def _read_toml(file: Path | None) -> dict[str, Any]:
    if file is None:
        return {}
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise OptionError("config", str(file), f"it cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise NotationError(str(file), f"TOML ({error})") from error


def _option_error(error: Mapping[str, Any]) -> OptionError:
    name = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        return OptionError(name, error["input"], "unknown setting")
    return OptionError(name, error["input"], str(error["msg"]).lower())
