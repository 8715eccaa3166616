"""Reads the settings of a command that plays or reads games, and sets up its log: once for each command."""

from pathlib import Path
from typing import Literal

from arena.fleet.telemetry import set_up_logging
from arena.server.config.read_config import read_config
from arena.server.config.server_config import ServerConfig
from arena.server.store.store_place import choose_place


def set_up_command(
    data: Path | None, log_level: Literal["error", "critical"] = "error", **flags: object
) -> ServerConfig:
    """`log_level` holds unless the user has set another one. Raises OptionsError with every invalid setting."""
    config = read_config(flags={"data": data, **flags}, defaults={"log_level": log_level})
    set_up_logging(config.log_level)
    return config


def set_up_play(data: Path | None, store: str | None = None, **flags: object) -> ServerConfig:
    """As `set_up_command`, for a command that plays and stores: a new data folder gets the database that is chosen.

    Raises OptionsError, and what `choose_place` raises.
    """
    config = set_up_command(data, "error", store=store, **flags)
    choose_place(config.data, config.store)
    return config
