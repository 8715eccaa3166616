"""The command that shows the replay of a match, as messages suggest it."""

from pathlib import Path

from arena.config.server_config import DEFAULT_DATA_FOLDER
from arena.typed_command import arena_command


def replay_command(match_id: str, data: Path, *choice: object) -> str:
    """Return the command that shows the replay of a match. `choice` has options that show only a part of it."""
    return arena_command("replay", "show", match_id, *choice, *data_option(data))


def data_option(data: Path) -> tuple[object, ...]:
    """Return the option that names a data folder; nothing for the folder that commands use by default."""
    return () if data == DEFAULT_DATA_FOLDER else ("--data", data)
