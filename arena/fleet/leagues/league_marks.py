"""Marks the leagues that a server plays in its data folder, so that it goes on with them when it starts again."""

from pathlib import Path
from typing import Final

import msgspec

from arena.errors import StoreError
from arena.log_lines import get_logger
from arena.server.rpc.league_service import LeagueOrder
from arena.server.store.data_folder import write_private_file

log = get_logger(__name__)

_SUFFIX: Final = ".playing"
_decoder: Final = msgspec.json.Decoder(LeagueOrder)


def mark_path(data: Path, league_id: str) -> Path:
    return data / "leagues" / f"{league_id}{_SUFFIX}"


def write_mark(path: Path, order: LeagueOrder) -> None:
    """Raises StoreError."""
    try:
        write_private_file(path, msgspec.json.encode(order))
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error


def read_marks(data: Path) -> list[LeagueOrder]:
    """Return what the last server left unfinished. A mark that cannot be read is left out, with a line in the log."""
    return list(_find_marks(data).values())


def remove_mark(data: Path, name: str) -> None:
    """Let the next server leave a league alone. Raises OSError."""
    for path, order in _find_marks(data).items():
        if order.name == name:
            path.unlink(missing_ok=True)


def _find_marks(data: Path) -> dict[Path, LeagueOrder]:
    found = {}
    for path in sorted((data / "leagues").glob(f"*{_SUFFIX}")):
        try:
            found[path] = _decoder.decode(path.read_bytes())
        except (OSError, msgspec.MsgspecError) as error:
            log.warning("a league does not go on by itself", path=str(path), fault=str(error))
    return found
